package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/lane"
)

// Each kind of packet has the right effect on a listener with one client, first valid
// and then spoiled in every way that a network or a stranger can.
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

// A malformed packet opens no connection and keeps none alive, even with the right
// address, id and sequence number.
func TestMalformedKeepsNobodyAlive(t *testing.T) {
	b, pack := joined(t)
	tagged := pack(wire.Keepalive, 0)
	tagged[len(tagged)-1] = 1
	segment := make([]byte, lane.HeaderSize) // of no conversation
	malformed := [][]byte{
		tagged, pack(wire.Keepalive, 0, 1), pack(wire.Lane, 0, segment...),
		pack(wire.Both, 0, append([]byte{lane.HeaderSize, 0}, segment...)...),
	}
	for i := 0; b.now < transport.SilenceTimeout; i++ {
		p := malformed[i%len(malformed)]
		p[5] = byte(2 + i) // its number
		b.arrive(clientAddr, p)
		b.now += transport.Keepalive
	}
	if b.Poll(b); !errors.Is(b.err, transport.ErrTimeout) {
		t.Errorf("told %v in %v", b.err, b.now)
	}

	b = listening(t)
	b.arrive(clientAddr, hello(1).Append(nil))
	a, _ := wire.ParseAccept(b.last())
	for i, p := range malformed {
		p = bytes.Clone(p)
		copy(p[1:], wire.Begin(nil, 0, false, a.ID, uint64(1+i))[1:])
		b.Arrive(b.now, clientAddr, p)
	}
	if n := len(b.inbox.fill.records); n != 0 {
		t.Errorf("%d malformed packets wait", n)
	}
	if b.Poll(b); len(b.events) != 0 || b.Counters().Ignored != uint64(len(malformed)) {
		t.Errorf("events %q, %d ignored", b.events, b.Counters().Ignored)
	}
}

// A whole packet that belongs to no connection does not enter the inbox and keeps no
// connection alive: from another address, with an unknown id, a HELLO of another length.
func TestNobodysPackets(t *testing.T) {
	b, pack := joined(t)
	foreign := pack(wire.Datagram, 2, 'x')
	foreign[1]++
	question := hello(2).Append(nil)
	for b.now < transport.SilenceTimeout {
		b.now += transport.Keepalive
		b.Arrive(b.now, strangers, pack(wire.Datagram, 2, 'x'))
		b.Arrive(b.now, clientAddr, foreign)
		b.Arrive(b.now, clientAddr, question[:len(question)-1])
		b.Arrive(b.now, clientAddr, append(bytes.Clone(question), 0))
	}
	want := 4 * uint64(transport.SilenceTimeout/transport.Keepalive)
	if n := len(b.inbox.fill.records); n != 0 || b.Counters().Ignored != want {
		t.Errorf("%d packets of nobody wait, %d are ignored, want %d", n, b.Counters().Ignored, want)
	}
	if b.Poll(b); !errors.Is(b.err, transport.ErrTimeout) {
		t.Errorf("told %v in %v", b.err, b.now)
	}
}

// When a peer breaks the framing of the reliable lane, its connection ends and it is
// told why.
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

// A peer that times out is told so, in case it can still receive: both ends get
// ErrTimeout, and neither has closed the connection.
func TestTimeoutIsNoFarewell(t *testing.T) {
	b, _ := joined(t)
	b.now += transport.SilenceTimeout
	b.Poll(b)
	p, err := wire.ParsePacket(b.last())
	if err != nil || p.Kind != wire.Close || wire.Cause(p.Reason[0]) != wire.Unheard || !errors.Is(b.err, transport.ErrTimeout) {
		t.Errorf("told %v here, %+v, %v there", b.err, p, err)
	}
}

func TestToldOfATimeout(t *testing.T) {
	b, pack := joined(t)
	b.arrive(clientAddr, pack(wire.Close, 2, byte(wire.Unheard)))
	if !errors.Is(b.err, transport.ErrTimeout) || errors.Is(b.err, transport.ErrClosed) || strings.HasSuffix(b.err.Error(), ": ") {
		t.Errorf("told %q", b.err)
	}
}

// Copies of a peer's old packets do not keep its connection alive.
func TestReplaysKeepNobodyAlive(t *testing.T) {
	b, pack := joined(t)
	said := pack(wire.Datagram, 2, 'x')
	for b.now < 2*transport.SilenceTimeout && b.err == nil {
		b.arrive(clientAddr, said)
		b.now += transport.Keepalive
	}
	if !errors.Is(b.err, transport.ErrTimeout) {
		t.Errorf("told %v in %v", b.err, b.now)
	}
}

func TestDatagramMisuse(t *testing.T) {
	for name, f := range map[string]func(c transport.Conn){
		"without Next": func(c transport.Conn) { c.Datagram(nil) },
		"twice":        func(c transport.Conn) { c.Next(); c.Datagram(nil); c.Datagram(nil) },
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

// Whatever arrives, an endpoint does not panic, and it answers strangers with fewer
// bytes than they sent.
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
