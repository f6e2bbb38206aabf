// Package cpu reads the processor time of this process, all threads together, so that
// figures do not depend on what else the machine does.
package cpu

import (
	"slices"
	"sync"
	"time"
)

// A Stopwatch measures the processor time of consecutive stages. It subtracts the time
// that reading the clock takes, which is a microsecond on some systems.
type Stopwatch struct {
	now        func() time.Duration
	last, cost time.Duration
}

// Start begins the first lap, in time of the process.
func Start() Stopwatch {
	cost := readingCost() // before the clock is read
	return Stopwatch{Now, Now(), cost}
}

// StartThread is the same in time of the thread, on which the laps must end, too.
func StartThread() Stopwatch {
	cost := readingCostOfThread()
	return Stopwatch{Thread, Thread(), cost}
}

// Lap ends the current lap, begins the next, and returns the processor time of the lap
// that ended.
func (s *Stopwatch) Lap() time.Duration {
	now := s.now()
	lap := now - s.last
	s.last = now
	return max(0, lap-s.cost)
}

// readingCost and readingCostOfThread are the time between two readings in a row: the median
// of 1,001.
var (
	readingCost         = sync.OnceValue(func() time.Duration { return costOf(Now) })
	readingCostOfThread = sync.OnceValue(func() time.Duration { return costOf(Thread) })
)

func costOf(clock func() time.Duration) time.Duration {
	laps := make([]time.Duration, 0, 1001)
	last := clock()
	for range cap(laps) {
		now := clock()
		laps = append(laps, now-last)
		last = now
	}
	slices.Sort(laps)
	return laps[len(laps)/2]
}
