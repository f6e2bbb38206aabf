package coder

import (
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Records: how a row's words are coded as symbols. A chunk of words is coded as its
// pattern (pattern.go) and then, for each word in order, the residual if the pattern says
// only that it is large, and the fraction (fraction.go) if the word has one.

// rowModel is the tables by which the rows of one type are coded.
type rowModel struct {
	Shapes    [shapes]shapeModel
	ClassWord int             // the word that gives a row's class, -1 none (class.go)
	heading   rowtype.Heading // how an angle follows from the velocity (heading.go)
	angle     int             // that angle, -1 none
	aim       rowtype.Aim     // what that angle is computed from
	lines     []bool          // by word: whether updates code it along a line (line.go); nil: none
	still     []int           // the words of fractions that lines take the place of: they are 0 (line.go)
	sources   []uint8         // by word: where its frequent value comes from (source.go); nil: no word has one
	chunks    []rowChunk      // rowType.chunks, with the motions of that angle and of these words changed
	Updates   []updateModel   // for rows of any class, then for each class
	Keys      recordModel
	keyBase   []int32 // what a keyframe's words are coded against
}

// An updateModel codes updates, by context: whether the base moves, and how old it is.
type updateModel [contexts]recordModel

const (
	ages     = 3
	contexts = 2 * ages
)

const (
	ShapeUpdate = iota
	ShapeKey
	shapes
)

// recordModel codes records in one context.
type recordModel struct {
	Joint     []Table              // per chunk, of its patterns; 0 escapes
	Large     []Table              // per word, residuals beyond ±1
	Fractions [][stateValues]Table // per hidden word, by the state of the word it belongs to

	fractionCodes []prefix.Code // of fractions, at fractionAt
}

// fractionAt is the index in lists of all fractions at which the entries of a hidden word
// begin, for a state of the word that it belongs to: one entry for each difference from
// the expected fraction.
func fractionAt(hidden, state int) int { return (hidden*stateValues + state) * rowtype.FractionValues }

// coded fills fractionCodes from fractions.
func (u *recordModel) coded() {
	u.fractionCodes = nil
	for h := range u.Fractions {
		for s := range u.Fractions[h] {
			u.fractionCodes = append(u.fractionCodes, u.Fractions[h][s].codes...)
		}
	}
}

// contextOf is the context of an update, from what both ends know.
func contextOf(t *rowtype.Type, base rowtype.Words, n uint32) (c int) {
	if t.IsMoving(base) {
		c = ages
	}
	if n > 9 {
		c++
	}
	if n > 24 {
		c++
	}
	return c
}

// stateOf is the state of a word with a residual.
func stateOf(r int32) uint32 {
	s := uint32(r) & 3
	s ^= s >> 1 // right for 0, 1 and -1
	if uint32(r+1) > 2 {
		s = stateLarge // compiles to a conditional move, not a branch
	}
	return s
}

// A rowChunk is the words of one chunk, by how they are coded in updates. A word
// that only keyframes carry is in none of the lists, unless it has a fraction.
type rowChunk struct {
	moving  uint32 // the predicted words, each as its low bit in a pattern
	glides  *glide // the words that have a fraction, some with their velocities
	wrapped []int  // the words that wrap around their range
	lined   []int  // the words along lines, but for glides
	plain   []int  // all others
	motions [chunkLen]rowtype.Motion
}

// A glide is a word that has a fraction: the byte offsets in a row of the word, its velocity
// and its fraction, how it moves, and how that is coded.
type glide struct {
	x, v, f  uintptr
	rate     int64
	min, max int64
	coded    int32  // a mask: 0 if only keyframes carry the word, else -1
	at, led  uint32 // the places of the word and of its velocity in their chunks
	bit      uint32 // of its fraction in chunkCoding.withFraction
	hidden   uint32 // its fractionAt, in the first state
	shift    uint8  // the FractionShift of its rowtype.Motion
	leads    bool   // its velocity is coded with it
	lined    bool   // it is coded along a line while its velocity is zero
	next     *glide
}

// lowBits are the low bits of all words in a pattern, and bitOf is the low bit of word i.
const lowBits = 0x55555555

func bitOf(i int) uint32 { return 1 << (2 * (i % chunkLen)) }

// chunksOf divides the words into chunks, by how updates code them; lines says which of
// them go along lines, nil for none.
func chunksOf(t *rowtype.Type, lines []bool) []rowChunk {
	chunks := make([]rowChunk, chunkCount(t))
	lined := func(i int) bool { return lines != nil && lines[i] }
	led := make(map[int]bool)
	for k := range t.Driven {
		if d := &t.Driven[k]; d.Fraction >= 0 && !(lined(d.Word) && t.IsDeclared(d.Word)) {
			c, v := &chunks[d.Word/chunkLen], int(d.Velocity)
			leads := v/chunkLen == d.Word/chunkLen && !led[v] && isPlain(t, v) && !lined(v)
			led[v] = led[v] || leads
			c.glides = glideOf(d, leads, c.glides)
			c.glides.lined = lined(d.Word)
		}
	}
	for i := range t.Words {
		c, w := &chunks[i/chunkLen], &t.Motions[i]
		c.motions[i%chunkLen] = *w
		c.moving |= bitOf(i) * uint32(flag(w.Velocity >= 0 || lined(i)))
		switch {
		case lined(i) && w.Velocity >= 0 && !t.IsDeclared(i):
			c.motions[i%chunkLen].Way = rowtype.ByRestLine // it is a glide
		case lined(i):
			c.motions[i%chunkLen].Way = rowtype.ByLine
			c.lined = append(c.lined, i)
		case isPlain(t, i):
			if !led[i] {
				c.plain = append(c.plain, i)
			}
		case w.Wraps && !t.IsOnce(i):
			c.wrapped = append(c.wrapped, i)
		}
	}
	return chunks
}

// chunkCount is how many chunks the words of a row make.
func chunkCount(t *rowtype.Type) int { return (len(t.Words) + chunkLen - 1) / chunkLen }

func glideOf(d *rowtype.Driven, leads bool, next *glide) *glide {
	return &glide{
		x: uintptr(d.Word) * rowtype.WordSize, v: uintptr(d.Velocity) * rowtype.WordSize, f: uintptr(d.Fraction) * rowtype.WordSize,
		rate: d.Rate, min: int64(d.Min), max: int64(d.Max), coded: int32(flag(d.Once) - 1),
		at: uint32(d.Word % chunkLen), led: uint32(d.Velocity % chunkLen), bit: 2 * bitOf(d.Word),
		hidden: uint32(fractionAt(int(d.Hidden), 0)), shift: d.FractionShift, leads: leads, next: next,
	}
}

func isPlain(t *rowtype.Type, i int) bool {
	return t.Motions[i].Velocity < 0 && !t.Motions[i].Wraps && !t.IsOnce(i)
}

// CodeUpdate codes a row against its base, n ticks older, and counts it for the learner.
// It returns the last run by itself; those before it, mostly none, are appended to out.
//
// second is the version before the base, without words where there is none. Where
// neither m.Lines nor l.Samples asks for it, it is not looked at. said is what rows before this
// one in its update have said of its words.
func (m *Model) CodeUpdate(out []prefix.Sym, t *rowtype.Type, was, is rowtype.Words, second *rowtype.Second, said []rowtype.Said, n uint32, l *Learner) ([]prefix.Sym, prefix.Sym) {
	row, rl, ctx := &m.Rows[t.Index], &l.Rows[t.Index], contextOf(t, was, n)
	class := t.ClassOf(row.ClassWord, was)
	counted := class
	if rl.ClassWord != row.ClassWord {
		counted = t.ClassOf(rl.ClassWord, was)
	}
	var k recordCoder // filled in place: a literal would be copied
	k.m, k.u, k.learn = row, &row.Updates[class][ctx], &rl.Updates[counted][ctx]
	k.chunk, k.shape, k.keeps = &l.chunk, &row.Shapes[ShapeUpdate], rl.coder == row
	k.was, k.is, k.second, k.n, k.out, k.leaps = was, is, second, n, out, row.sources != nil
	k.said = said
	k.learn.count(t)
	if rl.sampleNext() {
		k.noted(t, rl)
		return k.out, k.run.Sym()
	}
	for c := range row.chunks {
		k.update(&row.chunks[c], c)
	}
	return k.out, k.run.Sym()
}

// noted writes an update, and notes what may show classes, headings and lines.
func (k *recordCoder) noted(t *rowtype.Type, rl *rowLearner) {
	all := rl.next%HintEvery == 0 // else only what a young learner wants to know
	for c := range k.m.chunks {
		k.update(&k.m.chunks[c], c)
		if all && k.m.ClassWord < 0 {
			rl.Hints.note(t, k.was, c, k.chunk)
		}
	}
	if all && t.Heading >= 0 {
		rl.Heading.note(t, k.was, k.is)
	}
	rl.Lines.note(t, k.was, k.is, k.second, k.n)
	rl.sources.note(k.m, t, k.was, k.is)
}

// usual is what a keyframe's word i is coded against; the words before it are known.
func (m *rowModel) usual(t *rowtype.Type, now []int32, i int) int32 {
	if i == m.angle {
		if x, y := now[t.HeadingX], now[t.HeadingY]; x|y != 0 {
			return m.aim.Of(x, y)
		}
	}
	return m.keyBase[i]
}

// AppendKey codes words without a base; readKey is the inverse.
func (m *Model) AppendKey(out []prefix.Sym, t *rowtype.Type, now []int32, l *Learner) []prefix.Sym {
	row, rl := &m.Rows[t.Index], &l.Rows[t.Index]
	var k recordCoder
	k.m, k.u, k.learn = row, &row.Keys, &rl.keys
	k.chunk, k.shape, k.keeps = &l.chunk, &row.Shapes[ShapeKey], rl.coder == row
	k.out = out
	k.learn.count(t)
	for c := range row.chunks {
		k.key(t, now, rl.votes, c)
	}
	for _, i := range t.Fractional {
		if !t.Motions[i].IsWhole(now[t.Words[i].Velocity]) {
			k.extend(prefix.Run{}.Raw(uint32(now[t.Fraction[i]]+rowtype.HalfStep), rowtype.FractionBits))
		}
	}
	return k.end()
}

// ReadKey returns false if a value is out of its range.
func (m *Model) ReadKey(d *prefix.Decoder, t *rowtype.Type, now []int32) bool {
	row := &m.Rows[t.Index]
	u, shape := &row.Keys, &row.Shapes[ShapeKey]
	ok := true
	for c := range row.chunks {
		from := c * chunkLen
		to := min(from+chunkLen, len(t.Words))
		var pattern uint32
		if k := d.Symbol(u.Joint[c].T); k > 0 {
			pattern = shape.Chunks[c].Patterns[k-1]
		} else {
			pattern = shape.pattern(d, c)
		}
		for i := from; i < to; i++ {
			s := pattern >> (2 * (i - from)) & 3
			r := smallResidual[s]
			if s == stateLarge {
				r = ReadSigned(d, &u.Large[i])
			}
			if t.Absent(i, now) {
				now[i] = t.Words[i].Default
				continue
			}
			x, in := t.Motions[i].Apply(row.usual(t, now, i), r)
			now[i], ok = x, ok && in
		}
	}
	for _, i := range t.Fractional {
		now[t.Fraction[i]] = 0
		if !t.Motions[i].IsWhole(now[t.Words[i].Velocity]) {
			now[t.Fraction[i]] = int32(d.Bits(rowtype.FractionBits)) - rowtype.HalfStep
		}
	}
	return ok
}
