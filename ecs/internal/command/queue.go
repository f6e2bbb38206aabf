package command

import "math/bits"

// Kept is of how many ticks the commands are kept, at so many steps a second: a power of two, and of two
// seconds at least, which is longer than any lead that is allowed, and than replays go back. A client
// that is farther ahead than half of that is refused, not waited for.
func Kept(steps int) int { return 128 << bits.Len(uint(steps-1)/64) }

// OwnerKeeps is of how many ticks the owner keeps what it has made for a server that keeps so many. It goes
// on for a second or two while a server stands, and one that makes up for it then runs all of them.
func OwnerKeeps(kept int) int { return 2 * kept }

// Most is of how many ticks one message tells at most, half a second or more: a command that is repeated
// in so many outlives any burst of losses that still lets anybody play. With as many messages a peer is
// heard in one step: a client that runs again after a stall sends some at once, and a flood is none of it.
func Most(steps int) int { return Kept(steps) / 4 }

// An Entry is one tick's command.
type Entry[A any] struct {
	Tick  uint32
	Value A
	Drawn Drawn
	// Pressed is, where presses of a command that came late count in this one, that
	// command's tick; else 0.
	Pressed uint32
}

// A Queue keeps the commands of one node until their ticks, on the server; on the owner it
// keeps those that were made, for messages and replays.
type Queue[A any] struct {
	ring []Entry[A] // Kept of them, by tick
	done uint32     // the newest tick that was taken
	last Entry[A]
}

// Verdict is what becomes of a command that has come.
type Verdict uint8

const (
	Taken   Verdict = iota
	Doubled         // it was here already
	Late            // its tick has passed
	Early           // it is farther ahead than any client is
	Former          // it was on its way when the node, or the component that it is for, was taken from its player
	Refused         // no client gives it
)

// NewQueue returns a queue that keeps the commands of so many ticks (see Kept).
func NewQueue[A any](kept int) Queue[A] { return Queue[A]{ring: make([]Entry[A], kept)} }

func (q *Queue[A]) slot(tick uint32) *Entry[A] { return &q.ring[tick&uint32(len(q.ring)-1)] }

// ahead is how many ticks before its time a command is taken.
func (q *Queue[A]) ahead() uint32 { return uint32(len(q.ring) / 2) }

// Put keeps a command for its tick; now is the tick that is about to run.
func (q *Queue[A]) Put(now uint32, e Entry[A]) Verdict {
	s := q.slot(e.Tick)
	switch {
	case e.Tick > now+q.ahead():
		return Early
	case q.Knows(now, e.Tick): // of one that old nothing is known any more
		return Doubled
	case e.Tick < now:
		if s.Tick < e.Tick { // noted, so that its copies are no more than that
			*s = e
		}
		return Late
	}
	*s = e
	return Taken
}

// Knows reports whether a command would be a repeat.
func (q *Queue[A]) Knows(now, tick uint32) bool {
	return q.slot(tick).Tick == tick || tick+q.ahead() <= now
}

// Set keeps a command whatever was there.
func (q *Queue[A]) Set(e Entry[A]) { *q.slot(e.Tick) = e }

// At returns the command of a tick, if it is here.
func (q *Queue[A]) At(tick uint32) (*Entry[A], bool) {
	s := q.slot(tick)
	return s, s.Tick == tick && tick != 0
}

// Take returns the command of a tick to run, once. If it has not come, it is that of the
// tick before, for at most hold ticks; then it is the zero value. missing reports that.
func (q *Queue[A]) Take(tick, hold uint32) (e Entry[A], missing bool) {
	if s, ok := q.At(tick); ok && tick > q.done {
		q.done, q.last = tick, *s
		return *s, false
	}
	q.done = max(q.done, tick)
	if e = q.last; q.last.Tick == 0 || tick > q.last.Tick+hold {
		var none A
		e.Value = none
	}
	e.Tick = tick
	return e, true
}

// HasAny reports whether any command was taken yet.
func (q *Queue[A]) HasAny() bool { return q.last.Tick != 0 }
