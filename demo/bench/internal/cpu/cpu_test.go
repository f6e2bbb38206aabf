package cpu

import "testing"

func TestNowAdvancesWithWork(t *testing.T) {
	var w Stopwatch
	w.Start()
	x := uint32(1)
	for range 30_000_000 {
		x = x*1664525 + 1013904223
	}
	if lap := w.Stop(); lap <= 0 || w.Total != lap {
		t.Errorf("thirty million steps (%d) took %v, total %v", x, lap, w.Total)
	}
}
