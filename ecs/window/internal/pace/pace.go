// Package pace turns time into fixed steps and into drawn frames. A window's
// updates come 8 to 29 ms apart, and none come while it is dragged or hidden, so
// nothing here counts them.
package pace

import (
	"fmt"
	"time"
)

// maxDebt is how much time is made up for at most (two steps where that is
// more). After a hitch a server has to catch up: its clients know the time, and
// would be ahead of it. After a longer gap the rest is given up, else a machine
// that is too slow would only fall further behind.
const maxDebt = time.Second

// Steps says how many fixed steps are due. The zero value is not usable; give
// Hz.
type Steps struct {
	Hz int // steps per second

	started bool
	begin   time.Duration // of the count below
	done    int64         // steps since begin
}

// Due is how many steps to take at now, a clock that never runs backwards.
// Each step is due at its own multiple of 1/Hz, so that no rounding adds up.
func (s *Steps) Due(now time.Duration) int {
	if !s.started {
		s.started, s.begin = true, now
	}
	due := int64(now-s.begin)*int64(s.Hz)/int64(time.Second) - s.done
	if most := max(2, int64(maxDebt)*int64(s.Hz)/int64(time.Second)); due > most {
		s.begin, s.done, due = now, 0, most
		return int(due)
	}
	s.done += due
	return int(due)
}

// Common is the steps a second that the sessions of a window make, which take their
// steps together.
func Common(rates []int) (hz int, err error) {
	for _, n := range rates {
		if n != rates[0] {
			return 0, fmt.Errorf("window: sessions of %d and of %d steps a second: give all of them the same Config.Steps", rates[0], n)
		}
	}
	return rates[0], nil
}

// Limit says whether a frame is to be drawn, at most so many per second; 0 is
// no limit.
type Limit struct {
	FPS int

	next time.Duration
}

// Draw reports whether to draw at now, and counts it as drawn.
func (l *Limit) Draw(now time.Duration) bool {
	if l.FPS <= 0 {
		return true
	}
	if now < l.next {
		return false
	}
	every := time.Second / time.Duration(l.FPS)
	if l.next += every; l.next < now {
		l.next = now + every // behind: no burst afterwards
	}
	return true
}
