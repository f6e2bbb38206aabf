package play

import "runtime"

// A sampling is what is measured of a send and the ticks before it. To count
// allocations stops the world and empties what the allocator keeps at hand: what
// comes next, even of another tick, pays for that. So where allocations are
// counted nothing is timed, nor is the send after that.
type sampling uint8

const (
	samplesCounts sampling = iota
	samplesNothing
	samplesTimes
)

// samplingOf takes turns over sends.
func samplingOf(send int) sampling { return min(sampling(send%samplingTurn), samplesTimes) }

// samplingTurn: two of four are timed.
const samplingTurn = 4

// mallocs is how many objects the process has allocated so far; always 0 where
// they are not counted.
func (s sampling) mallocs() uint64 {
	if s != samplesCounts {
		return 0
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}
