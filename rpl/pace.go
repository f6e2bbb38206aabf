package rpl

import (
	"fmt"
	"time"
)

// A pace is what the authority's tick should be by a proxy's time: it goes by the
// packets that have come the quickest.
type pace struct {
	tick Tick
	at   time.Duration
}

func (p *pace) due(at time.Duration, hz int) Tick {
	return p.tick + Tick(max(at-p.at, 0)/time.Millisecond*time.Duration(hz)/1000)
}

// note takes a packet that was applied.
func (p *pace) note(tick Tick, at time.Duration, hz int) {
	if tick >= p.due(at, hz) {
		p.tick, p.at = tick, at
	}
}

// beginPace has the tick that Step has named be due now, for as long as no packet says
// better.
func (c *Proxy) beginPace(now time.Duration) {
	if c.pace == (pace{}) && c.tick != 0 {
		c.pace = pace{c.tick, now}
	}
}

// believes is whether time can have brought a packet's tick, and not long ago. As long as
// none was applied and Step has named none, it may be any; so may the first whole one
// once all is asked for anew, for what it is held against may be what is wrong. Should the
// pace be wrong, it is so for a while: the longer nothing is believed, the more is.
func (c *Proxy) believes(tick Tick, whole bool) error {
	if whole && c.astray.timeless && tick <= MaxTick {
		return nil
	}
	if late := time.Duration(max(c.newest, tick)-tick) * time.Second / time.Duration(c.cfg.Hz); late > maxLead {
		return fmt.Errorf("%w: tick %d comes %v after its time", ErrPacket, tick, late)
	}
	due, lead := min(tick, MaxTick), maxLead
	if c.pace != (pace{}) {
		since := c.pace.at
		if c.heard.any {
			since = c.heard.at
		}
		due = c.pace.due(c.readingAt, c.cfg.Hz)
		lead += max(c.readingAt-since, 0)
	}
	if tick <= due {
		return nil
	}
	if ahead := time.Duration(tick-due) * time.Second / time.Duration(c.cfg.Hz); tick > MaxTick || ahead > lead {
		return fmt.Errorf("%w: tick %d comes %v before its time", ErrPacket, tick, ahead)
	}
	return nil
}
