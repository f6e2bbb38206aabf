package faults

import "time"

// A Throttle lets at most Most events pass in each While, and counts those that it holds
// back. It is for what anybody can cause without limit and under any name.
type Throttle struct {
	Most  int
	While time.Duration

	since  time.Duration // when the present While began
	passed int
	held   uint64 // held back since the last that passed
}

// Pass reports whether an event at a time may pass, and how many were held back before it.
func (t *Throttle) Pass(now time.Duration) (held uint64, ok bool) {
	if now-t.since >= t.While {
		t.since, t.passed = now, 0
	}
	if t.passed == t.Most {
		t.held++
		return 0, false
	}
	held, t.held = t.held, 0
	t.passed++
	return held, true
}
