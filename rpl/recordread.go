package rpl

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Reading the record of an update: what a client does most.

// readUpdate is the inverse of codeUpdate; it returns false if a value is out of its
// range.
func (m *model) readUpdate(d *prefix.Decoder, t *rowType, base, now []int32, n uint32) bool {
	row := &m.rows[t.index]
	was, is := t.at(base), t.at(now)
	u := &row.updates[t.kindOf(row.kind, was)][t.context(was, n)]
	r := recordReader{row, u, was, is, n}
	copy(now, base) // for words that have not changed and are not predicted
	ok := true
	for c := range u.joint {
		var pattern uint32
		if k := d.Symbol(u.joint[c].t); k > 0 {
			pattern = row.shapes[shapeUpdate].chunks[c].patterns[k-1]
		} else {
			from := c * chunkLen
			pattern = row.shapes[shapeUpdate].pattern(d, from, min(from+chunkLen, len(t.words)))
		}
		ok = r.words(d, pattern, c) && ok
	}
	return ok
}

// A recordReader reads the words of one update.
type recordReader struct {
	m       *rowModel
	u       *recordModel // of the update's context
	was, is rowWords
	n       uint32
}

// words reads the words of chunk c, by its pattern. Meanwhile the decoder's bits are in
// local variables, to stay in registers.
func (k *recordReader) words(d *prefix.Decoder, pattern uint32, c int) bool {
	was, is, from := k.was, k.is, c*chunkLen
	chunk, large := &k.m.chunks[c], k.u.large[from:]
	rest := (pattern|pattern>>1)&lowBits | chunk.moving
	ok := true
	acc, have := d.Ready()
	for ; rest != 0; rest &= rest - 1 {
		bit := uint(bits.TrailingZeros32(rest)) & 31
		at := bit / 2
		i := from + int(at)
		s := pattern >> bit % stateKinds
		r := smallResidual[s]
		if s == stateLarge {
			if have < prefix.MaxCode {
				acc, have = d.Refill(acc, have)
			}
			f := large[at].t.Find(acc)
			p := &signedPlaces[uint8(f.Symbol())]
			n := f.Bits() + int(p.n)
			if have < n {
				acc, have = d.Refill(acc, have)
			}
			r = p.residual(acc >> (f.Bits() & 63))
			acc, have = acc>>(n&63), have-n
		}
		w := &chunk.courses[at]
		if w.wraps {
			x, in := w.apply(k.m.foresee(w, was, is, i, k.n), r)
			*is.word(i), ok = x, ok && in
			continue
		}
		if w.way == byBase {
			x := *was.word(i) + r
			*is.word(i), ok = x, ok && x >= w.min && x <= w.max
			continue
		}
		v := *is.word(int(w.velocity))
		way := travel(*was.word(int(w.velocity)), v, int64(k.n), w.rate, phaseBits)
		x, phase := w.reached(*was.word(i), *was.word(int(w.phase)), way)
		x += r
		*is.word(i), ok = x, ok && x >= w.min && x <= w.max
		if v == 0 {
			*is.word(int(w.phase)) = 0
			continue
		}
		if have < prefix.MaxCode {
			acc, have = d.Refill(acc, have)
		}
		f := k.u.phases[w.hidden][s].t.Find(acc)
		acc, have = acc>>(f.Bits()&63), have-f.Bits()
		*is.word(int(w.phase)) = (oddPhase(phase)+int32(f.Symbol())+phaseHalf)&(phaseKinds-1) - phaseHalf
	}
	d.Return(acc, have)
	return ok
}

// foresee is the expected value of word i, whose course in this model is c.
func (m *rowModel) foresee(c *course, base, now rowWords, i int, n uint32) int32 {
	if c.way == byHeading {
		return m.aim.expect(base, now)
	}
	return c.expect(base, now, i, n)
}

// smallResidual is the residual that a state stands for, 0 for stateLarge.
var smallResidual = [stateKinds]int32{statePlus: 1, stateMinus: -1}
