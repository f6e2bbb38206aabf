package rpl

import (
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/rangecode"
)

// Tables on their way: a set as one reliable message, and the model that both
// ends make of it. Everything here is integers, so both make the same.
//
//	type 1, then range-coded with adaptive bits: number 2 bits, per row type and
//	context: patterns, their counts, the states of what has none, the counts of
//	larger residuals; per row type: the counts and bases of keyframes.

// maxTable is the bytes that a set of tables may take.
const maxTable = 32 << 10

// blend is how many observations the default table is worth beside counts.
const blend = 4

// learned makes a table of quantised counts, blended with the default.
func learned(q []uint8, def table) table {
	if q == nil {
		return def
	}
	w := make([]uint64, len(q))
	for i, k := range q {
		w[i] = logWeight[k]<<14 + blend*16*uint64(def.t.Freq(i))
	}
	return table{t: rangecode.FitInts(w)}
}

// build makes the model of a set; d is the default model.
func (s *tableSet) build(types []*rowType, d *model) *model {
	m := &model{number: s.number, entry: d.entry}
	for i, t := range types {
		set, def := &s.rows[i], &d.rows[i]
		var r rowModel
		for c := range r.updates {
			r.updates[c] = set.updates[c].build(t, &def.updates[c])
		}
		for w := range t.words {
			r.key = append(r.key, learned(set.key[w], def.key[w]))
			base := def.keyBase[w]
			if set.hasBase[w] {
				base = set.keyBase[w]
			}
			r.keyBase = append(r.keyBase, base)
		}
		m.rows = append(m.rows, r)
	}
	return m
}

func (s *updateSet) build(t *rowType, def *recordModel) recordModel {
	var u recordModel
	for c := range def.chunks {
		from := c * chunkLen
		words := min(chunkLen, len(t.words)-from)
		set := &s.chunks[c]
		chunk := chunkModel{joint: def.chunks[c].joint}
		if len(set.joint) > 0 {
			w := make([]uint64, len(set.joint))
			for i, q := range set.joint {
				w[i] = max(logWeight[q], 1)
			}
			chunk.joint = table{t: rangecode.FitInts(w)}
			chunk.setPatterns(set.patterns)
		}
		u.chunks = append(u.chunks, chunk)
		for w := range words {
			pair := def.states[from+w]
			if set.states != nil {
				for prev := range 2 {
					pair[prev] = learned(set.states[w][prev][:], pair[prev])
				}
			}
			u.states = append(u.states, pair)
		}
	}
	for w := range t.words {
		u.large = append(u.large, learned(s.large[w], def.large[w]))
	}
	for i := range t.phased {
		var p [stateKinds]table
		for k := range p {
			p[k] = learned(s.phases[i][k], def.phases[i][k])
		}
		u.phases = append(u.phases, p)
	}
	return u
}

// tableCoder writes or reads a set with the same code: v goes out or comes in.
type tableCoder struct {
	e *rangecode.Encoder
	d *rangecode.Decoder

	quants [2]rangecode.Tree // after a zero, after another
	states [chunkLen][4]rangecode.Tree
	counts rangecode.Tree
	flags  [4]rangecode.Bit
	prev   int
	bad    bool
}

func (c *tableCoder) tree(t *rangecode.Tree, n int, v uint32) uint32 {
	if c.e != nil {
		c.e.PutTree(t, n, v)
		return v
	}
	return c.d.Tree(t, n)
}

func (c *tableCoder) flag(i int, v bool) bool {
	if c.e != nil {
		c.e.PutBit(&c.flags[i], flag(v))
		return v
	}
	return c.d.Bit(&c.flags[i]) == 1
}

// counts codes n quantised counts, or that there are none.
func (c *tableCoder) list(q []uint8, n int) []uint8 {
	if !c.flag(0, q != nil) {
		return nil
	}
	if c.d != nil {
		q = make([]uint8, n)
	}
	c.prev = 0
	for i := range q {
		q[i] = uint8(c.tree(&c.quants[c.prev], 6, uint32(q[i])))
		c.prev = min(int(q[i]), 1)
	}
	return q
}

func (c *tableCoder) bits32(v int32) int32 {
	if c.e != nil {
		c.e.PutBits(uint32(v), 32)
		return v
	}
	return int32(c.d.Bits(32))
}

func (c *tableCoder) set(s *tableSet, types []*rowType) {
	if c.d != nil {
		s.rows = make([]rowSet, len(types))
	}
	for i, t := range types {
		c.row(&s.rows[i], t)
		if c.d != nil && c.d.Err() != nil {
			c.bad = true
			return
		}
	}
}

func (c *tableCoder) row(s *rowSet, t *rowType) {
	n := len(t.words)
	if c.d != nil {
		s.key, s.keyBase, s.hasBase = make([][]uint8, n), make([]int32, n), make([]bool, n)
	}
	for k := range s.updates {
		u := &s.updates[k]
		if c.d != nil {
			u.chunks, u.large = make([]chunkSet, (n+chunkLen-1)/chunkLen), make([][]uint8, n)
			u.phases = make([][stateKinds][]uint8, len(t.phased))
		}
		for j := range u.chunks {
			c.chunk(&u.chunks[j], min(chunkLen, n-j*chunkLen))
		}
		for w := range u.large {
			u.large[w] = c.list(u.large[w], signedSyms)
		}
		for i := range u.phases {
			for j := range u.phases[i] {
				u.phases[i][j] = c.list(u.phases[i][j], 2*phaseHalf)
			}
		}
	}
	for w := range n {
		s.key[w] = c.list(s.key[w], signedSyms)
		if s.hasBase[w] = c.flag(1, s.hasBase[w]); s.hasBase[w] {
			s.keyBase[w] = c.bits32(s.keyBase[w])
			if x := s.keyBase[w]; x < t.words[w].Min || x > t.words[w].Max {
				c.bad = true
			}
		}
	}
}

func (c *tableCoder) chunk(s *chunkSet, words int) {
	if !c.flag(2, len(s.joint) > 0) {
		return
	}
	n := int(c.tree(&c.counts, 7, uint32(len(s.patterns))))
	if c.d != nil {
		s.patterns, s.joint = make([]uint32, n), make([]uint8, n+1)
	}
	for i := range n {
		p := uint32(0)
		prev := uint32(0)
		for w := range words {
			k := c.tree(&c.states[w][prev], 2, s.patterns[i]>>(2*w)&3)
			p |= k << (2 * w)
			prev = k
		}
		s.patterns[i] = p
	}
	for i := range s.joint {
		s.joint[i] = uint8(c.tree(&c.quants[1], 6, uint32(s.joint[i])))
	}
	if !c.flag(3, s.states != nil) {
		return
	}
	if c.d != nil {
		s.states = make([][2][4]uint8, words)
	}
	for w := range s.states {
		for prev := range 2 {
			for k := range 4 {
				s.states[w][prev][k] = uint8(c.tree(&c.quants[1], 6, uint32(s.states[w][prev][k])))
			}
		}
	}
}

// append writes the set as a reliable message.
func (s *tableSet) append(b []byte, types []*rowType) []byte {
	var e rangecode.Encoder
	e.Reset(append(b, msgTable))
	e.PutBits(uint32(s.number), 2)
	c := tableCoder{e: &e}
	c.set(s, types)
	return e.Finish()
}

// parseTables reads a set, or refuses.
func parseTables(b []byte, types []*rowType) (*tableSet, error) {
	if len(b) > maxTable {
		return nil, fmt.Errorf("%w: tables of %d bytes", ErrPacket, len(b))
	}
	var d rangecode.Decoder
	d.Reset(b)
	s := &tableSet{number: uint8(d.Bits(2))}
	c := tableCoder{d: &d}
	c.set(s, types)
	if c.bad || d.Err() != nil || s.number == 0 {
		return nil, fmt.Errorf("%w: tables are damaged", ErrPacket)
	}
	return s, nil
}
