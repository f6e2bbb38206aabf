package link

import (
	"math"
	"math/bits"

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
	full         uint32            // bit n%talliesLen: all packets of the newest send of that place are acked
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
		s.full &^= 1 << (s.newest % talliesLen)
		return s.newest
	}
	s.newest++
	s.full &^= 1 << (s.newest % talliesLen)
	s.recent[s.newest%talliesLen] = tally{number: s.newest, tick: tick, sent: 1}
	return s.newest
}

// ack counts the ack of a packet. Of one of which the peer skipped speculative updates it is not known which
// of them it has.
func (s *Sends) ack(r *Record, base uint64, skipped bool) {
	if t := &s.recent[r.tally%talliesLen]; t.number == r.tally && !skipped {
		if t.acked++; t.acked == t.sent {
			s.full |= 1 << (r.tally % talliesLen)
		}
	}
	if r.Seq == base {
		s.base = r.tally
	}
}

// Outruns reports whether so many sends have left since the base packet's that the peer may have let go of what that
// carried, to make room for what came since. A version may go in several sends, and is kept of each.
func (s *Sends) Outruns() bool { return s.newest-s.base >= wire.SafeBases }

// forget has no send counted any more.
func (s *Sends) forget() { s.recent, s.full = [talliesLen]tally{}, 0 }

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
	// The sends below the base packet's, of which the newest stands for the highest bit, as far down
	// as they are counted.
	n := uint32(bits.LeadingZeros32(^bits.RotateLeft32(s.full, -int(s.base%talliesLen))))
	n = min(n, wire.LineSends, s.base-min(s.base, 1), talliesLen-1-min(s.newest-s.base, talliesLen-1))
	for ; n > 0; n-- {
		if since := s.recent[(s.base-n)%talliesLen].tick; l.BaseTick-since <= windowMost {
			s.Window = Window{Since: uint32(since), Sends: uint8(n), Step: uint8(l.BaseTick - s.recent[(s.base-1)%talliesLen].tick)}
			return
		}
	}
}

// Lines returns the tick and the step of the window: no tick is as late where it is empty.
func (s *Sends) Lines() (since, step uint32) {
	if s.Window.Sends == 0 {
		return math.MaxUint32, 0
	}
	return s.Window.Since, uint32(s.Window.Step)
}

// InWindow is how many sends the window of a packet of a send has: none if that was not planned.
func (s *Sends) InWindow(send uint32) uint32 {
	if s.windowOf != send {
		return 0
	}
	return uint32(s.Window.Sends)
}
