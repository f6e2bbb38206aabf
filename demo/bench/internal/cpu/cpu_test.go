package cpu

import (
	"runtime"
	"testing"
	"time"
)

// These tests put no upper limit on a lap: a shared machine may count the time that it
// gives to others as the time of this process.

// A lap is at least as long as the work in it, and laps together are no longer than the
// time in which they lie.
func TestLapsAreOfWork(t *testing.T) {
	begin := Now()
	w := Start()
	var sum time.Duration
	for range 100 {
		sum += w.Lap()
	}
	first := Now() // the work begins after this reading, the lap before it
	x := uint32(1)
	for Now()-first < 20*time.Millisecond {
		for range 100_000 {
			x = x*1664525 + 1013904223
		}
	}
	runtime.KeepAlive(x)
	long := w.Lap()
	if long+w.cost < 20*time.Millisecond {
		t.Errorf("a lap of 20 ms of work is %v, less %v for reading the clock", long, w.cost)
	}
	if all := Now() - begin; sum+long > all {
		t.Errorf("the laps are %v and %v together, all of it is %v", sum, long, all)
	}
}

// The time that reading the clock takes is subtracted from a lap, and no lap is
// negative.
func TestLapsAreLessTheReading(t *testing.T) {
	w := Start()
	w.cost = time.Hour
	if lap := w.Lap(); lap != 0 {
		t.Errorf("a lap that takes less than reading the clock is %v", lap)
	}
	w.last, w.cost = Now()-2*time.Hour, time.Hour
	if lap := w.Lap(); lap < time.Hour || lap > 2*time.Hour {
		t.Errorf("a lap of two hours, less one for reading the clock, is %v", lap)
	}
	if c := readingCost(); c < 0 {
		t.Errorf("reading the clock takes %v", c)
	}
}
