package rpl

// A course says how one word is predicted. A row is on its course as long as its words
// are what its newest version predicts; a word without a velocity is predicted to stay.
// Every update of a row reads its courses, so each is half a cache line.
type course struct {
	rate     int64
	min, max int32
	velocity int32 // index of the word that predicts it, -1 none
	phase    int32 // index of its hidden phase word, -1 none …
	hidden   int32 // … and its number among the hidden words
	wraps    bool
	way      way // it is coded in updates
}

// A drift is the course of a predicted word.
type drift struct {
	word int
	course
	once bool
}

// A way is what an update codes a word against.
type way uint8

const (
	byBase     way = iota // its value in the base
	byHeading             // the direction of the velocity
	byVelocity            // its predicted value
	byPhase               // its predicted value, in sixteenths of a step
)

// charted computes the courses of all words.
func (t *rowType) charted() {
	for i := range t.words {
		w := &t.words[i]
		c := course{rate: w.Rate, min: w.Min, max: w.Max, velocity: int32(w.Velocity), phase: int32(t.phase[i]), wraps: w.Wrap}
		switch {
		case t.phase[i] >= 0:
			c.way, c.hidden = byPhase, int32(t.phase[i]-len(t.words))
		case w.Velocity >= 0:
			c.way = byVelocity
		}
		t.courses = append(t.courses, c)
	}
	for _, i := range t.predicted {
		t.driven = append(t.driven, drift{word: i, course: t.courses[i], once: t.isOnce(i)})
	}
}

// expect predicts word i from base, the row n ticks ago, and from now, which has the
// current words before i. It takes velocities to have changed evenly and to be applied
// after each change (semi-implicit Euler, as games do): n steps of v₁…vₙ sum to
// ((n-1)·v₀ + (n+1)·vₙ)/2. With vₙ = v₀ that is what advance does.
func (c *course) expect(base, now rowWords, i int, n uint32) int32 {
	switch {
	case c.velocity < 0:
		return *base.word(i)
	case c.phase >= 0:
		x, _ := c.reach(base, now, i, n)
		return x
	}
	return c.add(*base.word(i), travel(*base.word(int(c.velocity)), *now.word(int(c.velocity)), int64(n), c.rate, 0))
}

// reach is expect for a word with a phase; it predicts the phase too.
func (c *course) reach(base, now rowWords, i int, n uint32) (x, phase int32) {
	way := travel(*base.word(int(c.velocity)), *now.word(int(c.velocity)), int64(n), c.rate, phaseBits)
	return c.reached(*base.word(i), *base.word(int(c.phase)), way)
}

// travel is the distance covered in n ticks while the velocity goes from v0 to v1, in
// 2^-digits of a step.
func travel(v0, v1 int32, n, rate int64, digits uint) int64 {
	sum := (int64(v0)+int64(v1))*n + int64(v1) - int64(v0)
	return (sum*rate + 1<<(32-digits)) >> (33 - digits)
}

// reached is the value and phase at a distance of way from a value and its phase.
func (c *course) reached(from, phase int32, way int64) (to, toPhase int32) {
	at := int64(from)<<phaseBits + int64(phase) + way
	r := (at + phaseHalf) >> phaseBits
	switch {
	case r < int64(c.min):
		return c.min, 0
	case r > int64(c.max):
		return c.max, 0
	}
	return int32(r), int32(at - r<<phaseBits)
}

// all is the number of values that a word has.
func (c *course) all() int64 { return int64(c.max) - int64(c.min) + 1 }

// within takes steps around a range of all values, to 0 … all-1.
func within(steps, all int64) int64 {
	steps += all & (steps >> 63)          // below 0
	steps -= all &^ ((steps - all) >> 63) // above the range
	if uint64(steps) >= uint64(all) {     // more than once around: dividing is slow
		if steps %= all; steps < 0 {
			steps += all
		}
	}
	return steps
}

// around is the shortest way, forwards or backwards, around a range of all values.
func around(steps, all int64) int64 {
	if steps >= all || steps <= -all { // more than once around
		steps %= all
	}
	if steps > all>>1 {
		steps -= all
	} else if steps < -((all - 1) >> 1) {
		steps += all
	}
	return steps
}

// add adds grow to a value: a wrapping word goes around its range, any other stops at
// its bound.
func (c *course) add(x int32, grow int64) int32 {
	if c.wraps {
		return int32(int64(c.min) + within(int64(x)-int64(c.min)+grow, c.all()))
	}
	return int32(min(max(int64(x)+grow, int64(c.min)), int64(c.max)))
}

// residual is the difference that turns p into x. apply is its inverse and returns
// false if the result is out of range.
func (c *course) residual(p, x int32) int32 {
	if !c.wraps {
		return x - p
	}
	return int32(around(int64(x)-int64(p), c.all()))
}

// apply adds a residual, which may come from the network, to p.
func (c *course) apply(p, r int32) (int32, bool) {
	if c.wraps {
		if n := c.all(); int64(r) >= n || int64(r) <= -n {
			return 0, false
		}
		return c.add(p, int64(r)), true
	}
	x := p + r
	return x, x >= c.min && x <= c.max
}
