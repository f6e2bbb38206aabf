package rowtype

// A Motion says how one word is predicted. A row moves as predicted as long as its words
// are what its newest version predicts; a word without a velocity is predicted to stay.
// Every update of a row reads its motions, so each is half a cache line.
type Motion struct {
	Rate          int64
	Min, Max      int32
	Velocity      int32 // index of the word that predicts it, -1 none
	Fraction      int32 // index of its hidden fraction word, -1 none …
	Hidden        int32 // … and its number among the hidden words
	Wraps         bool
	Way           way   // it is coded in updates
	FractionShift uint8 // how far to the left the binary digits of its velocity begin that give it a fraction
}

// A Driven is a predicted word, with its motion.
type Driven struct {
	Word int
	Motion
	Once bool
}

// A way is what an update codes a word against.
type way uint8

const (
	ByBase     way = iota // its value in the base
	ByHeading             // the direction of the velocity
	ByVelocity            // its predicted value
	byFraction            // its predicted value, in sixteenths of a step
	ByLine                // the line through two versions (line.go)
	ByRestLine            // the same while its velocity is zero, else its predicted value
)

// placeMotions computes the motions of all words.
func (t *Type) placeMotions() {
	for i := range t.Words {
		w := &t.Words[i]
		c := Motion{Rate: w.Rate, Min: w.Min, Max: w.Max, Velocity: int32(w.Velocity), Fraction: int32(t.Fraction[i]), Wraps: w.Wrap}
		switch {
		case t.Fraction[i] >= 0:
			c.Way, c.Hidden = byFraction, int32(t.Fraction[i]-len(t.Words))
			if !t.IsDeclared(i) {
				c.FractionShift = 32 - InferBits
			}
		case w.Velocity >= 0:
			c.Way = ByVelocity
		}
		t.Motions = append(t.Motions, c)
	}
	for _, i := range t.Predicted {
		d := Driven{Word: i, Motion: t.Motions[i], Once: t.IsOnce(i)}
		if t.Driven = append(t.Driven, d); t.IsInferred(int(d.Velocity)) && !t.Moves(i) {
			t.Counting = append(t.Counting, d)
		}
	}
}

// Expect predicts word i from base, the row n ticks ago, and from now, which has the
// current words before i. It takes velocities to have changed evenly and to be applied
// after each change (semi-implicit Euler, as games do): n steps of v₁…vₙ sum to
// ((n-1)·v₀ + (n+1)·vₙ)/2. With vₙ = v₀ that is what advance does.
func (c *Motion) Expect(base, now Words, i int, n uint32) int32 {
	switch {
	case c.Velocity < 0:
		return *base.Word(i)
	case c.Fraction >= 0:
		x, _ := c.Reach(base, now, i, n)
		return x
	}
	return c.add(*base.Word(i), Travel(*base.Word(int(c.Velocity)), *now.Word(int(c.Velocity)), int64(n), c.Rate, 0))
}

// Reach is expect for a word with a fraction; it predicts the fraction too.
func (c *Motion) Reach(base, now Words, i int, n uint32) (x, fraction int32) {
	way := Travel(*base.Word(int(c.Velocity)), *now.Word(int(c.Velocity)), int64(n), c.Rate, FractionBits)
	return c.Reached(*base.Word(i), *base.Word(int(c.Fraction)), way)
}

// IsWhole is whether a word with a fraction has none while its velocity is v: it stands, or its
// velocity is inferred and leads from one whole step to another.
func (c *Motion) IsWhole(v int32) bool {
	return v<<(c.FractionShift&31) == 0
}

// Travel is the distance covered in n ticks while the velocity goes from v0 to v1, in
// 2^-digits of a step.
func Travel(v0, v1 int32, n, rate int64, digits uint) int64 {
	sum := (int64(v0)+int64(v1))*n + int64(v1) - int64(v0)
	return (sum*rate + 1<<(32-digits)) >> (33 - digits)
}

// Along is a value with its fraction, in sixteenths of a step, at a distance of way, and
// Nearest the whole step nearest to it. With Travel these are all there is to predicting a
// word: whoever predicts one calls them, so that all agree to the bit.
func Along(from, fraction int32, way int64) int64 {
	return int64(from)<<FractionBits + int64(fraction) + way
}

func Nearest(at int64) int64 { return (at + HalfStep) >> FractionBits }

// Reached is the value and fraction at a distance of way from a value and its fraction.
func (c *Motion) Reached(from, fraction int32, way int64) (to, toFraction int32) {
	at := Along(from, fraction, way)
	r := Nearest(at)
	switch {
	case r < int64(c.Min):
		return c.Min, 0
	case r > int64(c.Max):
		return c.Max, 0
	}
	return int32(r), int32(at - r<<FractionBits)
}

// All is the number of values that a word has.
func (c *Motion) All() int64 { return int64(c.Max) - int64(c.Min) + 1 }

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

// Around is the shortest way, forwards or backwards, around a range of all values.
func Around(steps, all int64) int64 {
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
func (c *Motion) add(x int32, grow int64) int32 {
	if c.Wraps {
		return int32(int64(c.Min) + within(int64(x)-int64(c.Min)+grow, c.All()))
	}
	return int32(min(max(int64(x)+grow, int64(c.Min)), int64(c.Max)))
}

// Residual is the difference that turns p into x. apply is its inverse and returns
// false if the result is out of range.
func (c *Motion) Residual(p, x int32) int32 {
	if !c.Wraps {
		return x - p
	}
	return int32(Around(int64(x)-int64(p), c.All()))
}

// Apply adds a residual, which may come from the network, to p.
func (c *Motion) Apply(p, r int32) (int32, bool) {
	if c.Wraps {
		if n := c.All(); int64(r) >= n || int64(r) <= -n {
			return 0, false
		}
		return c.add(p, int64(r)), true
	}
	x := p + r
	return x, x >= c.Min && x <= c.Max
}

// Counts reports whether words of a row that count by their velocities do so.
func (t *Type) Counts(now Words) bool {
	for k := range t.Counting {
		if *now.Word(int(t.Counting[k].Velocity)) != 0 {
			return true
		}
	}
	return false
}
