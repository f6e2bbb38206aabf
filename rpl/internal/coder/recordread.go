package coder

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Reading the record of an update: what a client does most.

// ReadUpdate is the inverse of CodeUpdate; it returns false if a value is out of its
// range. second and said are as in CodeUpdate.
func (m *Model) ReadUpdate(d *prefix.Decoder, t *rowtype.Type, base, now []int32, second *rowtype.Second, said []rowtype.Said, n uint32) bool {
	row := &m.Rows[t.Index]
	was, is := t.At(base), t.At(now)
	u := &row.Updates[t.ClassOf(row.ClassWord, was)][contextOf(t, was, n)]
	r := recordReader{row, u, was, is, second, said, n}
	copy(now, base) // for words that have not changed and are not predicted
	ok := true
	for c := range u.Joint {
		var pattern uint32
		if k := d.Symbol(u.Joint[c].T); k > 0 {
			pattern = row.Shapes[ShapeUpdate].Chunks[c].Patterns[k-1]
		} else {
			pattern = row.Shapes[ShapeUpdate].pattern(d, c)
		}
		ok = r.words(d, pattern, c) && ok
	}
	return ok
}

// A recordReader reads the words of one update.
type recordReader struct {
	m       *rowModel
	u       *recordModel // of the update's context
	was, is rowtype.Words
	second  *rowtype.Second
	said    []rowtype.Said
	n       uint32
}

// words reads the words of chunk c, by its pattern. Meanwhile the decoder's bits are in
// local variables, to stay in registers.
func (k *recordReader) words(d *prefix.Decoder, pattern uint32, c int) bool {
	was, is, from := k.was, k.is, c*chunkLen
	chunk, large := &k.m.chunks[c], k.u.Large[from:]
	rest := (pattern|pattern>>1)&lowBits | chunk.moving
	for i := range k.said {
		if w := k.said[i].Word; w/chunkLen == c {
			rest |= bitOf(w)
		}
	}
	ok := true
	acc, have := d.Ready()
	for ; rest != 0; rest &= rest - 1 {
		bit := uint(bits.TrailingZeros32(rest)) & 31
		at := bit / 2
		i := from + int(at)
		s := pattern >> bit % stateValues
		r := smallResidual[s]
		if s == stateLarge {
			if have < prefix.MaxCode {
				acc, have = d.Refill(acc, have)
			}
			f := large[at].T.Find(acc)
			p := &signedPlaces[uint8(f.Symbol())]
			n := f.Bits() + int(p.n)
			if have < n {
				acc, have = d.Refill(acc, have)
			}
			r = p.residual(acc >> (f.Bits() & 63))
			acc, have = acc>>(n&63), have-n
			if f.Symbol() == 0 && k.m.sources != nil && k.m.sources[i] != sourceNone {
				var in bool
				acc, have, in = k.given(d, &chunk.motions[at], i, s, acc, have)
				ok = ok && in
				continue
			}
		}
		w := &chunk.motions[at]
		if len(k.said) > 0 {
			if x, said := k.saidOf(i); said {
				var in bool
				acc, have, in = k.set(d, w, i, s, x+r, acc, have)
				ok = ok && in
				continue
			}
		}
		if w.Wraps {
			x, in := w.Apply(k.m.foresee(w, was, is, i, k.n), r)
			*is.Word(i), ok = x, ok && in
			continue
		}
		if w.Way == rowtype.ByBase {
			x := *was.Word(i) + r
			*is.Word(i), ok = x, ok && x >= w.Min && x <= w.Max
			continue
		}
		if w.Way >= rowtype.ByLine && (w.Way == rowtype.ByLine || k.second.P != nil && *was.Word(int(w.Velocity))|*is.Word(int(w.Velocity)) == 0) {
			x := k.m.along(w, was, is, k.second, i, k.n) + r
			*is.Word(i), ok = x, ok && x >= w.Min && x <= w.Max
			if w.Fraction >= 0 {
				*is.Word(int(w.Fraction)) = 0
			}
			continue
		}
		v := *is.Word(int(w.Velocity))
		way := rowtype.Travel(*was.Word(int(w.Velocity)), v, int64(k.n), w.Rate, rowtype.FractionBits)
		x, fraction := w.Reached(*was.Word(i), *was.Word(int(w.Fraction)), way)
		x += r
		*is.Word(i), ok = x, ok && x >= w.Min && x <= w.Max
		if w.IsWhole(v) {
			*is.Word(int(w.Fraction)) = 0
			continue
		}
		if have < prefix.MaxCode {
			acc, have = d.Refill(acc, have)
		}
		f := k.u.Fractions[w.Hidden][s].T.Find(acc)
		acc, have = acc>>(f.Bits()&63), have-f.Bits()
		*is.Word(int(w.Fraction)) = (rowtype.OddFraction(fraction)+int32(f.Symbol())+rowtype.HalfStep)&(rowtype.FractionValues-1) - rowtype.HalfStep
	}
	d.Return(acc, have)
	return ok
}

// saidOf is what rows before this one have said of a word.
func (k *recordReader) saidOf(i int) (x int32, said bool) {
	for j := range k.said {
		if k.said[j].Word == i {
			return k.said[j].Value, true
		}
	}
	return 0, false
}

// foresee is the expected value of word i, whose motion in this model is c.
func (m *rowModel) foresee(c *rowtype.Motion, base, now rowtype.Words, i int, n uint32) int32 {
	if c.Way == rowtype.ByHeading {
		return m.aim.Expect(base, now)
	}
	return c.Expect(base, now, i, n)
}

// smallResidual is the residual that a state stands for, 0 for stateLarge.
var smallResidual = [stateValues]int32{statePlus: 1, stateMinus: -1}
