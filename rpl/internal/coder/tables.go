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
//	type 1 byte = 3, then bits: number 2, the codes of the steps between code lengths,
//	the lengths of gaps, and those of present rows; per row type: the heading, the lines, per chunk patterns, states and lengths,
//	the tables of any update, which word gives the class, per class its own and those
//	of its contexts, the keyframe's and its bases; a one at the end.

// maxTable is the most bytes that a set of tables may take.
const maxTable = 32 << 10

// A tableCoder counts, writes or reads a set with the same code: it writes if e is set,
// reads if d is set, and counts otherwise. Its methods take the value to write and
// return it; when reading, they ignore the argument and return what was read.
type tableCoder struct {
	e     *prefix.Encoder
	d     *prefix.Decoder
	steps [2]*prefix.Table // the second is for steps from a length of none
	count [2][stepSyms]uint64
	bad   bool
}

// A step leads from one length of a list to the next: 0 if the next is none, else the
// difference plus stepZero.
const (
	stepZero = prefix.MaxLen + 1
	stepSyms = 2*prefix.MaxLen + 2

	stepBits  = 5 // the size of a step's number
	stepStart = 6 // stands for the length before the first
)

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
// escape's, then the others up to the last one that is not 0.
func (c *tableCoder) list(q []uint8, n int, base *prefix.Table) []uint8 {
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
	last, after := uint8(stepStart), 0
	for i := -1; i < some; i++ {
		at := i
		if i < 0 {
			at = n - 1
		}
		q[at] = c.step(q[at], last, after)
		if after = 1; q[at] > 0 {
			last, after = q[at], 0
		}
	}
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

// usualSteps are the codes of steps where a set has none of its own: after a length, and after
// none.
var usualSteps = func() (t [2]*prefix.Table) {
	for after, none := range []uint64{64, 512} {
		w := make([]uint64, stepSyms)
		for i := range w {
			w[i] = 256 >> min(max(i-stepZero, stepZero-i), 8)
		}
		w[0] = none
		t[after] = prefix.Fit(w)
	}
	return t
}()

// set codes a whole set.
func (c *tableCoder) set(s *TableSet, types []*rowtype.Type, d *Model) {
	if c.reading() {
		s.Rows = NewTableSet(types).Rows
	}
	s.gap = c.list(s.gap, gapSyms+1, d.Entry.Gap.T)
	c.presents(s, d)
	for i, t := range types {
		if c.bad || c.reading() && c.d.Err() != nil {
			c.bad = true
			return
		}
		if used := c.flag(s.Rows[i].used()); used {
			c.row(&s.Rows[i], t, &d.Rows[i])
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

// row codes what was learned of a row type.
func (c *tableCoder) row(s *rowSet, t *rowtype.Type, d *rowModel) {
	n := len(t.Words)
	if t.Heading >= 0 {
		c.heading(&s.Heading)
	}
	c.lines(s, t)
	c.sources(s, t)
	for k := range s.shapes {
		for j := range s.shapes[k].chunks {
			c.chunk(&s.shapes[k].chunks[j], min(chunkLen, n-j*chunkLen), d.Shapes[k].quads(j))
		}
	}
	c.record(&s.any, &d.Updates[0][0], nil)
	c.classes(s, t)
	for k := range s.updates {
		c.update(&s.updates[k], &d.Updates[0][0], s)
	}
	c.record(&s.keys, &d.Keys, nil)
	for w := range n {
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
func (c *tableCoder) update(u *updateSet, d *recordModel, s *rowSet) {
	if s.classWord >= 0 {
		c.record(&u.all, d, &s.shapes[ShapeUpdate])
	}
	for k := range u.contexts {
		c.record(&u.contexts[k], d, &s.shapes[ShapeUpdate])
	}
}

// record codes the tables of a context. Joint tables are coded only for a given shape,
// and only for its chunks with patterns.
func (c *tableCoder) record(u *recordSet, d *recordModel, shape *shapeSet) {
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
				u.joint[k] = c.list(u.joint[k], n+1, nil)
			}
		}
	}
	for w := range u.large {
		u.large[w] = c.list(u.large[w], signedSyms+1, d.Large[w].T)
	}
	for i := range u.fractions {
		for j := range u.fractions[i] {
			u.fractions[i][j] = c.list(u.fractions[i][j], rowtype.FractionValues+1, d.Fractions[i][j].T)
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
// that, the lengths of their codes, and of those of quads; def are the default quads.
func (c *tableCoder) chunk(s *chunkSet, words int, def [][2]Table) {
	if !c.flag(s.patterns != nil) {
		return
	}
	n := int(c.bits(uint32(len(s.patterns)), 8))
	if c.reading() {
		s.patterns, s.states, s.quads = make([]uint32, n), make([][2][stateValues]uint8, words), make([][2][]uint8, len(def))
	}
	if c.e != nil || c.d != nil { // they are coded by a code of their own: there is nothing to count
		if !c.patterns(s, words) {
			c.bad = true
			return
		}
	}
	for q := range s.quads {
		for prev := range s.quads[q] {
			base := def[q][prev].T
			s.quads[q][prev] = c.list(s.quads[q][prev], base.Len()+1, base)
		}
	}
	s.joint = c.list(s.joint, n+1, nil)
	if n == 0 || s.joint == nil {
		c.bad = true
	}
}

// patterns codes the patterns of a chunk, and before them the states by which they are coded.
func (c *tableCoder) patterns(s *chunkSet, words int) bool {
	var own [chunkLen][2]*prefix.Table
	for w := range words {
		for prev := range 2 {
			l := &s.states[w][prev]
			for k := range l {
				l[k] = uint8(c.bits(uint32(l[k]), 2))
			}
			t, err := prefix.New(l[:], nil)
			if err != nil {
				return false
			}
			own[w][prev] = t
		}
	}
	for i := range s.patterns {
		p, prev := uint32(0), 0
		for w := range words {
			k := c.symbol(own[w][prev], int(s.patterns[i]>>(2*w)&3))
			p |= uint32(k) << (2 * w)
			prev = min(k, 1)
		}
		s.patterns[i] = p
	}
	return true
}

// Append appends the set; d is the default model.
func (s *TableSet) Append(b []byte, types []*rowtype.Type, d *Model) []byte {
	var c tableCoder
	c.set(s, types, d) // counts
	var e prefix.Encoder
	e.Reset(b)
	c.e = &e
	e.PutBits(uint32(s.Number), 2)
	c.code()
	c.set(s, types, d)
	return e.Finish()
}

// ParseTables reads a set, or refuses it; d is the default model.
func ParseTables(b []byte, types []*rowtype.Type, d *Model) (*TableSet, error) {
	if len(b) > maxTable {
		return nil, fmt.Errorf("%w: tables of %d bytes", ids.ErrPacket, len(b))
	}
	var dec prefix.Decoder
	dec.Reset(b)
	s := &TableSet{Number: uint8(dec.Bits(2))}
	c := tableCoder{d: &dec}
	if c.code(); !c.bad {
		c.set(s, types, d)
	}
	if c.bad || dec.End() != nil || s.Number == 0 {
		return nil, fmt.Errorf("%w: tables are damaged", ids.ErrPacket)
	}
	return s, nil
}
