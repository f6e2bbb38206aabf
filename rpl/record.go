package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Records: how a row's words are coded as symbols. A chunk of words is coded as its
// pattern (pattern.go) and then, for each word in order, the residual if the pattern says
// only that it is large, and the phase (phase.go) if the word has one.

// rowModel is the tables by which the rows of one type are coded.
type rowModel struct {
	shapes  [shapes]shapeModel
	kind    int           // the word that tells a row's kind, -1 none (kind.go)
	heading heading       // how an angle follows from the velocity (heading.go)
	angle   int           // that angle, -1 none
	aim     aim           // what that angle is computed from
	chunks  []rowChunk    // rowType.chunks, with the course of that angle changed
	updates []updateModel // for rows of any kind, then for each kind
	keys    recordModel
	keyBase []int32 // what a keyframe's words are coded against
}

// An updateModel codes updates, by context: whether the base moves, and how old it is.
type updateModel [contexts]recordModel

const (
	ages     = 3
	contexts = 2 * ages
)

const (
	shapeUpdate = iota
	shapeKey
	shapes
)

// recordModel codes records in one context.
type recordModel struct {
	joint  []table             // per chunk, of its patterns; 0 escapes
	large  []table             // per word, residuals beyond ±1
	phases [][stateKinds]table // per hidden word, by the state of the word it belongs to

	phaseCodes []prefix.Code // of phases, at phaseAt
}

// phaseAt is the index in lists of all phases at which the entries of a hidden word
// begin, for a state of the word that it belongs to: one entry for each difference from
// the expected phase.
func phaseAt(hidden, state int) int { return (hidden*stateKinds + state) * phaseKinds }

// coded fills phaseCodes from phases.
func (u *recordModel) coded() {
	u.phaseCodes = nil
	for h := range u.phases {
		for s := range u.phases[h] {
			u.phaseCodes = append(u.phaseCodes, u.phases[h][s].codes...)
		}
	}
}

// context is the context of an update, from what both ends know.
func (t *rowType) context(base rowWords, n uint32) (c int) {
	if t.drifts(base) {
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
// that only keyframes tell is in none of the lists, unless it has a phase.
type rowChunk struct {
	moving  uint32 // the predicted words, each as its low bit in a pattern
	glides  *glide // the words that have a phase, some with their velocities
	wrapped []int  // the words that wrap around their range
	plain   []int  // all others
	courses [chunkLen]course
}

// A glide is a word that has a phase: the byte offsets in a row of the word, its velocity
// and its phase, how it moves, and how that is coded.
type glide struct {
	x, v, phase uintptr
	rate        int64
	min, max    int64
	told        int32  // a mask: 0 if only keyframes tell the word, else -1
	at, led     uint32 // the places of the word and of its velocity in their chunks
	bit         uint32 // of its phase in chunkCoding.phased
	hidden      uint32 // its phaseAt, in the first state
	leads       bool   // its velocity is coded with it
	next        *glide
}

// lowBits are the low bits of all words in a pattern, and bitOf is the low bit of word i.
const lowBits = 0x55555555

func bitOf(i int) uint32 { return 1 << (2 * (i % chunkLen)) }

// inChunks divides the words into chunks, by how updates code them.
func (t *rowType) inChunks() {
	t.chunks = make([]rowChunk, (len(t.words)+chunkLen-1)/chunkLen)
	led := make(map[int]bool)
	for k := range t.driven {
		if d := &t.driven[k]; d.phase >= 0 {
			c, v := &t.chunks[d.word/chunkLen], int(d.velocity)
			leads := v/chunkLen == d.word/chunkLen && !led[v] && t.isPlain(v)
			led[v] = led[v] || leads
			c.glides = d.glide(leads, c.glides)
		}
	}
	for i := range t.words {
		c, w := &t.chunks[i/chunkLen], &t.courses[i]
		c.courses[i%chunkLen] = *w
		c.moving |= bitOf(i) * uint32(flag(w.velocity >= 0))
		switch {
		case t.isPlain(i):
			if !led[i] {
				c.plain = append(c.plain, i)
			}
		case w.wraps && !t.isOnce(i):
			c.wrapped = append(c.wrapped, i)
		}
	}
}

func (d *drift) glide(leads bool, next *glide) *glide {
	return &glide{
		x: uintptr(d.word) * wordSize, v: uintptr(d.velocity) * wordSize, phase: uintptr(d.phase) * wordSize,
		rate: d.rate, min: int64(d.min), max: int64(d.max), told: int32(flag(d.once) - 1),
		at: uint32(d.word % chunkLen), led: uint32(d.velocity % chunkLen), bit: 2 * bitOf(d.word),
		hidden: uint32(phaseAt(int(d.hidden), 0)), leads: leads, next: next,
	}
}

// isOnce is whether only keyframes tell a word, and isPlain whether an update codes it
// as the difference from its base.
func (t *rowType) isOnce(i int) bool { return t.once != nil && t.once[i] }

func (t *rowType) isPlain(i int) bool {
	return t.courses[i].velocity < 0 && !t.courses[i].wraps && !t.isOnce(i)
}

// codeUpdate codes a row against its base, n ticks older, and counts it for the learner.
// It returns the last run by itself; those before it, mostly none, are appended to out.
func (m *model) codeUpdate(out []prefix.Sym, t *rowType, was, is rowWords, n uint32, l *learner) ([]prefix.Sym, prefix.Sym) {
	row, rl, ctx := &m.rows[t.index], &l.rows[t.index], t.context(was, n)
	kind := t.kindOf(row.kind, was)
	counted := kind
	if rl.kind != row.kind {
		counted = t.kindOf(rl.kind, was)
	}
	var k recordCoder // filled in place: a literal would be copied
	k.m, k.u, k.learn = row, &row.updates[kind][ctx], &rl.updates[counted][ctx]
	k.chunk, k.shape, k.keeps = &l.chunk, &row.shapes[shapeUpdate], rl.coder == row
	k.was, k.is, k.n, k.out = was, is, n, out
	if rl.hints.turn() {
		k.noted(t, rl)
		return k.out, k.run.Sym()
	}
	for c := range row.chunks {
		k.update(&row.chunks[c], c)
	}
	return k.out, k.run.Sym()
}

// noted writes an update, and notes what may tell kinds and headings.
func (k *recordCoder) noted(t *rowType, rl *rowLearner) {
	for c := range k.m.chunks {
		k.update(&k.m.chunks[c], c)
		if k.m.kind < 0 {
			rl.hints.note(k.m, t, k.was, k.is, k.n, c, k.chunk.pattern)
		}
	}
	if t.heading >= 0 {
		rl.course.note(t, k.was, k.is)
	}
}

// usual is what a keyframe's word i is coded against; the words before it are known.
func (m *rowModel) usual(t *rowType, now []int32, i int) int32 {
	if i == m.angle {
		if x, y := now[t.headingX], now[t.headingY]; x|y != 0 {
			return m.aim.of(x, y)
		}
	}
	return m.keyBase[i]
}

// appendKey codes words without a base; readKey is the inverse.
func (m *model) appendKey(out []prefix.Sym, t *rowType, now []int32, l *learner) []prefix.Sym {
	row, rl := &m.rows[t.index], &l.rows[t.index]
	var k recordCoder
	k.m, k.u, k.learn = row, &row.keys, &rl.keys
	k.chunk, k.shape, k.keeps = &l.chunk, &row.shapes[shapeKey], rl.coder == row
	k.out = out
	for c := range row.chunks {
		k.key(t, now, rl.votes, c)
	}
	for _, i := range t.phased {
		if now[t.words[i].Velocity] != 0 {
			k.extend(prefix.Run{}.Raw(uint32(now[t.phase[i]]+phaseHalf), phaseBits))
		}
	}
	return k.end()
}

// readKey returns false if a value is out of its range.
func (m *model) readKey(d *prefix.Decoder, t *rowType, now []int32) bool {
	row := &m.rows[t.index]
	u, shape := &row.keys, &row.shapes[shapeKey]
	ok := true
	for c := range row.chunks {
		from := c * chunkLen
		to := min(from+chunkLen, len(t.words))
		var pattern uint32
		if k := d.Symbol(u.joint[c].t); k > 0 {
			pattern = shape.chunks[c].patterns[k-1]
		} else {
			pattern = shape.pattern(d, from, to)
		}
		for i := from; i < to; i++ {
			s := pattern >> (2 * (i - from)) & 3
			r := smallResidual[s]
			if s == stateLarge {
				r = readSigned(d, &u.large[i])
			}
			if t.absent(i, now) {
				now[i] = t.words[i].Default
				continue
			}
			x, in := t.courses[i].apply(row.usual(t, now, i), r)
			now[i], ok = x, ok && in
		}
	}
	for _, i := range t.phased {
		now[t.phase[i]] = 0
		if now[t.words[i].Velocity] != 0 {
			now[t.phase[i]] = int32(d.Bits(phaseBits)) - phaseHalf
		}
	}
	return ok
}
