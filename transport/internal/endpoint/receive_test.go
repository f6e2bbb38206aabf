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
	"github.com/tendonengine/tendon/transport/internal/seal"
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
		for at := range p {
			for bit := range 8 {
				bad := bytes.Clone(p)
				bad[at] ^= 1 << bit
				if b.arrive(clientAddr, bad, bad); len(b.events)+len(b.sent) != 0 {
					t.Fatalf("kind %d, bit %d of byte %d: %q, answered with %x", x.kind, bit, at, b.events, b.sent)
				}
			}
			if b.arrive(clientAddr, p[:at]); len(b.events)+len(b.sent) != 0 {
				t.Fatalf("kind %d cut at %d: %q, answered with %x", x.kind, at, b.events, b.sent)
			}
		}
		other := listening(t).accepted(t, clientAddr, 77)
		foreign := other.Seal(x.kind, 9, x.payload...)
		copy(foreign, p[:wire.HeaderUp])
		for name, bad := range map[string][]byte{"another's key": foreign, "a byte more": append(bytes.Clone(p), 1)} {
			if b.arrive(clientAddr, bad, bad); len(b.events)+len(b.sent) != 0 {
				t.Errorf("kind %d, %s: %q, answered with %x", x.kind, name, b.events, b.sent)
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
	segment := make([]byte, lane.HeaderSize) // of no conversation
	malformed := func(pack packer, i uint64) []byte {
		switch i % 4 {
		case 0:
			tagged := pack(wire.Keepalive, i)
			tagged[len(tagged)-1] ^= 1
			return tagged
		case 1:
			return pack(wire.Keepalive, i, 1)
		case 2:
			return pack(wire.Lane, i, segment...)
		}
		return pack(wire.Both, i, append([]byte{lane.HeaderSize, 0}, segment...)...)
	}
	for i := uint64(2); b.now < transport.SilenceTimeout; i++ {
		b.arrive(clientAddr, malformed(pack, i))
		b.pass(transport.Keepalive)
	}
	if b.Poll(b); !errors.Is(b.err, transport.ErrTimeout) {
		t.Errorf("told %v in %v", b.err, b.now)
	}

	b = listening(t)
	c := b.accepted(t, clientAddr, 1)
	for i := range uint64(4) {
		b.Arrive(b.now, Path{Remote: clientAddr}, malformed(c.Seal, 1+i))
	}
	if n := len(b.inbox.fill.records); n != 0 {
		t.Errorf("%d malformed packets wait", n)
	}
	if b.Poll(b); len(b.events) != 0 || b.Counters().Ignored != 4 {
		t.Errorf("events %q, %d ignored", b.events, b.Counters().Ignored)
	}
}

// A whole packet that belongs to no connection does not enter the inbox and keeps no
// connection alive: with an unknown id, a HELLO of another length.
func TestPacketsOfNoConnection(t *testing.T) {
	b, pack := joined(t)
	foreign := pack(wire.Datagram, 2, 'x')
	foreign[1]++
	question := client(2).Hello()
	for b.now < transport.SilenceTimeout {
		b.pass(transport.Keepalive)
		b.Arrive(b.now, Path{Remote: clientAddr}, foreign)
		b.Arrive(b.now, Path{Remote: clientAddr}, question[:len(question)-1])
		b.Arrive(b.now, Path{Remote: clientAddr}, append(bytes.Clone(question), 0))
	}
	want := 3 * uint64(transport.SilenceTimeout/transport.Keepalive)
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
	b, c := joinedBy(t)
	segment := []byte{1, 0, 0, 0, 81, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff}
	b.arrive(clientAddr, c.Say(wire.Lane, segment...))
	if !errors.Is(b.err, transport.ErrTooLong) || len(b.Endpoint.conns) != 0 {
		t.Errorf("%v, %d connections", b.err, len(b.Endpoint.conns))
	}
	if p, _, err := c.Open(b.last()); err != nil || p.Kind != wire.Close || wire.Cause(p.Reason[0]) != wire.Broken {
		t.Errorf("the peer is told %+v, %v", p, err)
	}
}

// A peer that times out is told so, in case it can still receive: both ends get
// ErrTimeout, and neither has closed the connection.
func TestTimeoutIsNoFarewell(t *testing.T) {
	b, c := joinedBy(t)
	b.pass(transport.SilenceTimeout)
	b.Poll(b)
	p, _, err := c.Open(b.last())
	if err != nil || p.Kind != wire.Close || wire.Cause(p.Reason[0]) != wire.Unheard || !errors.Is(b.err, transport.ErrTimeout) {
		t.Errorf("told %v here, %+v, %v there", b.err, p, err)
	}
}

func TestTimeoutIsReported(t *testing.T) {
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
		b.pass(transport.Keepalive)
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
// bytes than they sent, or with three times as many if what they sent is genuine.
func FuzzEndpoint(f *testing.F) {
	_, pack := joined(f)
	f.Add(client(1).Hello(), true)
	f.Add(pack(wire.Datagram, 2, 'x'), true)
	f.Add(pack(wire.Close, 2, 1, 'x'), true)
	f.Add(pack(wire.Both, 2, 1, 0, 2, 3), true)
	asks := dialled(f)
	m, _ := wire.ParseHello(asks.sent[0])
	f.Add(wire.AcceptMessage{Attempt: m.Attempt, Noise: make([]byte, 70)}.Append(nil), false)
	f.Add(wire.RefuseMessage{Version: 1, Attempt: m.Attempt}.Append(nil), false)
	f.Add(wire.ChallengeMessage{Attempt: m.Attempt, Key: seal.Key{1}}.Append(nil), false)
	f.Fuzz(func(t *testing.T, p []byte, listens bool) {
		b, from := dialled(t), serverAddr
		if listens {
			b, _ = joined(t)
			from = clientAddr
		}
		for i, a := range []netip.AddrPort{strangers, from, from} {
			before := b.bytes
			b.arrive(a, p)
			if i == 0 && b.bytes-before > transport.PathFactor*len(p) && listens {
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
