package store

import (
	"math"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Whether inferred velocities pay for the rows of a type as a whole. On a coarse grid a slow turn
// looks straight time and again; without velocities it would go along a line (coder/line.go) for two
// or three bits. What a row would have taken the other way cannot be told from what it took: its bases
// would be others. So now and then a few rows, others in each era, do the opposite of what the others
// do, and both sides are compared by the bits that they take for each send in which a value has taken a step.
// Of secret rows nothing is counted. Of words that only may count nothing depends on this: they are
// judged one by one (pays.go).

// A comparison is what the rows of a type take with inferred velocities, and without.
type comparison struct {
	moves    []bool   // by inferred word: it is a position or interpolated, not a count
	compared bool     // it has words that are positions or interpolated …
	dear     bool     // … and inferred velocities cost more than they save: only the few have them
	known    bool     // both sides have been compared
	contrary uint8    // how many comparisons in a row have said the opposite, by little
	rare     uint8    // the last of 1<<rare eras has a few that do the opposite
	begun    uint32   // the tick of the last comparison …
	turned   ids.Tick // … and of the last that changed dear
	sides    [2]side  // without velocities, and with

	now sampling
}

// A sampling is which rows are compared in a tick.
type sampling struct {
	tick, offset, mask uint32 // the few are the blocks whose sum with offset is 0 under mask
	unseen             uint32 // of the many those are scanned whose sum with tick is 0 under this
	counts             bool   // what rows do is counted
}

// A side is the rows that are given velocities, or those that are not.
type side struct {
	sends, steps, left float64 // sends in which rows were scanned: all, those with a step, those that departed …
	moves              float64 // … and those in which a row had an inferred velocity
	updates, bits      float64 // updates, and what they took …
	fitted             coder.Levels
	cost               float64 // … the bits for a send with a step, when last compared
}

const (
	// nobody is an offset by which no block is one of the few: there are not so many.
	nobody = 1 << 31

	// eraBits says how long the few remain the same: 256 ticks.
	eraBits = 8

	// settling is in how many sends of an era nothing is counted: the few get a velocity first, or lose it.
	settling, settlingMost = 16, 64

	// compareEvery is after how many sends the sides are compared; with fewer than manyRows rows, of which
	// the few are one or two, that waits for the next era.
	compareEvery = 64
	manyRows     = 64

	// seldom is how rarely there are a few where all is clear: before any comparison where an update is
	// sent of straightEnough of the steps that rows take at most, and where there are velocities in
	// less than movesLeast of the sends.
	seldom         = 5
	straightEnough = 0.2
	movesLeast     = 1. / 32

	// sampleEvery says which of the many are scanned: one send in so many; of fewer than manyRows
	// rows each in every fourth.
	sampleEvery, sampleFew = 16, 4

	// leastSteps and leastUpdates are what a side must have counted to be compared, mostUpdates is up to
	// how many updates are averaged.
	leastSteps   = 64
	leastUpdates = 16
	mostUpdates  = 128

	// Where velocities take so many times what is taken without, in contraryMost comparisons in a row, they
	// are given up, or given again; where it is much more or less, at once. Tables serve the new way only
	// some seconds later.
	contraryMost         = 3
	dearFrom, muchDearer = 1.1, 1.5
	paysFrom, muchLess   = 0.9, 0.7
)

// begin makes room for what is counted of rows of so many words.
func (c *comparison) begin(words int) {
	c.rare, c.now.offset, c.now.mask = seldom, nobody, ^uint32(0)
	if c.compared {
		c.sides[0].fitted, c.sides[1].fitted = coder.NewLevels(words), coder.NewLevels(words)
	}
}

// turn begins a tick: it says which rows are the few in it, and whether anything is counted.
func (s *slab) turn(tick uint32) {
	era, share := tick>>eraBits, uint32(16)
	if s.known {
		share <<= min(s.rows/32, 2)
	}
	if s.now.unseen = sampleEvery - 1; s.rows < manyRows {
		s.now.unseen = sampleFew - 1
	}
	s.now.tick, s.now.counts = tick, tick&(1<<eraBits-1) >= min(settling*s.Stride, settlingMost)
	if s.now.offset, s.now.mask = nobody, ^uint32(0); era&(1<<s.rare-1) == 1<<s.rare-1 {
		s.now.offset, s.now.mask = era>>s.rare, share-1
	}
}

// IsFew reports whether a row is one of the few that do the opposite now: neither tables nor lines are fitted to those.
func (s *slab) IsFew(block uint32) bool { return (block+s.now.offset)&s.now.mask == 0 }

// gives reports whether a row may be given velocities for its positions.
func (s *slab) gives(block uint32) bool { return s.IsFew(block) == s.dear }

// Compares reports whether what a row does in this tick is counted.
func (s *slab) Compares(block uint32) bool {
	return s.now.counts && ((s.now.tick+block)&s.now.unseen == 0 || s.IsFew(block))
}

// Took counts an update of a row, and the bits that it took, if Compares names the row and all may know of it.
func (s *slab) Took(r *Row, was, is rowtype.Words, second *rowtype.Second, n uint32, bits int) {
	if r.Privacy == Secret || !s.Compares(r.Block) {
		return
	}
	d := &s.sides[flag(s.gives(r.Block))]
	d.fitted.Note(r.Type, was, is, second, n)
	if d.updates++; d.updates > mostUpdates {
		d.updates, d.bits = d.updates/2, d.bits/2
	}
	d.bits += float64(bits)
}

// scanned counts a row that Compares names: whether it may be given velocities, whether it has any, whether an
// inferred word has taken a step, and whether the row has departed from its prediction.
func (s *slab) scanned(given, moves, stepped, departed bool) {
	d := &s.sides[flag(given)]
	d.sends++
	d.moves += float64(flag(moves))
	d.steps += float64(flag(stepped))
	d.left += float64(flag(departed))
	wait := compareEvery * s.Stride
	if s.rows < manyRows {
		wait = max(wait, 1<<eraBits)
	}
	if s.now.tick-s.begun >= wait {
		s.begun = s.now.tick
		s.compare()
	}
}

// compare compares the sides, and halves what they have counted.
func (s *slab) compare() {
	without, with := &s.sides[0], &s.sides[1]
	would := without.sends // what has no velocity is only scanned when it takes a step: how often it would have been
	if with.steps > 0 {
		would = max(would, without.steps*with.sends/with.steps)
	}
	if a, b := with.price(with.sends), without.price(would); a && b {
		s.known = true
		s.decide(with.cost / without.cost)
	}
	s.rare = s.rarity()
	without.halve()
	with.halve()
}

// decide gives up velocities for positions, or gives them again, by how many times what is taken
// without them they take.
func (s *slab) decide(ratio float64) {
	other, sure := ratio > dearFrom, ratio > muchDearer
	if s.dear {
		other, sure = ratio < paysFrom, ratio < muchLess
	}
	if s.contrary++; !other {
		s.contrary = 0
	}
	if sure || s.contrary == contraryMost {
		s.dear, s.turned, s.contrary = !s.dear, ids.Tick(s.now.tick), 0
		s.sides[0].forget()
		s.sides[1].forget()
	}
}

// rarity is how rarely there are a few that do the opposite, by what was last known of the sides. Where
// velocities are dear and there are many rows the few are few enough at all times, and it shows at
// once when all go straight. As long as a side is not known there are none where most steps need no update, and
// there are none where hardly any row has a velocity.
func (s *slab) rarity() uint8 {
	without, with := &s.sides[0], &s.sides[1]
	switch {
	case !s.dear && with.moves < movesLeast*with.sends:
		return seldom
	case !s.known:
		return seldom * uint8(flag(with.left < straightEnough*with.steps))
	case !s.dear:
		return rarely(with.cost / without.cost)
	case s.rows < manyRows:
		return rarely(without.cost / with.cost)
	}
	return 0
}

// rarely is how rarely a few rows take as much as they would the other way, so that they cost one or
// two hundredths of the bits at most: share is what the others take of that.
func rarely(share float64) uint8 {
	switch {
	case share < 0.25:
		return seldom
	case share < 0.5:
		return 3
	case share < 0.75:
		return 1
	}
	return 0
}

// price sets the cost of a side by what was counted in so many sends, and reports whether that was enough.
func (d *side) price(sends float64) bool {
	if d.steps < leastSteps || d.updates < leastUpdates {
		return false
	}
	d.cost = (d.left*min(d.bits/d.updates, d.fitted.Bits()) + names(d.left, sends)) / d.steps
	return true
}

// names is the bits that it takes to say of which rows a send has an update, where k of n have one.
func names(k, n float64) float64 {
	if k <= 0 || k >= n {
		return 0
	}
	return n*math.Log2(n) - k*math.Log2(k) - (n-k)*math.Log2(n-k)
}

func (d *side) halve() { d.sends, d.steps, d.left, d.moves = d.sends/2, d.steps/2, d.left/2, d.moves/2 }

func (d *side) forget() { d.sends, d.steps, d.left, d.moves = 0, 0, 0, 0 }
