package cpu

import "testing"

func TestLapsAreOfWork(t *testing.T) {
	work := func(steps int) (x uint32) {
		for range steps {
			x = x*1664525 + 1013904223
		}
		return x
	}
	w := Start()
	x := work(3_000_000)
	short := w.Lap()
	x += work(60_000_000)
	long := w.Lap()
	if short <= 0 || long <= short {
		t.Errorf("three million steps took %v, sixty million %v (%d)", short, long, x)
	}
	least := long
	for range 100 {
		least = min(least, w.Lap())
	}
	if least > readingCost() {
		t.Errorf("the shortest of a hundred empty laps took %v, reading the clock %v", least, readingCost())
	}
}
