package play

// An accumulator decides which ticks send: rate ticks of hz per second, spread evenly,
// as package ecs does. With a rate above hz every tick sends.
type accumulator struct{ rate, hz, sum int }

func newAccumulator(rate, hz int) *accumulator {
	return &accumulator{rate: min(rate, hz), hz: hz}
}

func (a *accumulator) due() bool {
	a.sum += a.rate
	if a.sum < a.hz {
		return false
	}
	a.sum -= a.hz
	return true
}
