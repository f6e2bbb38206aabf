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

// Calls counts what a peer calls. The zero value has seen none.
type Calls struct{ before uint64 }

// Check takes, once a second, how many calls the peer has made in all. It returns why the peer is
// to be sent away, if it is to be: limit is how many a second may be.
func (c *Calls) Check(all uint64, limit int) (why string) {
	n := all - c.before
	if all < c.before { // a new connection
		n = all
	}
	if c.before = all; n > uint64(limit) {
		return fmt.Sprintf("%d calls in a second, at most %d", n, limit)
	}
	return ""
}
