// Package patience decides when a peer that does not take what it is sent, or that calls too
// often, is to be sent away. It counts the time in which this machine itself was awake, so that a pause of this
// machine, or of both, is held against nobody.
package patience

import (
	"fmt"
	"time"
)

// longestStep is the most that counts between two looks: this machine may have stood still.
const longestStep = 100 * time.Millisecond

// A Timer watches one peer. The zero value has seen nothing.
type Timer struct {
	at         time.Duration
	acks, lane wait
}

// A wait is how long something has been waited for, as the peer's core tells it and as
// counted here.
type wait struct{ reported, counted time.Duration }

// count takes what the core tells: since when nothing new has come of what waits.
// It grows with the time that has passed, unless something has come.
func (w *wait) count(reported, passed time.Duration) {
	if reported-w.reported < passed/2 {
		w.counted = 0
	} else {
		w.counted += min(passed, longestStep)
	}
	w.reported = reported
}

// Check takes how long the peer has acknowledged no packet although some wait for that, and
// how long no reliable message although some do; 0 is none. It returns why the peer is to
// be sent away, if it is to be: limit is how long either may take.
func (w *Timer) Check(now, acks, lane, limit time.Duration) (why string) {
	passed := now - w.at
	w.at = now
	w.acks.count(acks, passed)
	w.lane.count(lane, passed)
	switch {
	case w.acks.counted >= limit:
		return fmt.Sprintf("no packet was acknowledged for %v", limit)
	case w.lane.counted >= limit:
		return fmt.Sprintf("no reliable message was taken for %v", limit)
	}
	return ""
}

// mostHeld is as many calls as a client's lane and what waits before it hold back while this machine stands.
const mostHeld = 5000

// Calls counts what a peer calls. CallsSince makes one.
type Calls struct {
	at     time.Duration // of the last Check
	before uint64
	spare  float64 // how many more may come, because they were held back while this machine stood still
}

// CallsSince returns the count of a peer that is there from now on.
func CallsSince(now time.Duration) Calls { return Calls{at: now} }

// Back says that the peer has come back by a new connection: it has made no calls while it had none.
func (c *Calls) Back(now time.Duration) { c.at, c.spare = now, 0 }

// Check takes, about once a second, how many calls the peer has made in all. It returns why the peer is
// to be sent away, if it is to be: limit is how many a second may be, over the time that has passed. So
// those that have waited while this machine stood still are counted over that time. What the
// reliable lane has held back comes only once this machine acknowledges again, within some seconds: for that
// what was not used is left, no more than a lane holds, and half of it each time.
func (c *Calls) Check(now time.Duration, all uint64, limit int) (why string) {
	passed := max(now-c.at, time.Second)
	if all < c.before { // a new connection
		c.before = 0
	}
	n, a := float64(all-c.before), float64(limit)
	may := a*passed.Seconds() + c.spare
	c.spare = max(0, min(may-n, c.spare/2+a*(passed-time.Second).Seconds(), mostHeld))
	c.at, c.before = now, all
	if n > may {
		return fmt.Sprintf("%.0f calls in %.1f s, at most %d a second", n, passed.Seconds(), limit)
	}
	return ""
}
