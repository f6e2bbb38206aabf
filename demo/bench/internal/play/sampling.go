package play

import "runtime"

// A sampling says what is measured of a send and of the ticks before it: allocations,
// nothing or time. Counting allocations stops the world and empties the allocator's
// caches, which slows what follows, even in the next ticks. So a send whose allocations
// are counted is not timed, nor is the send after it.
type sampling uint8

const (
	samplesCounts sampling = iota
	samplesNothing
	samplesTimes
)

// samplingOf returns the sampling of the send with a number: counts, nothing, times,
// times, and again.
func samplingOf(send int) sampling { return min(sampling(send%samplingTurn), samplesTimes) }

// samplingTurn is the length of that cycle; two sends of it are timed.
const samplingTurn = 4

// mallocs returns how many objects the process has allocated so far; 0 unless the
// sampling counts them.
func (s sampling) mallocs() uint64 {
	if s != samplesCounts {
		return 0
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
