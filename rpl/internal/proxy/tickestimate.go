package proxy

import (
	"fmt"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A tickEstimate estimates the authority's tick by the proxy's clock: the authority reached tick
// at the time at. The estimate follows the packets that came with the least delay. Packets
// whose ticks cannot be true by it are refused.
type tickEstimate struct {
	tick ids.Tick
	at   time.Duration
}

func (p *tickEstimate) due(at time.Duration, hz int) ids.Tick {
	return p.tick + ids.Tick(max(at-p.at, 0)/time.Millisecond*time.Duration(hz)/1000)
}

// note takes a packet that was applied: one that is no later than the estimate moves it.
func (p *tickEstimate) note(tick ids.Tick, at time.Duration, hz int) {
	if tick >= p.due(at, hz) {
		p.tick, p.at = tick, at
	}
}

// beginEstimate begins the estimate with the tick given to Step, until a packet gives a
// better one.
func (c *Proxy) beginEstimate(now time.Duration) {
	if c.dec.estimate == (tickEstimate{}) && c.tick != 0 {
		c.dec.estimate = tickEstimate{c.tick, now}
	}
}

// believes returns an error if a packet's tick cannot be true: too far ahead of the estimate,
// or more than MaxLead behind the newest tick. Any tick is believed while no packet was
// applied and Step has given none, and the first whole tick after Resync that no newer
// packet has overtaken, since then the estimate itself may be wrong. A wrong estimate does not
// last: the longer no packet is believed, the farther ahead a tick may be.
func (c *Proxy) believes(tick ids.Tick) error {
	if c.dec.timely && c.mend.desync.timeless && tick <= wire.MaxTick {
		return nil
	}
	if late := time.Duration(max(c.held.newest, tick)-tick) * time.Second / time.Duration(c.cfg.Hz); late > wire.MaxLead {
		return fmt.Errorf("%w: tick %d comes %v after its time", ids.ErrPacket, tick, late)
	}
	due, lead := min(tick, wire.MaxTick), wire.MaxLead
	if c.dec.estimate != (tickEstimate{}) {
		since := c.dec.estimate.at
		if c.in.history.any {
			since = c.in.history.at
		}
		due = c.dec.estimate.due(c.dec.readingAt, c.cfg.Hz)
		lead += max(c.dec.readingAt-since, 0)
	}
	if tick <= due {
		return nil
	}
	if ahead := time.Duration(tick-due) * time.Second / time.Duration(c.cfg.Hz); tick > wire.MaxTick || ahead > lead {
		return fmt.Errorf("%w: tick %d comes %v before its time", ids.ErrPacket, tick, ahead)
	}
	return nil
}
