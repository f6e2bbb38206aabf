package kcp

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/linktest"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A stranger is a socket that sends hostile packets.
type stranger struct {
	*net.UDPConn
	rng *rand.Rand
	raw *raw.Client // of its session, once it has one
	sn  uint64
}

func newStranger(t *testing.T, seed uint64) *stranger {
	s, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &stranger{UDPConn: s, rng: rand.New(rand.NewPCG(seed, 9))}
}

func (s *stranger) garbage(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(s.rng.Uint32())
	}
	return b
}

func (s *stranger) client() *raw.Client {
	o := linktest.Offer()
	return raw.NewClient(raw.Source(s.rng.Uint64), s.rng.Uint64(), wire.Request{Game: o.Game, Schema: o.Schema, Hello: s.garbage(s.rng.IntN(transport.MaxHello))})
}

// join joins the server by a proper handshake.
func (s *stranger) join(r *linktest.Rig, server *net.UDPAddr) {
	in := len(r.Server.Conns)
	r.Until("the stranger is accepted", func() bool { return s.asks(server) })
	s.say(server, wire.Keepalive, nil)
	r.Until("the stranger is in", func() bool { return len(r.Server.Conns) > in })
}

// asks goes on with a handshake, and reports whether it is over.
func (s *stranger) asks(server *net.UDPAddr) bool {
	if s.raw == nil {
		s.raw = s.client()
	}
	if s.raw.In() {
		return true
	}
	s.WriteToUDP(s.raw.Hello(), server)
	s.SetReadDeadline(time.Now().Add(time.Millisecond))
	b := make([]byte, transport.MaxPacket)
	for {
		n, _, err := s.ReadFromUDP(b)
		if err != nil {
			return s.raw.In()
		}
		if init := s.raw.Answer(b[:n]); init != nil {
			s.WriteToUDP(init, server)
		}
	}
}

func (s *stranger) say(to *net.UDPAddr, k wire.Kind, payload []byte) {
	s.WriteToUDP(s.raw.Say(k, payload...), to)
}

// act sends one packet that no client or server sends.
func (s *stranger) act(to *net.UDPAddr, server bool) {
	switch s.rng.IntN(8) {
	case 0:
		s.WriteToUDP(s.garbage(60_000), to) // in fragments, and cut by the reader
	case 1:
		s.WriteToUDP(nil, to)
	case 2:
		s.WriteToUDP(s.client().Hello(), to)
	case 3, 4:
		b := s.garbage(1 + s.rng.IntN(transport.MaxPacket))
		b[0] = 0x80 | byte(s.rng.IntN(14))
		if !server {
			b[0] |= wire.FromListener
		}
		s.WriteToUDP(b, to)
	default:
		if s.raw == nil || !s.raw.In() || !server {
			return
		}
		b := s.garbage(24 + s.rng.IntN(40))
		copy(b, []byte{1, 0, 0, 0, byte(81 + s.rng.IntN(4)), 0})
		binary.LittleEndian.PutUint32(b[12:], uint32(s.sn)+uint32(s.rng.IntN(4)))
		clear(b[20:24])
		if b[4] == 81 {
			b[20] = byte(len(b) - 24)
		} else {
			b = b[:24]
		}
		s.sn += uint64(s.rng.IntN(2))
		s.say(to, wire.Lane, b)
	}
}

// Over real sockets, honest clients play, leave and come back while strangers send
// garbage, empty and far too long datagrams, endless joins and lies.
func TestStrangers(t *testing.T) {
	noLeak(t)
	const seed = 1
	t.Logf("seed %d", seed)
	r := linktest.NewRig(t, loopback(t, false))
	server := r.Host(linktest.Offer())
	addr, err := net.ResolveUDPAddr("udp", r.Listener.Addr())
	if err != nil {
		t.Fatal(err)
	}
	names, got := map[transport.Conn]string{}, map[string]int{}
	check := func(name string, m []byte) {
		if want := fmt.Sprintf("%s %d", name, got[name]); string(m) != want {
			t.Fatalf("%q came, not %q", m, want)
		}
		got[name]++
	}
	server.OnMessage = func(c transport.Conn, m []byte) {
		if name := names[c]; name != "" {
			check("to the server from "+name, m)
		}
	}
	type pair struct {
		name   string
		client *linktest.Side
		server transport.Conn
		sent   int
	}
	join := func(name string) *pair {
		o := linktest.Offer()
		o.Hello = []byte(name)
		p := &pair{name: name, client: r.Join(o)}
		p.client.OnMessage = func(_ transport.Conn, m []byte) { check("to "+name, m) }
		r.Until(name+" is in", func() bool {
			for i, c := range server.Conns {
				if server.Hellos[i] == name {
					p.server, names[c] = c, name
				}
			}
			return p.server != nil && len(p.client.Conns) == 1
		})
		return p
	}
	pairs := []*pair{join("ann"), join("bob"), join("cy")}
	var strangers []*stranger
	for i := range 3 {
		strangers = append(strangers, newStranger(t, seed+uint64(i)))
	}
	strangers[0].join(r, addr)
	heard := func() bool {
		for _, p := range pairs {
			if got["to "+p.name] < p.sent || got["to the server from "+p.name] < p.sent {
				return false
			}
		}
		return true
	}
	speak := func() {
		for _, p := range pairs {
			p.server.Flush()
			p.client.Conns[0].Flush()
		}
	}
	for turn := range 150 {
		for _, p := range pairs {
			if p.server.Reliable(fmt.Appendf(nil, "to %s %d", p.name, p.sent)) != nil ||
				p.client.Conns[0].Reliable(fmt.Appendf(nil, "to the server from %s %d", p.name, p.sent)) != nil {
				t.Fatalf("%s is not spoken with: server %v, client %v", p.name, server.Ended, p.client.Ended)
			}
			p.sent++
		}
		speak()
		for _, s := range strangers {
			for range 3 {
				s.act(addr, true)
			}
			p := pairs[s.rng.IntN(len(pairs))]
			to := net.UDPAddrFromAddrPort(mustAddr(t, p.server.Stats().Remote))
			s.act(to, false)
		}
		if turn == 75 {
			r.Until("all of the first half came", func() bool { speak(); return heard() })
			r.Hang(pairs[0].client, "a break")
			pairs[0] = join("ann again")
		}
		r.Turn()
	}
	r.Until("all messages came", func() bool { speak(); return heard() })
	for _, p := range pairs {
		if len(p.client.Ended) != 0 {
			t.Errorf("%s has ended: %v", p.name, p.client.Ended)
		}
	}
	if server.Link.Counters().Ignored == 0 {
		t.Error("no packet was ignored")
	}
}

func mustAddr(t *testing.T, s string) netip.AddrPort {
	a, err := netip.ParseAddrPort(s)
	if err != nil {
		t.Fatal(err)
	}
	return a
}
