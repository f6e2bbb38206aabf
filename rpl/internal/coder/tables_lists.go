package coder

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Lists of code lengths as they are sent, alone or by their differences from those of the set
// before.

// A step leads from one length of a list to the next: 0 if the next is none, else the
// difference plus stepZero.
const (
	stepZero = prefix.MaxLen + 1
	stepSyms = 2*prefix.MaxLen + 2

	// There is a code for steps after a length, one for those after none, and one for those
	// from what the same length was in the set before.
	stepAfter, stepNone, stepWas, stepCodes = 0, 1, 2, 3

	stepBits  = 5 // the size of a step's number
	stepStart = 6 // stands for the length before the first
)

// step codes a length by its step from the last one.
func (c *tableCoder) step(v, last uint8, after int) uint8 {
	s := 0
	if v > 0 {
		s = int(v) - int(last) + stepZero
	}
	if c.e == nil && c.d == nil {
		c.count[after][s]++
		return v
	}
	if s = c.symbol(c.steps[after], s); s == 0 {
		return 0
	}
	n := s - stepZero + int(last)
	if n < 1 || n > prefix.MaxLen {
		c.bad = true
		return 0
	}
	return uint8(n)
}

// list codes a list of n lengths, which may be nil: first its last element, the
// escape's, then the others up to the last one that is not 0. In the set before it was was.
func (c *tableCoder) list(q, was []uint8, n int, base *prefix.Table) []uint8 {
	if was != nil && c.flag(slices.Equal(q, was)) {
		return c.sound(was, base)
	}
	if !c.flag(q != nil) {
		return nil
	}
	if c.reading() {
		q = make([]uint8, n)
	}
	some := 0
	for i, l := range q[:n-1] {
		if l > 0 {
			some = i + 1
		}
	}
	if some = int(c.bits(uint32(some), countBits(n))); some >= n {
		c.bad = true
		return nil
	}
	last, after := uint8(stepStart), stepAfter
	for i := -1; i < some; i++ {
		at := i
		if i < 0 {
			at = n - 1
		}
		if was != nil && was[at] > 0 {
			q[at] = c.step(q[at], was[at], stepWas)
		} else {
			q[at] = c.step(q[at], last, after)
		}
		if after = stepNone; q[at] > 0 {
			last, after = q[at], stepAfter
		}
	}
	return c.sound(q, base)
}

// sound returns a list, unless it was read and makes no code; base is where its escape leads.
func (c *tableCoder) sound(q []uint8, base *prefix.Table) []uint8 {
	if c.reading() {
		if _, err := prefix.New(q, base); err != nil || base == nil && q[0] == 0 {
			c.bad = true
			return nil
		}
	}
	return q
}

// countBits is the size of a number of lengths in a list of n.
func countBits(n int) int {
	if n > 256 {
		return 9
	}
	return 8
}

// code codes the codes of the steps. Each is the usual one, or is given from its first length
// to its last.
func (c *tableCoder) code() {
	for after := range c.steps {
		if after == stepWas && c.was == nil {
			return
		}
		var lens [stepSyms]uint8
		own := false
		if c.e != nil {
			own = c.ownSteps(after, &lens)
		}
		if own = c.flag(own); !own {
			c.steps[after] = usualSteps[after]
			continue
		}
		first, last := 0, stepSyms-1
		for c.e != nil && lens[first] == 0 {
			first++
		}
		for c.e != nil && lens[last] == 0 {
			last--
		}
		first, last = int(c.bits(uint32(first), stepBits)), int(c.bits(uint32(last), stepBits))
		if first > last || last >= stepSyms {
			c.bad = true
			return
		}
		for i := first; i <= last; i++ {
			lens[i] = uint8(c.bits(uint32(lens[i]), 4))
		}
		t, err := prefix.New(lens[:], nil)
		if err != nil || first == last {
			c.bad = true
			return
		}
		c.steps[after] = t
	}
}

// ownSteps sets lens to the best code of the steps that were counted, and reports whether it
// pays.
func (c *tableCoder) ownSteps(after int, lens *[stepSyms]uint8) bool {
	var some [stepSyms]uint64
	seen, usual := 0, 0
	for i, n := range c.count[after] {
		if some[i] = n; n > 0 {
			seen++
		}
		usual += int(n) * usualSteps[after].Cost(i)
	}
	if seen < 2 {
		return false
	}
	copy(lens[:], prefix.Lengths(some[:]))
	own := 2 * stepBits
	for i, n := range c.count[after] {
		own += 4 + int(n)*int(lens[i])
	}
	return own < usual
}

// usualSteps are the codes of steps where a set has none of its own.
var usualSteps = func() (t [stepCodes]*prefix.Table) {
	for after, none := range [stepCodes]uint64{stepAfter: 64, stepNone: 512, stepWas: 64} {
		w := make([]uint64, stepSyms)
		for i := range w {
			far := max(i-stepZero, stepZero-i)
			if after == stepWas {
				far *= 2
			}
			w[i] = 256 >> min(far, 8)
		}
		w[0] = none
		t[after] = prefix.Fit(w)
	}
	return t
}()
