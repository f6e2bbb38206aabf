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
type Stopwatch struct{ last, cost time.Duration }

// Start begins the first lap.
func Start() Stopwatch {
	cost := readingCost()
	return Stopwatch{Now(), cost}
}

// Lap ends the current lap, begins the next, and returns the processor time of the lap
// that ended.
func (s *Stopwatch) Lap() time.Duration {
	now := Now()
	lap := now - s.last
	s.last = now
	return max(0, lap-s.cost)
}

// readingCost is the time between two readings in a row: the median of 1,001.
var readingCost = sync.OnceValue(func() time.Duration {
	laps := make([]time.Duration, 0, 1001)
	last := Now()
	for range cap(laps) {
		now := Now()
		laps = append(laps, now-last)
		last = now
	}
	slices.Sort(laps)
	return laps[len(laps)/2]
})
