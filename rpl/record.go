package rpl

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Records: a row's words as symbols. A chunk of words is its pattern, then for
// each word in order the residual, where the pattern tells only that it is
// large, and the phase, where the word has one.

// rowModel is how the rows of one type are coded.
type rowModel struct {
	shapes  [shapes]shapeModel
	kind    int     // the word that says of what kind a row is, -1 none (kind.go)
	heading heading // of the angle that follows from the velocity (heading.go) …
	angle   int     // … and that angle, -1 none
	ways    []way   // rowType.ways and moving, with that angle
	moving  []uint32
	updates []updateModel // of rows of any kind, then of each
	keys    recordModel
	keyBase []int32 // what a keyframe's words are coded against
}

// A way is what a word of an update is coded against.
type way uint8

const (
	byBase     way = iota // what it was
	byHeading             // the direction of the velocity
	byVelocity            // what it should have become
	byPhase               // the same, in sixteenths of a step
)

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
func (t *rowType) context(base []int32, n uint32) int {
	c := 0
	switch {
	case n > 24:
		c = 2
	case n > 9:
		c = 1
	}
	if t.drifts(base) {
		c += ages
	}
	return c
}

// largeOf has the low bit of each word that a pattern says is large.
func largeOf(pattern uint32) uint32 { return pattern & (pattern >> 1) & 0x55555555 }

// stateOf is the state of a word with a residual.
func stateOf(r int32) uint32 {
	back := -r
	return min(uint32(back<<1^back>>31), stateLarge) // 1, -1, 2, -2 … are 1, 2, 3, 4 …
}

// differences are what the words of a chunk are off what they are coded against.
// A pattern has two bits for each word.
type differences struct {
	pattern uint32
	phases  uint32 // the low bit of each word that has a phase to be told …
	res     [chunkLen]int32
	off     [chunkLen]int32 // … and what the phase is off
}

// differ finds the differences of the chunk from a word on. What words do is
// hardly to be foreseen, so little here branches on it.
func (m *rowModel) differ(d *differences, t *rowType, base, now []int32, n uint32, from int) {
	ways, courses := m.ways[from:min(from+chunkLen, len(t.words))], t.courses[from:]
	d.pattern, d.phases = 0, 0
	for k, way := range ways {
		i, c := from+k, &courses[k]
		x := base[i]
		switch way {
		case byBase:
			if x == now[i] {
				continue
			}
		case byPhase:
			var phase int32
			x, phase = c.reach(base, now, i, n)
			d.phases |= uint32(flag(now[c.velocity] != 0)) << (2 * k)
			d.off[k] = (now[c.phase] - oddPhase(phase)) & (2*phaseHalf - 1)
		default:
			x = m.foresee(t, base, now, i, n)
		}
		r := now[i] - x
		if c.wraps {
			r = t.words[i].residual(x, now[i])
		}
		d.res[k] = r
		d.pattern |= stateOf(r) << (2 * k)
	}
	if t.once != nil {
		for k := range ways {
			if t.once[from+k] {
				d.pattern &^= 3 << (2 * k) // the peer keeps what its keyframe told
			}
		}
	}
}

// appendUpdate codes now against base, n ticks older, and has it counted.
func (m *model) appendUpdate(out []prefix.Sym, t *rowType, base, now []int32, n uint32, l *learner) []prefix.Sym {
	ctx := t.context(base, n)
	row, rl := &m.rows[t.index], &l.rows[t.index]
	u, learn := &row.updates[t.kindOf(row.kind, base)][ctx], &rl.updates[t.kindOf(rl.kind, base)][ctx]
	shape := &row.shapes[shapeUpdate]
	hints := rl.hints.turn()
	var d differences
	run := prefix.Sym(0)
	for c := range u.joint {
		from := c * chunkLen
		row.differ(&d, t, base, now, n, from)
		learn.chunks[c].add(d.pattern)
		if hints && row.kind < 0 {
			rl.hints.note(t, base, from, d.pattern, &d.res)
		}
		out, run = shape.appendJoint(out, run, &u.joint[c], d.pattern, c, len(t.words))
		out, run = u.appendWords(out, run, t, &d, from, learn)
	}
	if hints && t.heading >= 0 {
		rl.course.note(t, base, now)
	}
	return append(out, run)
}

// appendWords codes what the pattern of the chunk from a word on leaves open, and
// has it counted.
func (u *recordModel) appendWords(out []prefix.Sym, run prefix.Sym, t *rowType, d *differences, from int, learn *recordLearner) ([]prefix.Sym, prefix.Sym) {
	for rest := largeOf(d.pattern) | d.phases; rest != 0; rest &= rest - 1 {
		bit := bits.TrailingZeros32(rest)
		k := bit / 2 % chunkLen
		i, s := from+k, d.pattern>>bit&3
		if s == stateLarge {
			sym, extra, n := signedSym(d.res[k])
			learn.large[i][sym]++
			out, run = extend(out, run, u.large[i].sym(sym).With(prefix.Raw(extra, n)))
		}
		if d.phases>>bit&1 != 0 {
			p := t.phase[i] - len(t.words)
			learn.phases[p][s][d.off[k]]++
			out, run = extend(out, run, u.phases[p][s].sym(int(d.off[k])))
		}
	}
	return out, run
}

// usual is what a keyframe's word i is coded against, the words before it read.
func (m *rowModel) usual(t *rowType, now []int32, i int) int32 {
	if i == m.angle {
		if x, y := now[t.headingX], now[t.headingY]; x|y != 0 {
			return m.heading.of(&t.words[i], x, y)
		}
	}
	return m.keyBase[i]
}

// appendKey codes words without a base; readKey is the inverse.
func (m *model) appendKey(out []prefix.Sym, t *rowType, now []int32, l *learner) []prefix.Sym {
	row := &m.rows[t.index]
	u, shape := &row.keys, &row.shapes[shapeKey]
	learn := &l.rows[t.index]
	run := prefix.Sym(0)
	for c := range u.joint {
		from := c * chunkLen
		to := min(from+chunkLen, len(t.words))
		pattern := uint32(0)
		for i := from; i < to; i++ {
			if t.absent(i, now) {
				continue
			}
			learn.votes[i].cast(now[i])
			pattern |= stateOf(t.words[i].residual(row.usual(t, now, i), now[i])) << (2 * (i - from))
		}
		learn.keys.chunks[c].add(pattern)
		out, run = shape.appendJoint(out, run, &u.joint[c], pattern, c, len(t.words))
		for rest := largeOf(pattern); rest != 0; rest &= rest - 1 {
			i := from + bits.TrailingZeros32(rest)/2
			sym, extra, n := signedSym(t.words[i].residual(row.usual(t, now, i), now[i]))
			learn.keys.large[i][sym]++
			out, run = extend(out, run, u.large[i].sym(sym).With(prefix.Raw(extra, n)))
		}
	}
	for _, i := range t.phased {
		if now[t.words[i].Velocity] != 0 {
			out, run = extend(out, run, prefix.Raw(uint32(now[t.phase[i]]+phaseHalf), phaseBits))
		}
	}
	return append(out, run)
}

func (m *model) readKey(d *prefix.Decoder, t *rowType, now []int32) bool {
	row := &m.rows[t.index]
	u, shape := &row.keys, &row.shapes[shapeKey]
	ok := true
	for c := range u.joint {
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
			x, in := t.words[i].apply(row.usual(t, now, i), r)
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
