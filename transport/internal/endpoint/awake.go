package endpoint

// The time that a connection may be silent: only while this end was there to listen.

import (
	"sync/atomic"
	"time"
)

// longestGap is the longest time between two pulses of an endpoint that runs: its timer
// pulses every few tens of milliseconds, so one that did not for so long was paused (a lid
// was closed, a debugger stopped it, the machine hung).
const longestGap = time.Second

// An awake clock stands still while the program is paused. So after a pause of both ends
// neither counts the other as silent before what waits in the socket was read. Any
// goroutine may call its methods.
type awake struct {
	pulsed atomic.Int64
	paused atomic.Int64 // time that is not counted
}

// pulse says that the program runs.
func (a *awake) pulse(now time.Duration) {
	last := time.Duration(a.pulsed.Swap(int64(now)))
	if gap := now - last; gap > longestGap && last > 0 {
		a.paused.Add(int64(gap))
	}
}

// at converts a time of the endpoint's clock.
func (a *awake) at(t time.Duration) time.Duration { return t - time.Duration(a.paused.Load()) }
