package endpoint

// A client's handshake: what it asks, and what it believes.

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

func TestHandshakeOfTheClient(t *testing.T) {
	b := dialled(t)
	for range 12 {
		b.now += 100 * time.Millisecond
		b.Tick()
	}
	if n := len(b.sent); n != 7 || !bytes.Equal(b.sent[0], b.sent[6]) || b.to[0] != serverAddr {
		t.Errorf("%d questions in 1.2 s", n)
	}
	s := raw.NewServer(raw.Source(rand.New(rand.NewPCG(4, 4)).Uint64))
	challenge := s.Answer(b.sent[0])
	b.sent = nil
	b.arrive(serverAddr, challenge)
	accept := s.Answer(b.last())
	if string(s.Request.Hello) != "Ada" || s.Request.Game != "pong" || s.Request.Schema != 7 {
		t.Errorf("the client asks %+v", s.Request)
	}
	first := b.last()
	sizes := map[int]int{}
	for range 6 { // the ACCEPT is lost: it asks on
		b.sent = nil
		b.now += transport.HelloInterval
		b.Tick()
		for _, p := range b.sent {
			if m, err := wire.ParseInit(p); err == nil {
				if sizes[len(p)]++; !bytes.HasPrefix(first, p[:33+len(m.Noise)]) {
					t.Error("an INIT is not repeated as it was")
				}
			}
		}
	}
	if sizes[wire.MinInit] < 2 || sizes[transport.MaxPacket] < 2 {
		t.Errorf("INITs by their sizes: %v", sizes)
	}
	b.arrive(serverAddr, accept)
	if len(b.events) != 1 || b.events[0] != "connected " {
		t.Fatalf("events %q", b.events)
	}
	if p, seq, err := s.Open(b.last()); err != nil || p.Kind != wire.Keepalive || seq != 1 {
		t.Errorf("the client confirms with %+v, %v", p, err)
	}
}

// Each refusal is an error of its own.
func TestRefusalsAtTheClient(t *testing.T) {
	for reason, want := range map[wire.Reason]error{
		wire.OtherGame: transport.ErrGame, wire.OtherSchema: transport.ErrSchema, wire.Full: transport.ErrFull, wire.BadSecret: transport.ErrSecret,
		wire.BadToken: transport.ErrToken, wire.NotAdmitted: transport.ErrNotAdmitted, 77: transport.ErrVersion,
	} {
		b := dialled(t)
		s := raw.NewServer(raw.Source(rand.New(rand.NewPCG(4, 4)).Uint64))
		b.arrive(serverAddr, s.Answer(b.last()))
		m, err := wire.ParseInit(b.last())
		if err != nil || !s.Read(m) {
			t.Fatal(err)
		}
		deny := s.Deny(wire.DenyMessage{Attempt: m.Attempt, Reason: reason, Detail: []byte("x\xff")})
		for at := range deny {
			forged := bytes.Clone(deny)
			forged[at] ^= 4
			if b.arrive(serverAddr, forged); len(b.events) != 0 {
				t.Fatalf("reason %d, byte %d is spoiled: %v", reason, at, b.err)
			}
		}
		b.arrive(serverAddr, deny, deny)
		if !errors.Is(b.err, want) || len(b.events) != 1 {
			t.Errorf("reason %d: %v, events %q", reason, b.err, b.events)
		}
	}
}

// A client that knows the listener's key joins it, whatever others forge before; who has
// another key is another server, and that is told when nobody better answers.
func TestPinned(t *testing.T) {
	real := raw.NewServer(raw.Source(rand.New(rand.NewPCG(4, 4)).Uint64))
	false := raw.NewServer(raw.Source(rand.New(rand.NewPCG(5, 5)).Uint64))
	dial := func() *bench {
		b := &bench{}
		cfg, key := b.config(), real.Pair.Public()
		cfg.Client.Pinned = &key
		e, err := Dial(cfg, offer(), serverAddr)
		if err != nil {
			t.Fatal(err)
		}
		b.Endpoint = e
		return b
	}
	b := dial()
	hello := b.last()
	forge := func() {
		m, _ := wire.ParseHello(hello)
		b.arrive(serverAddr, wire.RefuseMessage{Version: 9, Attempt: m.Attempt}.Append(nil), false.Answer(hello),
			wire.ChallengeMessage{Attempt: m.Attempt, Key: real.Pair.Public(), Cookie: [seal.CookieSize]byte{9}}.Append(nil))
		for i := range byte(20) {
			b.arrive(serverAddr, wire.ChallengeMessage{Attempt: m.Attempt, Key: real.Pair.Public(), Cookie: [seal.CookieSize]byte{8, i}, Busy: i%2 == 0}.Append(nil))
		}
	}
	forge()
	b.pass(time.Second)
	b.Tick()
	b.Poll(b)
	real.Cookie = [seal.CookieSize]byte{7}
	forge()
	b.arrive(serverAddr, real.Answer(hello))
	init := b.last()
	if m, err := wire.ParseInit(init); err != nil || m.Cookie != real.Cookie {
		t.Fatalf("behind forged ones a CHALLENGE is answered by %x, %v", m.Cookie, err)
	}
	forge()
	if b.arrive(serverAddr, real.Answer(init)); fmt.Sprint(b.events) != "[connected ]" || !b.conns[0].Stats().Authenticated {
		t.Errorf("told %q, %v", b.events, b.err)
	}
	b = dial()
	b.arrive(serverAddr, false.Answer(b.last()))
	b.pass(transport.ConnectTimeout)
	if b.Poll(b); !errors.Is(b.err, transport.ErrKey) || len(b.sent) > 1 {
		t.Errorf("told %v, %d packets", b.err, len(b.sent))
	}
}

// A client without the listener's key takes the first that it hears, and says so.
func TestUnpinned(t *testing.T) {
	b, _ := connected(t)
	if b.conns[0].Stats().Authenticated {
		t.Error("a listener is taken for authentic that nobody knows")
	}
	b = dialled(t)
	m, _ := wire.ParseHello(b.last())
	b.arrive(serverAddr, wire.RefuseMessage{Version: 9, Attempt: m.Attempt}.Append(nil))
	b.pass(transport.HelloInterval)
	if b.Poll(b); b.err != nil {
		t.Errorf("told %v at once", b.err)
	}
	b.pass(transport.HelloInterval)
	if b.Poll(b); !errors.Is(b.err, transport.ErrVersion) {
		t.Errorf("told %v after two questions", b.err)
	}
}

// A client waits for its turn for longer than for an answer.
func TestBusy(t *testing.T) {
	b := dialled(t)
	m, _ := wire.ParseHello(b.last())
	busy := wire.ChallengeMessage{Attempt: m.Attempt, Key: seal.Key{9}, Busy: true}.Append(nil)
	for b.now < 2*transport.ConnectTimeout {
		b.arrive(serverAddr, busy)
		b.pass(time.Second)
	}
	if b.err != nil {
		t.Fatal(b.err)
	}
	b.pass(transport.ConnectTimeout)
	if b.Poll(b); !errors.Is(b.err, transport.ErrNoAnswer) {
		t.Errorf("told %v", b.err)
	}
}
