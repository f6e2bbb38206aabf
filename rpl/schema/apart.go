package schema

// Apart: whether what two machines have computed is the same, but for rounding.

import (
	"math"
	"slices"
	"strings"
)

// Apart returns by how much two words of a prop, of two machines, differ in the prop's unit, beyond
// the rounding of so many quantiser steps: one for states that should be the same.
func Apart(p *Prop, w *Word, mine, theirs int32, steps int64) float64 {
	d := int64(mine) - int64(theirs)
	if w.Wrap {
		all := int64(w.Max) - int64(w.Min) + 1
		if d %= all; d > all/2 {
			d -= all
		} else if d < -all/2 {
			d += all
		}
	}
	d = max(d, -d)
	if w.Raw {
		if w.Wide {
			return float64(d)
		}
		a, b := float64(math.Float32frombits(uint32(mine))), float64(math.Float32frombits(uint32(theirs)))
		if off := math.Abs(a - b); off > 1e-5*max(1, math.Abs(a)) {
			return off
		}
		return 0
	}
	if d <= steps && (strings.HasPrefix(p.Kind, "float") || strings.HasPrefix(p.Kind, "angle")) {
		return 0
	}
	return float64(d) * max(p.Step, 0)
}

// nearRows is equalRows but for the rounding of a step in each number.
func (l *fieldLayout) nearRows(a, b *rows) bool {
	if a == b {
		return true
	}
	if a.n != b.n || len(a.words) != len(b.words) {
		return false
	}
	for i, v := range a.words {
		w := &l.words[i%len(l.words)]
		if v != b.words[i] && Apart(&l.props[w.Prop], w, v, b.words[i], 1) != 0 {
			return false
		}
	}
	for i, v := range a.vars {
		if !l.vars[i%len(l.vars)].Type.Near(v, b.vars[i]) {
			return false
		}
	}
	return true
}

func (t *listVar) Near(a, b any) bool { return t.elem.nearRows(rowsOf(a), rowsOf(b)) }

func (t *mapVar[K]) Near(a, b any) bool {
	x, y := entriesOf[K](a), entriesOf[K](b)
	return x == y || slices.Equal(x.keys, y.keys) && t.elem.nearRows(&x.rows, &y.rows)
}

func (t textVar) Near(a, b any) bool { return t.Equal(a, b) }

func (t *codecVar[T, S]) Near(a, b any) bool { return t.Equal(a, b) }
