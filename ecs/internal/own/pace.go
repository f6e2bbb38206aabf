package own

import "math"

// A pace is where between ticks what is predicted is drawn. Where the server is as fast as this
// machine each step makes a tick, and it is drawn at the newest when the frame is over. A slower
// server has some steps make none, a faster one some make two: what goes to the newest tick in
// each step would stand still, and leap. So it goes on at the mean rate, and as far behind the
// newest tick as that takes, which is nothing at a tick a step.
type pace struct {
	newest float64 // tick, at the end of the newest step
	before float64 // where it was drawn at the end of the step before …
	drawn  float64 // … and of the newest
	rate   float64 // ticks a step; 0: no step has made any
}

const (
	// paceSpan is over how many steps the rate is a mean: a second.
	paceSpan = 64

	// paceLag is how many ticks behind the newest it is drawn for each tick a step by which the rate
	// is not 1, up to one, which hides all steps without a tick at an eighth below 1. One now and
	// then, as the lead of commands is mended by, costs nothing that way, and shows as one frame.
	paceLag = 8

	// pacePull is the share of what is missing to that lag that one step makes up for.
	pacePull = 1. / 8

	// paceMost is the most ticks that a step makes up for evenly; of more it leaps.
	paceMost = 4

	// mostStood is how many ticks are looked at to see that everything stood: it is drawn at most two
	// behind the newest, and a step makes up for four.
	mostStood = 6
)

// stepped takes the newest tick at the end of a step. starts reports whether something of this player's was the
// same after each tick from the first on, until it moves in the last: that is drawn without delay, whatever the
// pace, so that the first step out of rest shows in the next frame. What else is predicted makes up for the
// delay in this step.
func (p *pace) stepped(tick uint32, starts func(first, last uint32) bool) {
	t := float64(tick)
	made := t - p.newest
	p.newest, p.before = t, p.drawn
	if p.rate == 0 || made < 0 || made > paceMost {
		p.before, p.drawn, p.rate = t-1, t, 1
		return
	}
	p.rate += (made - p.rate) / paceSpan
	lag := min(paceLag*math.Abs(1-p.rate), 1)
	next := p.before + p.rate
	next += (t - lag - next) * pacePull
	p.drawn = min(max(next, p.before), t)
	p.drawn = max(p.drawn, t-2) // what is older is not kept
	if p.before < t-1 && starts(uint32(max(p.before, t-mostStood)), tick) {
		p.before, p.drawn = t-1, t
	}
}

// at is where it is drawn at a share of the newest step.
func (p *pace) at(share float64) float64 { return p.before + (p.drawn-p.before)*share }
