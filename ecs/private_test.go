package ecs_test

// What a player is told of others.

import (
	"bytes"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// shifted returns the first of texts that is in b, from any bit on, whichever bit of a byte is
// first; nil if none is.
func shifted(b []byte, texts [][]byte) []byte {
	low, high := make([]byte, len(b)), make([]byte, len(b))
	for shift := range 8 {
		for i := range b {
			low[i], high[i] = b[i]>>shift, b[i]<<shift
			if i+1 < len(b) {
				low[i] |= b[i+1] << (8 - shift)
				high[i] |= b[i+1] >> (8 - shift)
			}
		}
		for _, text := range texts {
			if bytes.Contains(low, text) || bytes.Contains(high, text) {
				return text
			}
		}
	}
	return nil
}

// An offerDialer notes what a session offers.
type offerDialer struct {
	transport.Dialer
	to *[]transport.Offer
}

func (d offerDialer) Dial(o transport.Offer) (transport.Link, error) {
	*d.to = append(*d.to, o)
	return d.Dialer.Dial(o)
}

// A session remembers for its whole life as whom it has joined which server: all its joins
// have one keyring and one key, which no other session has.
func TestOneKeyring(t *testing.T) {
	l := newLab(t, lan)
	l.server(tendon.Config{})
	var offers []transport.Offer
	for range 2 {
		m := l.machine("client", tendon.Config{})
		for range 2 {
			m.Join(offerDialer{l.net.Dialer(l.listener), &offers})
			l.steps(5)
			m.Close("again")
		}
	}
	if len(offers) != 4 {
		t.Fatalf("%d joins", len(offers))
	}
	for i, o := range offers {
		if first := offers[i&^1]; o.Keys == nil || o.Keys != first.Keys || o.Key != first.Key || i >= 2 && (o.Keys == offers[0].Keys || o.Key == offers[0].Key) {
			t.Errorf("join %d has the keyring %p and the key %x", i, o.Keys, o.Key[:4])
		}
	}
}

// Nobody is told another's address, hello, key or identity, whatever that one does: the
// packets to bob, read inside the seal, have nothing of ann's.
func TestNothingOfOthers(t *testing.T) {
	packets := 0
	defer func() { t.Logf("%d packets", packets) }()
	rapid.Check(t, func(rt *rapid.T) {
		seed := rapid.Uint64().Draw(rt, "seed")
		rng := rand.New(rand.NewPCG(seed, 9))
		l := &lab{T: t, seed: seed, net: mem.NewNetwork(seed, netsim.Conditions{Delay: 30 * time.Millisecond, Loss: float64(rng.IntN(3)) * .1})}
		l.listener = l.net.Listener()
		spy := &spyListener{Listener: l.listener}
		server := l.machine("server", tendon.Config{Dedicated: rng.IntN(2) == 0, Times: tendon.Times{Silence: time.Second, Grace: 2 * time.Second}})
		server.Host(spy)
		hello := fmt.Sprintf("ann %016x %016x", rng.Uint64(), rng.Uint64())
		ann, bob := l.client(tendon.Config{Hello: []byte(hello)}), l.client(tendon.Config{Hello: []byte("bob")})
		l.joined()
		var secrets [][]byte
		secret := func(b []byte) {
			if !slices.ContainsFunc(secrets, func(s []byte) bool { return bytes.Equal(s, b) }) {
				secrets = append(secrets, b)
			}
		}
		told := func(p rpl.Peer) {
			who := string(server.Identity(p))
			_, key, ok := strings.Cut(who, ":")
			if !ok || len(key) < 40 {
				rt.Fatalf("ann is %q", who)
			}
			public, err := base32.HexEncoding.WithPadding(base32.NoPadding).DecodeString(key)
			if err != nil {
				rt.Fatal(err)
			}
			remote := server.Stats(p).Conn.Remote
			at := netip.MustParseAddrPort(remote)
			ip := at.Addr().As4()
			secret([]byte(key[:16]))
			secret(public[:8])
			secret([]byte(remote))
			secret(binary.LittleEndian.AppendUint16(ip[:4:4], at.Port()))
			secret(binary.BigEndian.AppendUint16(ip[:4:4], at.Port()))
		}
		secret([]byte(hello[:20]))
		secret([]byte(hello[20:]))
		told(ann.Me())
		mine := server.Create(Body, Paint)
		tendon.Give(mine, ann.Me())
		busy := server.Create(Body).Entity()
		server.step = func() { Body.Get(server.World().Entry(busy)).Pos.X = 100 * rng.Float64() }
		for range 36 {
			switch rng.IntN(6) {
			case 0:
				Chat.Send(ann.Session(), "hi")
			case 1:
				Tell.Send(server.Session(), "all")
			case 2:
				if ann.Mode() == tendon.Client {
					ann.Close("bye")
				}
			case 3:
				if ann.Mode() != tendon.Client {
					ann.Join(l.net.Dialer(l.listener))
				}
			case 4:
				Body.Get(server.Create(Body, Paint)).Pos.X = rng.Float64() * 100
			case 5:
				ann.asleep = rng.IntN(100)
			}
			l.steps(12)
			for p := range server.Peers() {
				if string(server.Hello(p)) == hello && server.Stats(p).Conn.Remote != "" {
					told(p)
				}
			}
		}
		checked := 0
		for _, c := range spy.conns {
			if c.Identity() == server.Identity(bob.Me()) {
				for _, b := range append(c.datagrams, c.messages...) {
					if s := shifted(b, secrets); s != nil {
						rt.Fatalf("bob is told %q of ann's: %x", s, b)
					}
					checked++
				}
			}
		}
		packets += checked
		if checked < 200 || len(secrets) < 5 {
			rt.Fatalf("%d packets, %d secrets", checked, len(secrets))
		}
	})
}
