// Package cpu reads the processor time of this process, all threads together,
// so that a figure does not depend on what else the machine does.
package cpu

import (
	"slices"
	"sync"
	"time"
)

// A Stopwatch takes the processor time of one stage after the other. The time
// that reading the clock takes, a microsecond on some systems, is not in it.
type Stopwatch struct{ last, cost time.Duration }

// Start begins the first lap.
func Start() Stopwatch {
	cost := readingCost()
	return Stopwatch{Now(), cost}
}

// Lap ends a lap, begins the next, and returns the time of the first.
func (s *Stopwatch) Lap() time.Duration {
	now := Now()
	lap := now - s.last
	s.last = now
	return max(0, lap-s.cost)
}

// readingCost is what two readings in a row differ by: the median of many.
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
