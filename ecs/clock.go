package ecs

// clock: a client's estimate of the server's tick. It goes by time and never counts
// updates, because a window's updates come 8 to 29 ms apart.

import (
	"time"

	"github.com/tendonengine/tendon/rpl"
)

// A clock follows the quickest packets of the last second or so, because slower ones were
// held up on the way. It runs at most slew faster or slower than time. If it is off by
// more than jumpClock, as after a server's pause, it jumps forward or stands still. It
// never goes back. While nothing comes for longer than clockWaits it stands still, too:
// if the server has paused, it would otherwise run ahead by as much as the pause is long,
// and then stand still for as long again.
type clock struct {
	step    time.Duration // of one tick
	started bool
	offset  time.Duration // estimated server time (tick × step) minus local time
	target  time.Duration // what offset moves to
	best    time.Duration // the greatest offset seen in this half window …
	before  time.Duration // … and in the one before
	turned  time.Duration // when this half window began
	heard   time.Duration // when the newest sample came
	slewed  time.Duration // when offset was last moved
	last    time.Duration // the last answer of server
}

// sample takes the server's tick t of a packet that came at a local time.
func (c *clock) sample(t rpl.Tick, at time.Duration) {
	seen := time.Duration(t)*c.step - at
	if !c.started {
		c.started = true
		c.offset, c.target, c.best, c.before = seen, seen, seen, seen
		c.turned, c.slewed, c.heard = at, at, at
		return
	}
	if at-c.turned > clockWindow/2 {
		c.before, c.best, c.turned = c.best, seen, at
	}
	if at-c.heard > clockWaits { // what was true before a pause is not true after it
		c.before = seen
	}
	c.heard = max(c.heard, at)
	c.best = max(c.best, seen)
	c.target = max(c.best, c.before)
}

// server estimates the server's time: the time that the quickest packet would carry if it
// came now.
func (c *clock) server(now time.Duration) time.Duration {
	if !c.started {
		return 0
	}
	now = min(now, c.heard+clockWaits)
	room := time.Duration(float64(max(0, now-c.slewed)) * slew)
	c.slewed = max(c.slewed, now)
	switch d := c.target - c.offset; {
	case d > jumpClock, d < -jumpClock: // backwards it stands still, by last
		c.offset = c.target
	default:
		c.offset += min(max(d, -room), room)
	}
	c.last = max(c.last, now+c.offset)
	return c.last
}

// most is the latest that the server's time can be: what it is if the server has not
// paused since it was last heard.
func (c *clock) most(now time.Duration) time.Duration { return max(c.last, now+c.offset) }
