package cpu

import (
	"runtime"
	"testing"
	"time"
)

// Nothing here says how long anything takes: a machine that is shared counts what it
// gives to others as the time of whoever ran.

func TestLapsAreOfWork(t *testing.T) {
	begin := Now()
	w := Start()
	var sum time.Duration
	for range 100 {
		sum += w.Lap()
	}
	first := Now() // the work is after it, the lap's beginning before
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

// What reading the clock takes is no part of a lap, and no lap is less than nothing.
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
