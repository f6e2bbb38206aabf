package coder

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// A recordCoder writes one record, and counts what it writes for the learner.
type recordCoder struct {
	m     *rowModel
	u     *recordModel // the tables of the record's context
	learn *recordLearner
	chunk *chunkCoding
	shape *shapeModel
	leaps bool // some word may have a frequent value
	keeps bool // the learner keeps, beside its counts, the runs of patterns as m codes them

	was, is rowtype.Words   // of an update: its base, and the row now
	second  *rowtype.Second // … and the version before its base
	n       uint32          // the ticks between base and now
	said    []rowtype.Said  // what rows before it have said of its words

	out []prefix.Sym
	run prefix.Run // the last run, not in out yet
}

// A chunkCoding is the chunk that is being written: its pattern, and by word what may
// follow it.
type chunkCoding struct {
	pattern      uint32
	withFraction uint32           // words whose fraction is coded, each as its high bit in a pattern
	residuals    [chunkLen]int32  // of the words that are not as expected
	fractions    [chunkLen]uint32 // index of each fraction in the lists of fractionAt
}

func (d *chunkCoding) reset() { d.pattern, d.withFraction = 0, 0 }

// residual notes by how much word i of a row differs from what is expected.
func (d *chunkCoding) residual(i int, r int32) {
	at := uint(i) % chunkLen
	d.pattern |= stateOf(r) << (2 * at)
	d.residuals[at] = r
}

// update writes chunk c of an update.
func (k *recordCoder) update(set *rowChunk, c int) {
	k.chunk.reset()
	k.glide(set.glides)
	k.plain(set.plain)
	if len(set.lined) > 0 {
		k.lined(set)
	}
	if len(set.wrapped) > 0 {
		k.wrapped(set)
	}
	for i := range k.said {
		if s := &k.said[i]; s.Word/chunkLen == c {
			k.repeat(s)
		}
	}
	k.write(c)
}

// repeat notes by how much a word differs from what was said of it before. Its fraction is coded
// as if its residual had been that.
func (k *recordCoder) repeat(s *rowtype.Said) {
	d, at, bit := k.chunk, s.Word%chunkLen, bitOf(s.Word)
	was := d.pattern / bit & 3
	d.pattern &^= 3 * bit
	d.residual(s.Word, *k.is.Word(s.Word)-s.Value)
	if d.withFraction&(2*bit) != 0 {
		d.fractions[at] += (d.pattern/bit&3 - was) * rowtype.FractionValues
	}
}

// plain notes the plain words that have changed; mostly none has.
func (k *recordCoder) plain(words []int) {
	was, is, differ := k.was, k.is, int32(0)
	for _, i := range words {
		differ |= *was.Word(i) ^ *is.Word(i)
	}
	if differ == 0 {
		return
	}
	for _, i := range words {
		if r := *is.Word(i) - *was.Word(i); r != 0 {
			k.chunk.residual(i, r)
		}
	}
}

// wrapped notes the changes of words that wrap around their range.
func (k *recordCoder) wrapped(set *rowChunk) {
	was, is := k.was, k.is
	for _, i := range set.wrapped {
		c, x := &set.motions[i%chunkLen], *is.Word(i)
		expected := *was.Word(i)
		switch c.Way {
		case rowtype.ByHeading:
			expected = k.m.aim.Expect(was, is)
		case rowtype.ByVelocity:
			expected = c.Expect(was, is, i, k.n)
		}
		if x != expected {
			k.chunk.residual(i, int32(rowtype.Around(int64(x)-int64(expected), c.All())))
		}
	}
}

// lined notes how words along lines differ from these. Where there is no second version
// they are coded as they would be without lines, but for fractions.
func (k *recordCoder) lined(set *rowChunk) {
	was, is, n := k.was, k.is, k.n
	if k.second.P == nil {
		for _, i := range set.lined {
			if r := *is.Word(i) - set.motions[i%chunkLen].Expect(was, is, i, n); r != 0 {
				k.chunk.residual(i, r)
			}
		}
		return
	}
	for _, i := range set.lined {
		if r := *is.Word(i) - set.motions[i%chunkLen].Along(was, k.second, i, n); r != 0 {
			k.chunk.residual(i, r)
		}
	}
}

// glide notes the changes of words that have a fraction, and of the velocities coded with
// them.
func (k *recordCoder) glide(g *glide) {
	d, was, is, n := k.chunk, k.was, k.is, int64(k.n)
	for ; g != nil; g = g.next {
		v0, v := *was.At(g.v), *is.At(g.v)
		if g.leads {
			d.pattern |= stateOf(v-v0) << (2 * g.led & 31)
			d.residuals[g.led%chunkLen] = v - v0
		}
		if v0|v == 0 { // it stands, or is coded otherwise: there is no fraction
			k.rest(g)
			continue
		}
		to := rowtype.Along(*was.At(g.x), *was.At(g.f), rowtype.Travel(v0, v, n, g.rate, rowtype.FractionBits))
		x := rowtype.Nearest(to)
		fraction := to - x<<rowtype.FractionBits
		if x < g.min || x > g.max {
			x, fraction = min(max(x, g.min), g.max), 0
		}
		r := (*is.At(g.x) - int32(x)) & g.coded
		s := stateOf(r)
		d.pattern |= s << (2 * g.at & 31)
		d.residuals[g.at%chunkLen] = r
		if v<<(g.shift&31) != 0 {
			off := uint32(*is.At(g.f)-rowtype.OddFraction(int32(fraction))) % rowtype.FractionValues
			d.fractions[g.at%chunkLen] = g.hidden + s*rowtype.FractionValues + off
			d.withFraction |= g.bit
		}
	}
}

// rest notes the change of a word that has a fraction while it moves, but stands.
func (k *recordCoder) rest(g *glide) {
	x := *k.was.At(g.x)
	if g.lined && k.second.P != nil {
		i := int(g.x / rowtype.WordSize)
		x = k.m.chunks[i/chunkLen].motions[i%chunkLen].Along(k.was, k.second, i, k.n)
	}
	r := (*k.is.At(g.x) - x) & g.coded
	k.chunk.pattern |= stateOf(r) << (2 * g.at & 31)
	k.chunk.residuals[g.at%chunkLen] = r
}

// key writes chunk c of a keyframe, and votes for its values (learn.go).
func (k *recordCoder) key(t *rowtype.Type, now []int32, votes []vote, c int) {
	k.chunk.reset()
	from, m := c*chunkLen, k.m
	set, is, usual := &m.chunks[c], t.At(now), m.keyBase[from:min(from+chunkLen, len(m.keyBase))]
	votes = votes[from:][:len(usual)]
	for j := range usual {
		i, base := from+j, usual[j]
		if t.Within != nil && t.Absent(i, now) {
			continue
		}
		x := *is.Word(i)
		votes[j].cast(x)
		if i == m.angle {
			base = m.usual(t, now, i)
		}
		if x != base {
			k.chunk.residual(i, set.motions[j%chunkLen].Residual(base, x))
		}
	}
	k.write(c)
}

// write writes chunk c, of which everything has been noted.
func (k *recordCoder) write(c int) {
	run, d := k.joint(c), k.chunk
	for coded := d.pattern&(d.pattern>>1)&lowBits | d.withFraction; coded != 0; coded &= coded - 1 {
		bit := uint(bits.TrailingZeros32(coded))
		at := bit / 2 % chunkLen
		next := prefix.Run{}
		if bit&1 != 0 {
			i := d.fractions[at]
			k.learn.fractions[i]++
			next = next.Code(k.u.fractionCodes[i])
		} else {
			i, r := c*chunkLen+int(at), d.residuals[at]
			sym, rest, n := signedSymbol(r)
			next = k.u.Large[i].Run(sym).Raw(rest, n)
			if k.leaps && k.m.isSource(k.is, i) { // it counts as that even where the tables do not expect it yet
				sym = 0
				if given := k.u.Large[i].Run(0); given.Sym().Bits() < next.Sym().Bits() {
					next = given
				}
			}
			k.learn.large[i][sym]++
		}
		if !run.Fits(next) {
			k.out, run = append(k.out, run.Sym()), prefix.Run{}
		}
		run = run.With(next)
	}
	k.run = run
}

// joint appends the pattern of chunk c to the run, and returns the run.
func (k *recordCoder) joint(c int) prefix.Run {
	count, pattern := &k.learn.Chunks[c], k.chunk.pattern
	slot := count.slot(pattern)
	if slot == nil {
		count.rest++
	} else {
		slot.N++
		if next := slot.run.Run(); k.keeps && slot.run != 0 && k.run.Fits(next) {
			return k.run.With(next)
		}
	}
	sym, behind, more := k.shape.run(&k.u.Joint[c], pattern, c)
	if slot != nil && k.keeps && sym.Fits(behind) && sym.With(behind).Fits(more) {
		slot.run = sym.With(behind).With(more).Sym()
	}
	k.extend(sym)
	k.extend(behind)
	k.extend(more)
	return k.run
}

// extend appends to the run; if that is full it goes to out first.
func (k *recordCoder) extend(next prefix.Run) {
	if !k.run.Fits(next) {
		k.out, k.run = append(k.out, k.run.Sym()), prefix.Run{}
	}
	k.run = k.run.With(next)
}

// end returns all that was written.
func (k *recordCoder) end() []prefix.Sym { return append(k.out, k.run.Sym()) }
