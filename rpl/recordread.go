package rpl

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Reading the record of an update: what a client does most.

// readUpdate is the inverse of appendUpdate; false when a value is out of its
// range.
func (m *model) readUpdate(d *prefix.Decoder, t *rowType, base, now []int32, n uint32) bool {
	row := &m.rows[t.index]
	u := &row.updates[t.kindOf(row.kind, base)][t.context(base, n)]
	copy(now, base) // what has not changed, and is not predicted
	ok := true
	for c := range u.joint {
		from := c * chunkLen
		var pattern uint32
		if k := d.Symbol(u.joint[c].t); k > 0 {
			pattern = row.shapes[shapeUpdate].chunks[c].patterns[k-1]
		} else {
			pattern = row.shapes[shapeUpdate].pattern(d, from, min(from+chunkLen, len(t.words)))
		}
		ok = row.readWords(d, t, u, pattern, from, base, now, n) && ok
	}
	return ok
}

// readWords reads what a pattern says of the words of a chunk. The decoder's bits
// are kept in registers meanwhile.
func (m *rowModel) readWords(d *prefix.Decoder, t *rowType, u *recordModel, pattern uint32, from int, base, now []int32, n uint32) bool {
	ok := true
	was, is := t.at(base), t.at(now)
	acc, have := d.Ready()
	for rest := (pattern|pattern>>1)&0x55555555 | m.chunks[from/chunkLen].moving; rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros32(rest)
		i := from + bit/2
		s := pattern >> bit & 3
		r := smallResidual[s]
		if s == stateLarge {
			if have < prefix.MaxCode {
				acc, have = d.Refill(acc, have)
			}
			f := u.large[i].t.Find(acc)
			p := &signedPlaces[uint8(f.Symbol())]
			k := f.Bits() + int(p.n)
			if have < k {
				acc, have = d.Refill(acc, have)
			}
			r = p.residual(acc >> (f.Bits() & 63))
			acc, have = acc>>(k&63), have-k
		}
		w := &m.courses[i]
		switch w.way {
		case byPhase:
			x, phase := w.reach(was, is, i, n)
			x += r
			now[i], ok = x, ok && x >= w.min && x <= w.max
			if now[w.velocity] == 0 {
				now[w.phase] = 0
				continue
			}
			if have < prefix.MaxCode {
				acc, have = d.Refill(acc, have)
			}
			f := u.phases[int(w.phase)-len(t.words)][s].t.Find(acc)
			acc, have = acc>>(f.Bits()&63), have-f.Bits()
			now[w.phase] = (oddPhase(phase)+int32(f.Symbol())+phaseHalf)&(2*phaseHalf-1) - phaseHalf
		default:
			x, in := w.apply(m.foresee(t, was, is, i, n), r)
			now[i], ok = x, ok && in
		}
	}
	d.Return(acc, have)
	return ok
}

// foresee is what word i should be.
func (m *rowModel) foresee(t *rowType, base, now rowWords, i int, n uint32) int32 {
	c := &m.courses[i]
	if c.way == byHeading {
		return m.heading.expect(t, base, now)
	}
	return c.expect(base, now, i, n)
}

// smallResidual is what a state says of the residual by itself.
var smallResidual = [stateKinds]int32{statePlus: 1, stateMinus: -1}
