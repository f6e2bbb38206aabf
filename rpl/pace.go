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

// believes is whether time can have brought a packet's tick. Before any packet came
// the tick is due that Step has named, if any.
func (c *Proxy) believes(tick Tick) error {
	due, lead := c.tick, maxLead
	switch {
	case c.heard.any:
		due = c.pace.due(c.readingAt, c.cfg.Hz)
		lead += max(c.readingAt-c.heard.at, 0) // should the pace be wrong, it is so for a while
	case due == 0:
		due = min(tick, MaxTick)
	}
	if tick <= due {
		return nil
	}
	if ahead := time.Duration(tick-due) * time.Second / time.Duration(c.cfg.Hz); tick > MaxTick || ahead > lead {
		return fmt.Errorf("%w: tick %d comes %v before its time", ErrPacket, tick, ahead)
	}
	return nil
}
