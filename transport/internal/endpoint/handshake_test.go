package endpoint

import (
	"bytes"
	"errors"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

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

// The checks of a HELLO have an order: of two faults the first is answered. A packet
// that is not a HELLO gets no answer.
func TestOrderOfChecks(t *testing.T) {
	const none = wire.Reason(0)
	version := func(b []byte) { b[1]++ }
	padding := func(b []byte) { b[len(b)-1] = 1 }
	cookie := func(b []byte) { b[27] = 1 }
	game := func(b []byte) { b[11]++ }
	schema := func(b []byte) { b[19]++ }
	for _, x := range []struct {
		name   string
		spoil  []func([]byte)
		full   bool
		reason wire.Reason // none: no answer
	}{
		{"version before padding", []func([]byte){version, padding, game}, true, wire.OtherVersion},
		{"padding before the game", []func([]byte){padding, game}, true, none},
		{"the cookie's place before the schema", []func([]byte){cookie, schema}, true, none},
		{"the game before the schema", []func([]byte){schema, game}, true, wire.OtherGame},
		{"the schema before the room", []func([]byte){schema}, true, wire.OtherSchema},
		{"the room", nil, true, wire.Full},
		{"a direction", []func([]byte){func(b []byte) { b[0] |= wire.FromListener }}, false, none},
	} {
		b := &bench{}
		o := offer()
		o.Room = func([]byte, int) bool { return !x.full }
		told := 0
		o.Refused = func(remote netip.AddrPort, why error) {
			told++
			if remote != clientAddr || why != refusals[x.reason] || why == nil {
				t.Errorf("%s: told of %v, %v", x.name, remote, why)
			}
		}
		e, err := Listen(b.config(), o)
		if err != nil {
			t.Fatal(err)
		}
		b.Endpoint = e
		p := hello(9).Append(nil)
		for _, f := range x.spoil {
			f(p)
		}
		b.arrive(clientAddr, p, p[:len(p)-1], append(bytes.Clone(p), 0))
		switch m, err := wire.ParseRefuse(b.last()); {
		case x.reason == none && (len(b.sent) != 0 || b.Counters().Ignored != 3):
			t.Errorf("%s: answered with %x, %d ignored", x.name, b.sent, b.Counters().Ignored)
		case x.reason != none && (len(b.sent) != 1 || err != nil || m.Reason != x.reason || b.Counters().Ignored != 2):
			t.Errorf("%s: %d answers, %+v, %v, %d ignored", x.name, len(b.sent), m, err, b.Counters().Ignored)
		}
		if len(b.Endpoint.conns) != 0 || told != len(b.sent) {
			t.Errorf("%s: %d connections, %d refusals told", x.name, len(b.Endpoint.conns), told)
		}
	}
}

// A connection id is not 0 and differs from all others.
func TestIDsDiffer(t *testing.T) {
	b := &bench{}
	c := b.config()
	random := []uint64{0, 7, 1 << 32, 7, 1<<32 + 7, 8}
	c.Random = func() uint64 {
		x := random[0]
		random = random[1:]
		return x
	}
	e, err := Listen(c, offer())
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	b.arrive(clientAddr, hello(1).Append(nil), hello(2).Append(nil))
	for i, want := range []uint32{7, 8} {
		if m, err := wire.ParseAccept(b.sent[i]); err != nil || m.ID != want {
			t.Errorf("connection %d: %+v, %v", i, m, err)
		}
	}
}

// Repeats of a HELLO get the same answer. The client's next packet makes it Connected,
// once.
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

// Room gets the hello and the number of connections, so it can let in some clients
// where others are refused.
func TestRoom(t *testing.T) {
	b := &bench{}
	o := offer()
	var asked []int
	o.Room = func(hello []byte, conns int) bool {
		asked = append(asked, conns)
		return string(hello) == "Ada" || conns == 0
	}
	e, err := Listen(b.config(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	bob, ann := hello(2), hello(5)
	bob.Hello, ann.Hello = []byte("Bob"), []byte("Ann")
	b.arrive(clientAddr, bob.Append(nil))
	a, err := wire.ParseAccept(b.last())
	if err != nil {
		t.Fatal(err)
	}
	// A place that is only half-open is no reason to refuse.
	b.sent = nil
	if b.arrive(strangers, ann.Append(nil)); len(b.sent) != 0 || b.Counters().Ignored != 1 {
		t.Errorf("beside one half open: %x, %d ignored", b.sent, b.Counters().Ignored)
	}
	b.arrive(clientAddr, wire.End(wire.Begin(nil, wire.Keepalive, false, a.ID, 1)))
	b.arrive(strangers, ann.Append(nil))
	if m, err := wire.ParseRefuse(b.last()); err != nil || m.Reason != wire.Full || m.Attempt != 5 {
		t.Errorf("refused with %+v, %v", m, err)
	}
	b.arrive(strangers, hello(4).Append(nil), hello(4).Append(nil))
	if m, err := wire.ParseAccept(b.last()); err != nil || m.Attempt != 4 {
		t.Errorf("not let in: %+v, %v", m, err)
	}
	if !slices.Equal(asked, []int{0, 0, 1, 1, 1}) { // a repeat is no question
		t.Errorf("asked with %v connections", asked)
	}
}

// While half-open connections take all places, a listener leaves further HELLOs without
// an answer; it does not refuse them as full.
func TestHalfOpenIsNotFull(t *testing.T) {
	b := &bench{}
	o := offer()
	o.MaxPeers = 2
	e, err := Listen(b.config(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	b.arrive(strangers, hello(1).Append(nil), hello(2).Append(nil))
	b.sent = nil
	if b.arrive(clientAddr, hello(3).Append(nil)); len(b.sent) != 0 {
		t.Errorf("answered with %x", b.sent)
	}
	b.now += transport.HalfOpenTimeout
	b.arrive(clientAddr)
	b.arrive(clientAddr, hello(3).Append(nil))
	if m, err := wire.ParseAccept(b.last()); err != nil || m.Attempt != 3 {
		t.Errorf("not let in: %+v, %v", m, err)
	}
}

// When the listener's game stalls during a handshake, the half-open timeout begins with
// its answer.
func TestListenerStallsInTheHandshake(t *testing.T) {
	b := listening(t)
	b.Arrive(b.now, clientAddr, hello(1).Append(nil))
	b.now += transport.ConnectTimeout - transport.HelloInterval
	b.Poll(b)
	a, err := wire.ParseAccept(b.last())
	if err != nil {
		t.Fatal(err)
	}
	b.now += 100 * time.Millisecond
	b.arrive(clientAddr, wire.End(wire.Begin(nil, wire.Keepalive, false, a.ID, 1)))
	if len(b.events) != 1 || b.events[0] != "connected Ada" {
		t.Errorf("the client is not in: %q", b.events)
	}
}

// A client whose game stalls keeps sending HELLOs and always gets the same answer, so
// the first answer that it reads is valid.
func TestClientStallsInTheHandshake(t *testing.T) {
	b := listening(t)
	for range 4 * transport.SilenceTimeout / transport.HelloInterval {
		b.arrive(clientAddr, hello(1).Append(nil))
		b.now += transport.HelloInterval
	}
	for _, p := range b.sent {
		if !bytes.Equal(p, b.sent[0]) {
			t.Fatalf("answers %x, %x", b.sent[0], p)
		}
	}
	c := dialled(t)
	m, _ := wire.ParseHello(c.sent[0])
	accept := wire.AcceptMessage{Attempt: m.Attempt, ID: 5}.Append(nil)
	c.Arrive(c.now, serverAddr, accept)
	c.now += 2 * transport.SilenceTimeout
	c.Arrive(c.now, serverAddr, accept)
	c.now += 100 * time.Millisecond
	c.Poll(c)
	c.Poll(c)
	if len(c.events) != 1 || c.events[0] != "connected " {
		t.Errorf("%q, %v", c.events, c.err)
	}
}

// A spoofed HELLO takes a half-open place for a while, never a session.
func TestHalfOpen(t *testing.T) {
	b := listening(t)
	for i := range 300 {
		from := netip.AddrPortFrom(strangers.Addr(), uint16(1000+i))
		b.arrive(from, hello(uint64(i)).Append(nil))
	}
	if n := len(b.Endpoint.conns); n != transport.MaxHalfOpen {
		t.Errorf("%d half-open connections", n)
	}
	b.sent, b.now = nil, b.now+transport.Keepalive
	if b.Tick(); len(b.sent) != 0 {
		t.Errorf("who has not been heard again is sent %x", b.sent)
	}
	b.now += transport.HalfOpenTimeout - transport.Keepalive
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
	// Answers from another address or to another attempt are ignored.
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
