// Package pace turns time into fixed steps and into drawn frames, for Replication.Run and
// for windows. A window's
// updates come 8 to 29 ms apart, and none come while it is dragged or hidden, so
// nothing here counts them.
package pace

import (
	"math"
	"time"
)

// maxDebt is the most time that is made up for (or two steps if that is more). After a
// hitch a server has to catch up: its clients know the time, and would be ahead of it.
// After a longer gap the rest is given up; otherwise a machine that is too slow would
// fall further and further behind.
const maxDebt = time.Second

// maxSteps is the most steps that are taken between two frames. Without it a machine that is a little too slow would let
// its debt grow up to maxDebt, and pay it all between two frames, once a second. A hitch
// of a second is made up for in nine updates at 60 steps a second.
const maxSteps = 8

// maxUpdates is the most updates that Ebitengine makes for one frame. After more the window is not drawn at all.
const maxUpdates = 5

// A window's updates mostly come as often as its steps are due, once in so many, or so many times as
// often, some ms early or late. If each took the steps that are due by then, it would be by chance
// whether it takes one more or less: the picture would stutter, or show a key late. So as long as
// updates come about evenly, each takes as many as the others, or every other one takes one, up to
// offClock steps before the clock or behind it. A display of 59.94 Hz takes a step more every 17 s.
const (
	offClock  = 0.75
	meanSteps = 32   // updates, over which their usual distance is known
	mostOff   = 0.15 // of a step, that the mean may be beside a whole number of steps
	mostEvery = 0.03 // of an update, that their number in a step may be beside a whole one
)

// Steps says how many fixed steps are due. Hz must be set.
type Steps struct {
	Hz   int  // steps per second
	Even bool // for the updates of a window: each takes as many steps as the others, if they come evenly

	GivenUp func(steps int) // told of steps that are not made up for; may be nil

	drawn   bool          // Drawn says when frames are
	spent   int           // steps since the last frame
	updates int           // calls since the last frame
	last    time.Duration // the newest call
	usual   float64       // steps between two calls, a mean
	since   float64       // calls since the last that took a step
	started bool
	begin   time.Duration // of the count below
	done    int64         // steps since begin
}

// Due returns how many steps to take at now, a clock that never runs backwards: at most
// maxSteps, since the last frame too where Drawn is called; the rest is due at the next call. Each step is due at
// its own multiple of 1/Hz, so that no rounding errors add up. In a window one is due at once: the first frame
// shows a world.
func (s *Steps) Due(now time.Duration) int {
	if !s.started {
		if s.started, s.begin = true, now; s.Even {
			s.begin -= time.Second / time.Duration(s.Hz)
		}
	}
	due := int64(now-s.begin)*int64(s.Hz)/int64(time.Second) - s.done
	if s.Even {
		due = s.evenly(now)
	}
	if most := max(2, int64(maxDebt)*int64(s.Hz)/int64(time.Second)); due > most {
		if s.GivenUp != nil {
			s.GivenUp(int(due - most))
		}
		s.begin, s.done, due = now, -most, most
	}
	due = min(due, maxSteps)
	if s.updates++; s.drawn && s.updates <= maxUpdates {
		due = min(due, int64(maxSteps-s.spent))
	}
	s.spent += int(due)
	s.done += due
	return int(due)
}

// Drawn notes a frame: Ebitengine makes several updates for one where a machine is slow, each of which would take
// as many steps as it may.
func (s *Steps) Drawn() { s.drawn, s.spent, s.updates = true, 0, 0 }

// evenly is how many steps an update at now takes.
func (s *Steps) evenly(now time.Duration) int64 {
	owed := (now-s.begin).Seconds()*float64(s.Hz) - float64(s.done)
	if between := (now - s.last).Seconds() * float64(s.Hz); s.usual == 0 {
		s.usual = 1
	} else if between > 0 && between < maxSteps { // else it is a hitch, or makes up for one
		s.usual += (between - s.usual) / meanSteps
	}
	s.last = now
	s.since++
	n, every := math.Round(s.usual), math.Round(1/s.usual)
	switch {
	case n >= 1 && math.Abs(s.usual-n) <= mostOff*n && math.Abs(owed-n) <= offClock:
	case s.usual < 1 && math.Abs(1/s.usual-every) <= mostEvery && math.Abs(owed-s.since/every) <= offClock:
		n = float64(int(s.since / every))
	default:
		n = max(0, math.Round(owed))
	}
	if n > 0 {
		s.since = 0
	}
	return int64(n)
}

// Next is when the next step is due, by the clock of Due, after the first Due. It may have
// passed already.
func (s *Steps) Next() time.Duration {
	hz := time.Duration(s.Hz)
	return s.begin + (time.Duration(s.done+1)*time.Second+hz-1)/hz // rounded up: it is due then
}

// Limit says whether a frame is to be drawn, at most FPS a second; 0 is no limit.
type Limit struct {
	FPS int

	next time.Duration
}

// Draw reports whether to draw at now, and counts it as drawn. A frame waits for a step, or comes a
// little early to show it, so that each shows as many as the others; stepped is whether one was made
// since the last frame.
func (l *Limit) Draw(now time.Duration, stepped bool) bool {
	if l.FPS <= 0 {
		return true
	}
	every := time.Second / time.Duration(l.FPS)
	if stepped && now < l.next-every/4 || !stepped && now < l.next+every/4 {
		return false
	}
	if l.next += every; l.next < now-every/4 {
		l.next = now + every // behind: no burst afterwards
	}
	return true
}
