package endpoint

// Connections: the room beside the lane, what a packet may hold, figures, and their end.

import (
	"bytes"
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/lane"
)

// A message of any length goes in the datagram's packet if it leaves MinRoom, else in
// its own. A datagram as long as the room shares a packet with it; a longer one does not.
// Here are the lengths at which something changes; at length (make soak) all come.
func TestRoomBesideTheLane(t *testing.T) {
	for _, edge := range []int{0, 128, mostBeside - lane.HeaderSize - 2, lane.MaxChunk - 2} {
		for size := max(0, edge-4); size <= min(edge+4, lane.MaxChunk-3); size++ {
			for more := range 2 {
				roomBeside(t, t.Fatalf, size, more)
			}
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		roomBeside(t, rt.Fatalf, rapid.IntRange(0, lane.MaxChunk-3).Draw(rt, "size"), rapid.IntRange(0, 1).Draw(rt, "more"))
	})
}

const mostBeside = transport.MaxPayload - 2 - transport.MinRoom // bytes of segments beside a datagram

// roomBeside sends a message of size bytes, and a datagram that is more longer than the room
// beside it, on a connection of its own.
func roomBeside(t *testing.T, fatalf func(string, ...any), size, more int) {
	b, peer := joinedBy(t)
	c := b.conns[0]
	if err := c.Reliable(make([]byte, size)); err != nil {
		fatalf("%v", err)
	}
	segment := lane.HeaderSize + 1 + size
	if size > 127 {
		segment++ // the length of its length
	}
	b.sent = nil
	_, room := c.Next()
	if segment > mostBeside {
		if room != transport.MaxPayload || len(b.sent) != 1 || len(b.sent[0]) != transport.OverheadDown+segment {
			fatalf("a message of %d bytes: room %d, %d packets are sent, want it alone", size, room, len(b.sent))
		}
		return
	}
	if room != transport.MaxPayload-2-segment || len(b.sent) != 0 {
		fatalf("a message of %d bytes: room %d, %d packets are sent, want it beside a datagram", size, room, len(b.sent))
	}
	c.Datagram(make([]byte, room+more))
	p, _, err := peer.Open(b.last())
	if err != nil || len(b.sent) != 1 || len(p.Datagram) != room+more || len(p.Segments) != segment*(1-more) {
		fatalf("a message of %d bytes and a datagram %d longer than the room: %d packets, %d bytes of segments, %d of a datagram, %v",
			size, more, len(b.sent), len(p.Segments), len(p.Datagram), err)
	}
	if c.Flush(); len(b.sent) != 1+more {
		fatalf("a message of %d bytes leaves in %d packets", size, len(b.sent))
	}
}

// A connection that has ended sends nothing after its Close packets, whatever waited.
func TestEndedSendsNothing(t *testing.T) {
	b, _ := joined(t)
	c := b.conns[0]
	c.Next()
	for range 5 {
		c.Reliable(bytes.Repeat([]byte("x"), lane.MaxChunk))
	}
	c.Close("over")
	b.sent = nil
	c.Datagram([]byte("late"))
	c.Next()
	c.Datagram([]byte("late"))
	c.Flush()
	c.Close("twice")
	b.Poll(b)
	if len(b.sent) != 0 || len(b.events) != 1 {
		t.Errorf("it sends %x; told %q", b.sent, b.events)
	}
	if err := c.Reliable(nil); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("a message on it: %v", err)
	}
}

// The figures of a connection are right, also after its end.
func TestStats(t *testing.T) {
	b, pack := joined(t)
	c := b.conns[0]
	for seq := uint64(2); seq <= 101+transport.LossSkip; seq += 2 { // half of them are lost
		b.arrive(clientAddr, pack(wire.Keepalive, seq))
	}
	want := c.Stats()
	for range lane.MaxWaiting + 3 { // each a segment of its own; the machine takes no more than it may have
		c.Reliable(make([]byte, lane.MaxChunk-2))
	}
	c.Flush()
	const segments = lane.MaxWaiting * (lane.HeaderSize + lane.MaxChunk)
	const packets = segments + lane.MaxWaiting*transport.OverheadDown
	want.BytesOut += packets
	want.PacketsOut += lane.MaxWaiting
	want.ReliableOut, want.ReliableQueued, want.ReliableWaiting = segments, 3, (lane.MaxWaiting+3)*lane.MaxChunk
	check := func() {
		t.Helper()
		if got := c.Stats(); got != want || got.Transport != "test" || got.Local != "here" || got.Remote != clientAddr.String() || got.LossIn < .45 || got.LossIn > .55 {
			t.Errorf("%+v, want %+v, half of what came in lost", got, want)
		}
		if sent, held := c.LaneBytes(); sent != packets || held != 3*lane.MaxChunk {
			t.Errorf("the lane has sent %d bytes and holds %d, want %d and %d", sent, held, packets, 3*lane.MaxChunk)
		}
	}
	check()
	c.Close("over")
	want.BytesOut += uint64(transport.OverheadDown + 1 + len("over"))
	want.PacketsOut++
	check()
}

// SetLoss makes the lane send new segments twice. The message is longer than what is repeated in any case.
func TestSetLoss(t *testing.T) {
	for loss, want := range map[float64]int{0: 1, lane.RepeatAbove: 2} {
		b, _ := joined(t)
		c := b.conns[0]
		c.(transport.LossAware).SetLoss(loss)
		c.Reliable(make([]byte, lane.FirstSize))
		b.sent = nil
		for range 3 {
			c.Flush()
			b.now += lane.RepeatAfter
		}
		if len(b.sent) != want {
			t.Errorf("loss %v: a message is said %d times, want %d", loss, len(b.sent), want)
		}
	}
}

// An asker uses, inside Closed, a connection that was never Connected.
type asker struct{ *bench }

func (a asker) Closed(c transport.Conn, err error) {
	a.bench.Closed(c, err)
	c.(transport.LossAware).SetLoss(1)
	c.Next()
	c.Datagram(nil)
	c.Flush()
	c.Close("")
	a.conns = append(a.conns, c)
}

// A connection that was never Connected has figures and sends nothing.
func TestNeverConnected(t *testing.T) {
	b := dialled(t)
	b.pass(transport.ConnectTimeout)
	b.sent = nil
	a := asker{b}
	b.Poll(a)
	b.Poll(a)
	if len(b.events) != 1 || len(b.sent) != 0 {
		t.Fatalf("told %q; it sends %x", b.events, b.sent)
	}
	c := b.conns[0]
	if s := c.Stats(); s.Remote != serverAddr.String() || s.PacketsOut != 0 || s.ReliableOut != 0 {
		t.Errorf("%+v", s)
	}
	if sent, held := c.LaneBytes(); sent != 0 || held != 0 {
		t.Errorf("the lane has sent %d bytes and holds %d", sent, held)
	}
	if err := c.Reliable(nil); !errors.Is(err, transport.ErrClosed) {
		t.Errorf("a message on it: %v", err)
	}
}
