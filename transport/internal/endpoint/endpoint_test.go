package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/lane"
)

var (
	serverAddr = netip.MustParseAddrPort("10.0.0.1:7777")
	clientAddr = netip.MustParseAddrPort("10.0.0.2:5000")
	strangers  = netip.MustParseAddrPort("10.6.6.6:666")
)

// A bench is one endpoint with its network in the test's hands.
type bench struct {
	*Endpoint
	now    time.Duration
	sent   [][]byte // by the endpoint, copied
	to     []netip.AddrPort
	bytes  int
	events []string
	conns  []transport.Conn
	err    error
}

func (b *bench) config() Config {
	rng := rand.New(rand.NewPCG(1, 2))
	return Config{
		Transport: "test", Local: "here", Now: func() time.Duration { return b.now },
		Send: func(to netip.AddrPort, p []byte) {
			b.bytes += len(p)
			if len(b.sent) < 10_000 {
				b.sent, b.to = append(b.sent, bytes.Clone(p)), append(b.to, to)
			}
		},
		Random: rng.Uint64, Machine: lane.NewARQ,
	}
}

func (b *bench) Connected(c transport.Conn, hello []byte) {
	b.conns = append(b.conns, c)
	b.events = append(b.events, "connected "+string(hello))
}

func (b *bench) Datagram(_ transport.Conn, seq uint64, _ time.Duration, p []byte) {
	b.events = append(b.events, fmt.Sprintf("datagram %d %s", seq, p))
}

func (b *bench) Message(_ transport.Conn, p []byte) {
	b.events = append(b.events, "message "+string(p))
}

func (b *bench) Closed(_ transport.Conn, err error) {
	b.events = append(b.events, "closed")
	b.err = err
}

// arrive gives packets to the endpoint and polls it.
func (b *bench) arrive(from netip.AddrPort, packets ...[]byte) {
	for _, p := range packets {
		b.Arrive(b.now, from, p)
	}
	b.Poll(b)
}

func (b *bench) last() []byte {
	if len(b.sent) == 0 {
		return nil
	}
	return b.sent[len(b.sent)-1]
}

func offer() transport.Offer {
	return transport.Offer{Game: "pong", Schema: 7, Digest: bytes.Repeat([]byte("d"), transport.MaxDigest)}
}

func listening(t testing.TB) *bench {
	b := &bench{}
	e, err := Listen(b.config(), offer())
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	return b
}

func dialled(t testing.TB) *bench {
	b := &bench{}
	o := offer()
	o.Hello = []byte("Ada")
	e, err := Dial(b.config(), o, serverAddr)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	return b
}

func hello(attempt uint64) wire.HelloMessage {
	return wire.HelloMessage{Attempt: attempt, GameHash: wire.HashGame("pong"), Schema: 7, Game: "pong", Hello: []byte("Ada")}
}

// joined is a listener with one client, whose packets pack makes.
func joined(t testing.TB) (b *bench, pack func(k wire.Kind, seq uint64, payload ...byte) []byte) {
	b = listening(t)
	b.arrive(clientAddr, hello(1).Append(nil))
	a, err := wire.ParseAccept(b.last())
	if err != nil {
		t.Fatal(err)
	}
	pack = func(k wire.Kind, seq uint64, payload ...byte) []byte {
		return wire.End(append(wire.Begin(nil, k, false, a.ID, seq), payload...))
	}
	b.arrive(clientAddr, pack(wire.Keepalive, 1))
	if len(b.conns) != 1 {
		t.Fatalf("no connection: %q", b.events)
	}
	b.events = nil
	return b, pack
}

func TestHandshakeOfTheListener(t *testing.T) {
	other := hello(9).Append(nil)
	other[1] = 99
	game, schema := hello(9), hello(9)
	game.GameHash++
	schema.Schema++
	for _, x := range []struct {
		name   string
		b      []byte
		reason wire.Reason
	}{
		{"version", other, wire.OtherVersion},
		{"game", game.Append(nil), wire.OtherGame},
		{"schema", schema.Append(nil), wire.OtherSchema},
	} {
		b := listening(t)
		b.arrive(clientAddr, x.b, x.b)
		if len(b.sent) != 2 || !bytes.Equal(b.sent[0], b.sent[1]) || b.to[0] != clientAddr {
			t.Fatalf("%s: answers %x to %v", x.name, b.sent, b.to)
		}
		m, err := wire.ParseRefuse(b.sent[0])
		if err != nil || m.Reason != x.reason || m.Attempt != 9 || m.Version != wire.Version {
			t.Errorf("%s: refused with %+v, %v", x.name, m, err)
		}
		if len(b.Endpoint.conns) != 0 {
			t.Errorf("%s: state is kept", x.name)
		}
	}
}

// Repeats are answered alike; the client is in once it is heard again, once.
func TestRepeatedHello(t *testing.T) {
	b := listening(t)
	h := hello(1).Append(nil)
	b.arrive(clientAddr, h, h, h)
	if len(b.sent) != 3 || !bytes.Equal(b.sent[0], b.sent[2]) || len(b.Endpoint.conns) != 1 || len(b.events) != 0 {
		t.Fatalf("%d answers, %d connections, events %q", len(b.sent), len(b.Endpoint.conns), b.events)
	}
	a, _ := wire.ParseAccept(b.last())
	k := wire.End(wire.Begin(nil, wire.Keepalive, false, a.ID, 1))
	b.arrive(clientAddr, k, k, h)
	if len(b.events) != 1 || b.events[0] != "connected Ada" {
		t.Errorf("events %q", b.events)
	}
	// Another attempt from the same address is another client.
	b.arrive(clientAddr, hello(2).Append(nil))
	if c, _ := wire.ParseAccept(b.last()); c.ID == a.ID {
		t.Error("two attempts have one connection")
	}
}

// A spoofed HELLO costs a half-open place for a while, never a session.
func TestHalfOpen(t *testing.T) {
	b := listening(t)
	for i := range 300 {
		from := netip.AddrPortFrom(strangers.Addr(), uint16(1000+i))
		b.arrive(from, hello(uint64(i)).Append(nil))
	}
	if n := len(b.Endpoint.conns); n != transport.MaxHalfOpen {
		t.Errorf("%d half-open connections", n)
	}
	b.now += transport.HalfOpenTimeout
	b.Poll(b)
	if len(b.Endpoint.conns)+len(b.byID)+len(b.asked) != 0 || len(b.events) != 0 {
		t.Errorf("%d connections, %d ids, %d questions kept; events %q", len(b.Endpoint.conns), len(b.byID), len(b.asked), b.events)
	}
}

func TestHandshakeOfTheClient(t *testing.T) {
	attempt := func(b *bench) uint64 {
		m, err := wire.ParseHello(b.sent[0])
		if err != nil || string(m.Hello) != "Ada" || b.to[0] != serverAddr {
			t.Fatalf("the client asks %+v of %v, %v", m, b.to[0], err)
		}
		return m.Attempt
	}
	b := dialled(t)
	for range 12 {
		b.now += 100 * time.Millisecond
		b.Tick()
	}
	if n := len(b.sent); n != 5 || !bytes.Equal(b.sent[0], b.sent[4]) {
		t.Errorf("%d questions in 1.2 s", n)
	}
	// Answers from elsewhere, or to another question, are none.
	good := wire.AcceptMessage{Attempt: attempt(b), ID: 5}
	b.arrive(strangers, good.Append(nil))
	b.arrive(serverAddr, wire.AcceptMessage{Attempt: good.Attempt + 1, ID: 5}.Append(nil))
	b.arrive(serverAddr, wire.RefuseMessage{Version: 1, Attempt: good.Attempt + 1, Reason: wire.Full}.Append(nil))
	if len(b.events) != 0 {
		t.Fatalf("events %q", b.events)
	}
	b.arrive(serverAddr, good.Append(nil), good.Append(nil))
	if len(b.events) != 1 || b.events[0] != "connected " {
		t.Fatalf("events %q", b.events)
	}
	if p, err := wire.ParsePacket(b.last()); err != nil || p.Kind != wire.Keepalive || p.ID != 5 || p.FromListener {
		t.Errorf("the client confirms with %+v, %v", p, err)
	}
	for reason, want := range map[wire.Reason]error{
		wire.OtherVersion: transport.ErrVersion, wire.OtherGame: transport.ErrGame, wire.OtherSchema: transport.ErrSchema,
		wire.Full: transport.ErrFull, 77: transport.ErrVersion,
	} {
		b := dialled(t)
		b.arrive(serverAddr, wire.RefuseMessage{Version: 3, Attempt: attempt(b), Reason: reason, Detail: []byte("x\xff")}.Append(nil))
		if !errors.Is(b.err, want) || len(b.events) != 1 {
			t.Errorf("reason %d: %v, events %q", reason, b.err, b.events)
		}
	}
}

// What each packet does to a listener with one client, once well and once
// spoiled in every way that a network or a stranger can.
func TestReceiverChecks(t *testing.T) {
	segments := func() []byte {
		l := lane.New(lane.NewARQ)
		l.Queue([]byte("hi"))
		l.Update(0)
		return l.Take(nil, transport.MaxPayload)
	}()
	both := append([]byte{byte(len(segments)), 0}, segments...)
	both = append(both, "state"...)
	for _, x := range []struct {
		kind    wire.Kind
		payload []byte
		want    string
	}{
		{wire.Keepalive, nil, "[]"},
		{wire.Datagram, []byte("state"), "[datagram 9 state]"},
		{wire.Lane, segments, "[message hi]"},
		{wire.Both, both, "[datagram 9 state message hi]"},
		{wire.Close, []byte("\x00bye"), "[closed]"},
	} {
		b, pack := joined(t)
		p := pack(x.kind, 9, x.payload...)
		flipped := bytes.Clone(p)
		flipped[0] |= wire.FromListener
		foreign := bytes.Clone(p)
		foreign[1]++
		tagged := bytes.Clone(p)
		tagged[len(p)-1] ^= 1
		for name, bad := range map[string][]byte{
			"wrong direction": flipped, "another connection": foreign, "a tag": tagged, "a byte more": append(bytes.Clone(p), 1),
		} {
			if b.arrive(clientAddr, bad); len(b.events) != 0 {
				t.Errorf("kind %d, %s: %q", x.kind, name, b.events)
			}
		}
		if b.arrive(strangers, p); len(b.events) != 0 {
			t.Errorf("kind %d from a stranger: %q", x.kind, b.events)
		}
		for n := range transport.Overhead {
			if b.arrive(clientAddr, p[:n]); len(b.events) != 0 {
				t.Errorf("kind %d cut at %d: %q", x.kind, n, b.events)
			}
		}
		if b.arrive(clientAddr, p, p); fmt.Sprint(b.events) != x.want {
			t.Errorf("kind %d, twice: %q, want %s", x.kind, b.events, x.want)
		}
	}
}

// A packet whose segments are broken is dropped whole.
func TestBrokenSegments(t *testing.T) {
	b, pack := joined(t)
	b.arrive(clientAddr, pack(wire.Both, 2, 3, 0, 1, 2, 3, 'x'))
	b.arrive(clientAddr, pack(wire.Lane, 3, 1, 2, 3))
	if len(b.events) != 0 {
		t.Errorf("events %q", b.events)
	}
}

// A peer that breaks the framing of the reliable lane is told so and ended.
func TestBrokenLane(t *testing.T) {
	b, pack := joined(t)
	segment := []byte{1, 0, 0, 0, 81, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff}
	b.arrive(clientAddr, pack(wire.Lane, 2, segment...))
	if !errors.Is(b.err, transport.ErrTooLong) || len(b.Endpoint.conns) != 0 {
		t.Errorf("%v, %d connections", b.err, len(b.Endpoint.conns))
	}
	if p, err := wire.ParsePacket(b.last()); err != nil || p.Kind != wire.Close || wire.Cause(p.Reason[0]) != wire.Broken {
		t.Errorf("the peer is told %+v, %v", p, err)
	}
}

// A flood of every kind of packet makes no session, sends less than it
// receives, and leaves no memory behind.
func TestFlood(t *testing.T) {
	b := listening(t)
	rng := rand.New(rand.NewPCG(3, 4))
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	received := 0
	good := hello(1).Append(nil)
	p := make([]byte, transport.MaxPacket)
	for i := range 100_000 {
		switch i % 4 {
		case 0:
			copy(p, good)
			p[3], p[4], p[5] = byte(i), byte(i>>8), byte(i>>16)
		default:
			for j := range p {
				p[j] = byte(rng.Uint32())
			}
			p[0] = byte(i / 4)
		}
		n := len(p)
		if i%4 > 1 {
			n = rng.IntN(len(p))
		}
		received += n
		b.Arrive(b.now, netip.AddrPortFrom(strangers.Addr(), uint16(i)), p[:n])
		if i%1000 == 0 {
			b.now += 10 * time.Millisecond
			b.Poll(b)
			b.Tick()
		}
	}
	b.now += transport.HalfOpenTimeout
	b.Poll(b)
	b.Poll(b) // the second slab
	if len(b.events) != 0 || len(b.Endpoint.conns)+len(b.byID)+len(b.asked) != 0 {
		t.Errorf("%d connections after a flood; events %q", len(b.Endpoint.conns), b.events)
	}
	if b.bytes*10 > received {
		t.Errorf("%d bytes out for %d in", b.bytes, received)
	}
	b.sent, b.to = nil, nil
	b.Poll(b)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 512<<10 {
		t.Errorf("%d bytes kept after a flood", grown)
	}
}

// While the game does not poll, what waits is bounded.
func TestInboxIsBounded(t *testing.T) {
	b, pack := joined(t)
	p := pack(wire.Datagram, 2, make([]byte, 1000)...)
	for range 10_000 {
		b.Arrive(b.now, clientAddr, p)
	}
	if n := len(b.inbox.fill.bytes); n > transport.MaxInbox || b.inbox.dropped == 0 {
		t.Errorf("%d bytes wait, %d packets dropped", n, b.inbox.dropped)
	}
}

func TestReplayWindow(t *testing.T) {
	for seed := range uint64(20) {
		rng := rand.New(rand.NewPCG(seed, 5))
		var w replayWindow
		seen := map[uint64]bool{}
		highest := uint64(0)
		for i := range 20_000 {
			seq := uint64(1)
			switch rng.IntN(20) {
			case 0:
				seq = highest + uint64(rng.IntN(3000))
			case 1, 2, 3:
				seq = uint64(max(1, int64(highest)-int64(rng.IntN(2000))))
			default:
				seq = uint64(max(1, int64(highest)+int64(rng.IntN(40))-20))
			}
			want := seq > highest || highest-seq < transport.ReplayWindow && !seen[seq]
			if got := w.accept(seq); got != want {
				t.Fatalf("seed %d, step %d: %d with highest %d: %v, want %v", seed, i, seq, highest, got, want)
			}
			seen[seq] = true
			highest = max(highest, seq)
		}
	}
}

func TestDatagramMisuse(t *testing.T) {
	for name, f := range map[string]func(c transport.Conn){
		"without Next": func(c transport.Conn) { c.Datagram(nil) },
		"too long":     func(c transport.Conn) { c.Next(); c.Datagram(make([]byte, transport.MaxPayload+1)) },
	} {
		b, _ := joined(t)
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("a datagram %s does not panic", name)
				}
			}()
			f(b.conns[0])
		}()
	}
}

// Whatever arrives, an endpoint does not panic, and answers strangers with less
// than they sent.
func FuzzEndpoint(f *testing.F) {
	_, pack := joined(f)
	f.Add(hello(1).Append(nil), true)
	f.Add(pack(wire.Datagram, 2, 'x'), true)
	f.Add(pack(wire.Close, 2, 1, 'x'), true)
	f.Add(pack(wire.Both, 2, 1, 0, 2, 3), true)
	client := dialled(f)
	m, _ := wire.ParseHello(client.sent[0])
	f.Add(wire.AcceptMessage{Attempt: m.Attempt, ID: 5}.Append(nil), false)
	f.Add(wire.RefuseMessage{Version: 1, Attempt: m.Attempt, Reason: wire.OtherSchema, Detail: []byte("d")}.Append(nil), false)
	f.Fuzz(func(t *testing.T, p []byte, listens bool) {
		b, from := dialled(t), serverAddr
		if listens {
			b, _ = joined(t)
			from = clientAddr
		}
		for i, a := range []netip.AddrPort{strangers, from, from} {
			before := b.bytes
			b.arrive(a, p)
			if i == 0 && b.bytes-before > len(p) {
				t.Fatalf("%d bytes answer %d", b.bytes-before, len(p))
			}
			b.now += 100 * time.Millisecond
			b.Tick()
			for _, c := range b.conns {
				c.Next()
				c.Datagram(nil)
				c.Flush()
			}
		}
	})
}
