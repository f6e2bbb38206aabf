package link

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The newest sends to a peer, and which of them the peer has in full. A line of a row starts
// from a version that both ends know (rowtype/line.go). A peer has versions of which the
// authority does not know, or not yet: packets may be on their way, and so may acks. So a
// line needs a window of sends directly below the base packet's, of which the peer has
// applied every packet: a version from within is at both ends.

const (
	// windowMost is how long a window may be, in ticks.
	windowMost = 127

	// talliesLen is how many sends' packets are counted: half a second of them at 60 Hz.
	talliesLen = 32
)

// A tally counts the packets of one tick.
type tally struct {
	number      uint32 // 0: nothing was counted
	tick        ids.Tick
	sent, acked uint16
}

// Sends are the newest sends, and the window of the packets of this one.
type Sends struct {
	Window       Window
	windowOf     uint32            // the send (Store.Send) that the window belongs to
	newest, base uint32            // the numbers of the newest send and of the base packet's
	recent       [talliesLen]tally // by number
}

// A Window is what both ends know to be at the peer.
type Window struct {
	Since uint32 // the tick of the oldest of its sends
	Sends uint8  // how many there are below the base packet's; 0: there are no lines
	Step  uint8  // the ticks from the newest of them to the base packet
}

// count counts a new packet, and returns the number by which its ack is counted.
func (s *Sends) count(tick ids.Tick) uint32 {
	if t := &s.recent[s.newest%talliesLen]; s.newest > 0 && t.number == s.newest && t.tick == tick {
		t.sent++
		return s.newest
	}
	s.newest++
	s.recent[s.newest%talliesLen] = tally{number: s.newest, tick: tick, sent: 1}
	return s.newest
}

// ack counts the ack of a packet. Of one of which the peer skipped speculative updates it is not known which
// of them it has.
func (s *Sends) ack(r *Record, base uint64, skipped bool) {
	if t := &s.recent[r.tally%talliesLen]; t.number == r.tally && !skipped {
		t.acked++
	}
	if r.Seq == base {
		s.base = r.tally
	}
}

// Touch reads what acks and the next send need. The result is of no use.
func (s *Sends) Touch() uint32 {
	return s.windowOf + s.recent[s.base%talliesLen].number + s.recent[(s.newest+1)%talliesLen].number
}

// SetWindow sets the window of the packets of a send, empty where there are no lines.
func (s *Sends) SetWindow(l *Link, send uint32, lines bool) {
	s.Window, s.windowOf = Window{}, send
	if l.BaseTick == 0 || !lines {
		return
	}
	for i := range l.Blocks {
		if l.Blocks[i].Tick+windowMost > l.BaseTick {
			return // what it carries may come at any time
		}
	}
	w := &s.Window
	for w.Sends < wire.LineSends {
		n := s.base - uint32(w.Sends) - 1
		t := &s.recent[n%talliesLen]
		if t.number != n || n == 0 || t.acked < t.sent || l.BaseTick-t.tick > windowMost {
			return
		}
		if w.Since = uint32(t.tick); w.Sends == 0 {
			w.Step = uint8(l.BaseTick - t.tick)
		}
		w.Sends++
	}
}

// InWindow is how many sends the window of a packet of a send has: none if that was not planned.
func (s *Sends) InWindow(send uint32) uint32 {
	if s.windowOf != send {
		return 0
	}
	return uint32(s.Window.Sends)
}
