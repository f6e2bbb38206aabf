package coder

import (
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Cost is the bits that what was counted takes with a model's tables, without raw bits,
// which are the same in all models.
func (l *Learner) Cost(types []*rowtype.Type, m *Model) float64 {
	bits := l.entryCost(&m.Entry)
	for i, t := range types {
		bits += l.Rows[i].cost(t, &m.Rows[i])
	}
	return bits
}

// Counted is how much a learner has counted: the bits, of which those of joins are most, and updates.
type Counted struct {
	Bits    float64
	Updates uint64
}

// Counted is how much was counted, in bits of a model's tables.
func (l *Learner) Counted(types []*rowtype.Type, m *Model) Counted {
	return Counted{l.Cost(types, m), l.Updates()}
}

// Add adds what else was counted.
func (c *Counted) Add(more Counted) {
	c.Bits += more.Bits
	c.Updates += more.Updates
}

// MoreThan is whether an eighth more was counted than at an earlier fit. In a world at rest nothing is
// coded, and the next fit would say what the last one did.
func (c Counted) MoreThan(fitted Counted) bool {
	return c.Bits > fitted.Bits*9/8 || c.Updates > fitted.Updates*9/8
}

// entryCost is the same for how entries are named.
func (l *Learner) entryCost(m *EntryModel) float64 {
	bits := tableCost(&m.Gap, l.Gaps)
	for i := range l.present {
		bits += tableCost(&m.Present[i], l.present[i])
	}
	return bits
}

// cost is the same for one row type. The counted classes must be the model's, or the
// model has none.
func (r *rowLearner) cost(t *rowtype.Type, m *rowModel) float64 {
	bits := r.keys.cost(t, &m.Shapes[ShapeKey], &m.Keys)
	for k := range r.Updates {
		u := &m.Updates[0]
		if m.ClassWord >= 0 {
			u = &m.Updates[k]
		}
		for c := range u {
			bits += r.Updates[k][c].cost(t, &m.Shapes[ShapeUpdate], &u[c])
		}
	}
	return bits
}

// cost is the same for the records of one context.
func (l *recordLearner) cost(t *rowtype.Type, shape *shapeModel, u *recordModel) (bits float64) {
	if l.n == 0 {
		return 0
	}
	for k := range l.Chunks {
		bits += l.Chunks[k].cost(shape.Chunks[k], &u.Joint[k], shape.quads(k))
	}
	for w := range l.large {
		bits += tableCost(&u.Large[w], l.large[w][:])
	}
	for w := range u.Fractions {
		for k := range u.Fractions[w] {
			bits += tableCost(&u.Fractions[w][k], l.fractionCounts(w, k))
		}
	}
	return bits
}

// cost is the same for the patterns of one chunk.
func (p *patternCount) cost(c *chunkModel, joint *Table, quads [][2]Table) float64 {
	bits := int64(0)
	for i := range p.Slots {
		n, pattern := p.Slots[i].N, p.Slots[i].pattern
		if n == 0 {
			continue
		}
		k := c.find(pattern)
		b := joint.T.Cost(k)
		if k == 0 || b == 0 {
			b = joint.T.Cost(0) + spelt(quads, pattern)
		}
		bits += int64(b) * int64(n)
	}
	return float64(bits)
}

// tableCost is the bits of symbols that were counted n times each.
func tableCost(t *Table, n []uint32) float64 {
	bits := int64(0)
	for i, k := range n {
		bits += int64(t.T.Cost(i)) * int64(k)
	}
	return float64(bits)
}
