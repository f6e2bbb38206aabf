package coder

import (
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Learned tables as they are sent: a set as one reliable message. Everything here is
// integers, so that both ends make the same model of it.
//
//	type 1 byte = 3, then bits: number 2, whether by differences, the codes of the steps between
//	code lengths, the lengths of gaps, and those of present rows; per row type: the heading, the lines, per chunk patterns, states and lengths,
//	the tables of any update, which word gives the class, per class its own and those
//	of its contexts, the keyframe's and its bases; a one at the end.
//
// To a peer that has the set before, a set is sent as its differences from that: what is the same
// takes a bit, and lengths that change are steps from what they were.

// Before is the number of the set before, and After that of the set after the set of a number.
func Before(number uint8) uint8 { return (number+1)%3 + 1 }
func After(number uint8) uint8  { return number%3 + 1 }

// maxTable is the most bytes that a set of tables may take.
const maxTable = 32 << 10

// A tableCoder counts, writes or reads a set with the same code: it writes if e is set,
// reads if d is set, and counts otherwise. Its methods take the value to write and
// return it; when reading, they ignore the argument and return what was read.
type tableCoder struct {
	e     *prefix.Encoder
	d     *prefix.Decoder
	was   *TableSet // the set before, nil for a set that stands alone
	steps [stepCodes]*prefix.Table
	count [stepCodes][stepSyms]uint64
	bad   bool
}

func (c *tableCoder) reading() bool { return c.d != nil }

// bits codes n raw bits, flag one, and symbol a symbol of a table.
func (c *tableCoder) bits(v uint32, n int) uint32 {
	switch {
	case c.d != nil:
		return c.d.Bits(n)
	case c.e != nil:
		c.e.PutBits(v, n)
	}
	return v
}

func (c *tableCoder) flag(v bool) bool { return c.bits(uint32(flag(v)), 1) == 1 }

func (c *tableCoder) symbol(t *prefix.Table, v int) int {
	switch {
	case c.d != nil:
		return c.d.Symbol(t)
	case c.e != nil:
		c.e.PutOne(t.Sym(v))
	}
	return v
}

// set codes a whole set.
func (c *tableCoder) set(s *TableSet, types []*rowtype.Type, d *Model) {
	if c.reading() {
		s.Rows = NewTableSet(types).Rows
	}
	var was *TableSet
	if was = c.was; was == nil {
		was = NewTableSet(types)
	}
	s.gap = c.list(s.gap, was.gap, gapSyms+1, d.Entry.Gap.T)
	c.presents(s, was, d)
	for i, t := range types {
		if c.bad || c.reading() && c.d.Err() != nil {
			c.bad = true
			return
		}
		if used := c.flag(s.Rows[i].used()); used {
			c.row(&s.Rows[i], &was.Rows[i], t, &d.Rows[i])
		}
	}
	if !c.flag(true) {
		c.bad = true // cut short; otherwise zeros at the end could be missing
	}
}

// used reports whether anything of a row type was learned; shaped whether patterns
// were.
func (s *rowSet) used() bool { return s.Heading.On || s.Lines != nil || s.sources != nil || s.shaped() }

func (s *rowSet) shaped() bool {
	for k := range s.shapes {
		for c := range s.shapes[k].chunks {
			if s.shapes[k].chunks[c].patterns != nil {
				return true
			}
		}
	}
	return false
}

// row codes what was learned of a row type; was is what the set before has of it.
func (c *tableCoder) row(s, was *rowSet, t *rowtype.Type, d *rowModel) {
	n := len(t.Words)
	if t.Heading >= 0 {
		c.heading(&s.Heading)
	}
	if was.Lines != nil && c.flag(slices.Equal(s.Lines, was.Lines)) {
		s.Lines = was.Lines
	} else {
		c.lines(s, t)
	}
	if was.sources != nil && c.flag(slices.Equal(s.sources, was.sources)) {
		s.sources = was.sources
	} else {
		c.sources(s, t)
	}
	for k := range s.shapes {
		for j := range s.shapes[k].chunks {
			c.chunk(&s.shapes[k].chunks[j], &was.shapes[k].chunks[j], min(chunkLen, n-j*chunkLen), d.Shapes[k].quads(j))
		}
	}
	c.record(&s.any, &was.any, &d.Updates[0][0], nil, nil)
	c.classes(s, t)
	for k := range s.updates {
		c.update(&s.updates[k], was.update(s.classWord, k), &d.Updates[0][0], s, was)
	}
	c.record(&s.keys, &was.keys, &d.Keys, nil, nil)
	for w := range n {
		if was.hasBase[w] && c.flag(s.hasBase[w] && s.keyBase[w] == was.keyBase[w]) {
			s.hasBase[w], s.keyBase[w] = true, was.keyBase[w]
			continue
		}
		if s.hasBase[w] = c.flag(s.hasBase[w]); s.hasBase[w] {
			s.keyBase[w] = int32(c.bits(uint32(s.keyBase[w]), 32))
			if x := s.keyBase[w]; x < t.Words[w].Min || x > t.Words[w].Max {
				c.bad = true
			}
		}
	}
}

func (c *tableCoder) heading(h *rowtype.Heading) {
	if h.On = c.flag(h.On); h.On {
		h.Mirrored = c.flag(h.Mirrored)
		h.From = int32(c.bits(uint32(h.From), 32))
	}
}

// lines codes which words are coded along lines.
func (c *tableCoder) lines(s *rowSet, t *rowtype.Type) {
	if !c.flag(s.Lines != nil) {
		return
	}
	if c.reading() {
		s.Lines = make([]bool, len(t.Words))
	}
	for i := range t.Words {
		if t.Lines(i) {
			s.Lines[i] = c.flag(s.Lines[i])
		}
	}
}

// classes codes which word gives the class, and makes room for the tables of each class.
func (c *tableCoder) classes(s *rowSet, t *rowtype.Type) {
	if !c.flag(s.classWord >= 0) {
		return
	}
	w := int(c.bits(uint32(s.classWord), rowtype.ClassWordBits))
	switch {
	case !slices.Contains(t.ClassWords, w):
		c.bad = true
	case c.reading():
		s.classWord, s.updates = w, make([]updateSet, t.ClassesOf(w))
	}
}

// update codes the tables of one class: those of any context, if there are classes, and
// those of each context.
func (c *tableCoder) update(u, before *updateSet, d *recordModel, s, was *rowSet) {
	shape, shaped := &s.shapes[ShapeUpdate], &was.shapes[ShapeUpdate]
	if s.classWord >= 0 {
		c.record(&u.all, &before.all, d, shape, shaped)
	}
	for k := range u.contexts {
		c.record(&u.contexts[k], &before.contexts[k], d, shape, shaped)
	}
}

// record codes the tables of a context. Joint tables are coded only for a given shape,
// and only for its chunks with patterns. In the set before they were before, of the shape shaped.
func (c *tableCoder) record(u, before *recordSet, d *recordModel, shape, shaped *shapeSet) {
	if !c.flag(u.used()) {
		return
	}
	if c.reading() {
		u.joint, u.large = make([][]uint8, len(d.Joint)), make([][]uint8, len(d.Large))
		u.fractions = make([][stateValues][]uint8, len(d.Fractions))
	}
	if shape != nil {
		for k := range u.joint {
			if n := len(shape.chunks[k].patterns); n > 0 {
				was := align(shape.chunks[k].patterns, shaped.chunks[k].patterns, at(before.joint, k))
				u.joint[k] = c.list(u.joint[k], was, n+1, nil)
			}
		}
	}
	for w := range u.large {
		u.large[w] = c.list(u.large[w], at(before.large, w), signedSyms+1, d.Large[w].T)
	}
	for i := range u.fractions {
		for j := range u.fractions[i] {
			u.fractions[i][j] = c.list(u.fractions[i][j], at(before.fractions, i)[j], rowtype.FractionValues+1, d.Fractions[i][j].T)
		}
	}
}

// used reports whether a set has any table.
func (s *recordSet) used() bool {
	for lens := range s.lists {
		if lens != nil {
			return true
		}
	}
	return false
}

// chunk codes the patterns of a chunk: how often each state follows another, the patterns by
// that, the lengths of their codes, and of those of quads; def are the default quads. In the set
// before they were was.
func (c *tableCoder) chunk(s, was *chunkSet, words int, def [][2]Table) {
	if !c.flag(s.patterns != nil) {
		return
	}
	if c.reading() {
		s.states, s.quads = make([][2][stateValues]uint8, words), make([][2][]uint8, len(def))
	}
	if c.e != nil || c.d != nil { // they are coded by a code of their own: there is nothing to count
		if !c.patterns(s, was, words) {
			c.bad = true
			return
		}
	}
	for q := range s.quads {
		for prev := range s.quads[q] {
			base := def[q][prev].T
			s.quads[q][prev] = c.list(s.quads[q][prev], at(was.quads, q)[prev], base.Len()+1, base)
		}
	}
	s.joint = c.list(s.joint, align(s.patterns, was.patterns, was.joint), len(s.patterns)+1, nil)
	if s.joint == nil {
		c.bad = true
	}
}

// patterns codes the patterns of a chunk, and before them the states by which they are coded.
// Of a chunk that had patterns in the set before, the states stay, and it is said which
// patterns do, and which are new.
func (c *tableCoder) patterns(s, was *chunkSet, words int) bool {
	var added, kept []uint32
	if was.patterns == nil {
		added = s.patterns
	} else if s.states = was.states; c.flag(slices.Equal(s.patterns, was.patterns)) {
		s.patterns = was.patterns
		return true
	}
	for _, p := range was.patterns {
		if c.flag(slices.Contains(s.patterns, p)) {
			kept = append(kept, p)
		}
	}
	if was.patterns != nil {
		for _, p := range s.patterns {
			if !slices.Contains(was.patterns, p) {
				added = append(added, p)
			}
		}
	}
	n := int(c.bits(uint32(len(added)), 8))
	if len(kept)+n == 0 || len(kept)+n > maxPatterns {
		return false
	}
	var own [chunkLen][2]*prefix.Table
	for w := range words {
		for prev := range 2 {
			l := &s.states[w][prev]
			for k := range l {
				if was.patterns == nil {
					l[k] = uint8(c.bits(uint32(l[k]), 2))
				}
			}
			t, err := prefix.New(l[:], nil)
			if err != nil || slices.Contains(l[:], 0) {
				return false // each state has a code: a later set may have any pattern
			}
			own[w][prev] = t
		}
	}
	for i := range n {
		p, prev := uint32(0), 0
		for w := range words {
			k := c.symbol(own[w][prev], int(at(added, i)>>(2*w)&3))
			p |= uint32(k) << (2 * w)
			prev = min(k, 1)
		}
		kept = append(kept, p)
	}
	if c.reading() {
		if s.patterns = kept; was.patterns != nil {
			slices.Sort(s.patterns)
		}
	}
	return true
}

// at is element i of a list, or nothing where the list is too short.
func at[T any](list []T, i int) (x T) {
	if i < len(list) {
		x = list[i]
	}
	return x
}

// align returns the lengths, nil for none, that a list of the patterns was has for other patterns,
// the escape's first: a pattern that is new has none.
func align(patterns, was []uint32, lens []uint8) []uint8 {
	if lens == nil || slices.Equal(patterns, was) {
		return lens
	}
	aligned := make([]uint8, len(patterns)+1)
	aligned[0] = lens[0]
	for i, p := range patterns {
		if k, found := slices.BinarySearch(was, p); found {
			aligned[i+1] = lens[k+1]
		}
	}
	return aligned
}

// update is the tables by class k of a word, or all if there are no classes; none if the set does
// not go by that word.
func (s *rowSet) update(classWord, k int) *updateSet {
	if s.classWord != classWord {
		return &updateSet{}
	}
	return &s.updates[k]
}

// Append appends the set; d is the default model. It is given by its differences from the set
// before, or stands alone if was is nil.
func (s *TableSet) Append(b []byte, types []*rowtype.Type, d *Model, was *TableSet) []byte {
	c := tableCoder{was: was}
	c.set(s, types, d) // counts
	var e prefix.Encoder
	e.Reset(b)
	c.e = &e
	e.PutBits(uint32(s.Number), 2)
	c.flag(was != nil)
	c.code()
	c.set(s, types, d)
	return e.Finish()
}

// setNumber is the number of the set that a message describes, and whether by differences. A
// message that is too short has number 0.
func setNumber(b []byte) (number uint8, differs bool) {
	var dec prefix.Decoder
	dec.Reset(b)
	number = uint8(dec.Bits(2))
	return number, dec.Bits(1) == 1 && number > 0
}

// ParseTables reads a set, or refuses it; d is the default model. The model before, from which
// it may be given by differences, is nil if it is not known.
func ParseTables(b []byte, types []*rowtype.Type, d, before *Model) (*TableSet, error) {
	if len(b) > maxTable {
		return nil, fmt.Errorf("%w: tables of %d bytes", ids.ErrPacket, len(b))
	}
	var dec prefix.Decoder
	dec.Reset(b)
	s := &TableSet{Number: uint8(dec.Bits(2))}
	c := tableCoder{d: &dec}
	if c.flag(false) {
		if before == nil {
			return nil, fmt.Errorf("%w: tables by their differences from others that are not here", ids.ErrPacket)
		}
		c.was = before.Set
	}
	if c.code(); !c.bad {
		c.set(s, types, d)
	}
	if c.bad || dec.End() != nil || s.Number == 0 {
		return nil, fmt.Errorf("%w: tables are damaged", ids.ErrPacket)
	}
	return s, nil
}
