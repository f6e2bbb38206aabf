package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Records: a row's words as symbols. A chunk of words is its pattern, then for
// each word in order the residual, where the pattern tells only that it is
// large, and the phase, where the word has one.

// rowModel is how the rows of one type are coded.
type rowModel struct {
	shapes  [shapes]shapeModel
	kind    int           // the word that says of what kind a row is, -1 none (kind.go)
	heading heading       // of the angle that follows from the velocity (heading.go) …
	angle   int           // … that angle, -1 none …
	aim     aim           // … and what leads to it
	chunks  []rowChunk    // rowType.chunks, with that angle
	updates []updateModel // of rows of any kind, then of each
	keys    recordModel
	keyBase []int32 // what a keyframe's words are coded against
}

// An updateModel codes updates: by whether the base moves, and how old it is.
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
}

// context of an update, from what both ends know.
func (t *rowType) context(base rowWords, n uint32) int {
	return flag(n > 9) + flag(n > 24) + flag(t.drifts(base))*ages
}

// stateOf is the state of a word with a residual.
func stateOf(r int32) uint32 {
	back := -r
	s := uint32(back<<1 ^ back>>31)                    // 1, -1, 2, -2 … are 1, 2, 3, 4 …
	return (s | uint32(-int32(s>>2)>>31)) & stateLarge // min would branch
}

// A rowChunk is the words of one chunk: how they are foreseen, and some that are
// alike, each as the low bit that it has in a pattern.
type rowChunk struct {
	moving  uint32  // predicted
	wraps   uint32  // around their range
	never   uint32  // told by keyframes alone
	words   int     // how many they are
	phased  []drift // those that have a phase
	courses [chunkLen]course
}

// bitOf is the low bit of word i in the pattern of its chunk.
func bitOf(i int) uint32 { return 1 << (2 * (i % chunkLen)) }

func (t *rowType) inChunks() {
	t.chunks = make([]rowChunk, (len(t.words)+chunkLen-1)/chunkLen)
	for i := range t.words {
		c, w := &t.chunks[i/chunkLen], &t.courses[i]
		c.courses[i%chunkLen] = *w
		c.moving |= bitOf(i) * uint32(flag(w.velocity >= 0))
		c.wraps |= bitOf(i) * uint32(flag(w.wraps))
		c.never |= bitOf(i) * uint32(flag(t.once != nil && t.once[i]))
		c.words++
	}
	for _, d := range t.driven {
		if c := &t.chunks[d.word/chunkLen]; d.phase >= 0 {
			c.phased = append(c.phased, d)
		}
	}
}

// codeUpdate codes a row against its base, n ticks older, and has it counted: some
// runs that are appended, mostly none, and the last one.
func (m *model) codeUpdate(out []prefix.Sym, t *rowType, was, is rowWords, n uint32, l *learner) ([]prefix.Sym, prefix.Sym) {
	row, rl, ctx := &m.rows[t.index], &l.rows[t.index], t.context(was, n)
	k := recordCoder{
		m: row, u: &row.updates[t.kindOf(row.kind, was)][ctx], learn: &rl.updates[t.kindOf(rl.kind, was)][ctx],
		chunk: &l.chunk, shape: &row.shapes[shapeUpdate], keeps: rl.coder == row, was: was, is: is, n: n, out: out,
	}
	hints := rl.hints.turn()
	for c := range row.chunks {
		k.update(&row.chunks[c], c)
		if hints && row.kind < 0 {
			rl.hints.note(row, t, was, is, n, c, k.chunk.pattern)
		}
	}
	if hints && t.heading >= 0 {
		rl.course.note(t, was, is)
	}
	return k.out, k.run.Sym()
}

// usual is what a keyframe's word i is coded against, the words before it read.
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
	k := recordCoder{m: row, u: &row.keys, learn: &rl.keys, chunk: &l.chunk, shape: &row.shapes[shapeKey], keeps: rl.coder == row, out: out}
	for c := range row.chunks {
		k.chunk.reset()
		for i := c * chunkLen; i < min((c+1)*chunkLen, len(t.words)); i++ {
			if !t.absent(i, now) {
				rl.votes[i].cast(now[i])
				k.residual(i, t.courses[i].residual(row.usual(t, now, i), now[i]))
			}
		}
		k.write(c)
	}
	for _, i := range t.phased {
		if now[t.words[i].Velocity] != 0 {
			k.extend(prefix.Run{}.Raw(uint32(now[t.phase[i]]+phaseHalf), phaseBits))
		}
	}
	return k.end()
}

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
