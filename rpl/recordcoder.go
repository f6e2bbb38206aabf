package rpl

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// A recordCoder writes one record, and has what it writes counted.
type recordCoder struct {
	m     *rowModel
	u     *recordModel // of the record's context …
	learn *recordLearner
	chunk *chunkCoding
	shape *shapeModel
	keeps bool // what is learned of patterns is kept with what they are in this model

	was, is rowWords // of an update: its base and what is so now …
	n       uint32   // … and the ticks between them

	out []prefix.Sym
	run prefix.Run // that is to follow
}

// A chunkCoding is the chunk that is being written: its pattern, and the runs that
// are told behind it, in the place of a word's low bit its residual, and of its high
// bit its phase.
type chunkCoding struct {
	pattern uint32
	told    uint32 // the bits of those runs
	runs    [2 * chunkLen]prefix.Run
}

func (d *chunkCoding) reset() { d.pattern, d.told = 0, 0 }

// update writes chunk c of an update. It takes one kind of words after another: a
// loop over all of them would put most of what it holds away for each.
func (k *recordCoder) update(set *rowChunk, c int) {
	from := c * chunkLen
	k.chunk.reset()
	changed := k.was.changed(k.is, from, set.words) &^ set.never
	k.plain(changed&^(set.moving|set.wraps), from)
	for j := range set.phased {
		k.phased(&set.phased[j])
	}
	for words := (changed | set.moving&^set.never) & set.wraps; words != 0; words &= words - 1 {
		at := uint(bits.TrailingZeros32(words)) / 2 % chunkLen
		k.wrapped(&set.courses[at], from+int(at))
	}
	k.write(c)
}

// plain notes words that are not what they were.
func (k *recordCoder) plain(words uint32, from int) {
	d, was, is := k.chunk, k.was, k.is
	for ; words != 0; words &= words - 1 {
		bit := uint(bits.TrailingZeros32(words)) % uint(len(d.runs))
		i := from + int(bit/2)
		r := *is.word(i) - *was.word(i)
		s := stateOf(r)
		d.pattern |= s << bit
		if s == stateLarge {
			d.told |= 1 << bit
			d.runs[bit] = k.large(i, r)
		}
	}
}

// wrapped notes word i, which wraps around its range.
func (k *recordCoder) wrapped(c *course, i int) {
	expected := int32(0)
	if c.way == byHeading {
		expected = k.m.aim.expect(k.was, k.is)
	} else {
		expected = c.expect(k.was, k.is, i, k.n)
	}
	k.residual(i, int32(around(int64(*k.is.word(i))-int64(expected), c.all())))
}

// residual notes what word i is off what it should be.
func (k *recordCoder) residual(i int, r int32) {
	d, s, bit := k.chunk, stateOf(r), uint(i)%chunkLen*2
	d.pattern |= s << bit
	if s == stateLarge {
		d.told |= 1 << bit
		d.runs[bit] = k.large(i, r)
	}
}

// phased notes a word that has a phase.
func (k *recordCoder) phased(c *drift) {
	d, was, is := k.chunk, k.was, k.is
	v := *is.word(int(c.velocity))
	way := travel(*was.word(int(c.velocity)), v, int64(k.n), c.rate, phaseBits)
	x, expected := c.reached(*was.word(c.word), *was.word(int(c.phase)), way)
	r := *is.word(c.word) - x
	if c.once {
		r = 0 // the peer keeps what its keyframe told
	}
	s, bit := stateOf(r), uint(c.word)%chunkLen*2
	d.pattern |= s << bit
	if v != 0 {
		d.told |= 2 << bit
		off := uint(*is.word(int(c.phase))-oddPhase(expected)) % (2 * phaseHalf)
		k.learn.phases[c.hidden][s][off]++
		d.runs[bit+1] = k.u.phases[c.hidden][s].run(off)
	}
	if s == stateLarge {
		d.told |= 1 << bit
		d.runs[bit] = k.large(c.word, r)
	}
}

// large is the residual of word i, which the pattern does not tell.
func (k *recordCoder) large(i int, r int32) prefix.Run {
	sign := r >> 31
	m := uint32((r ^ sign) - sign)
	place := &signedSymOf[bits.Len32(m)]
	sym := uint(int32(place.from) + int32(m>>(place.n&31))<<1 - sign)
	k.learn.large[i][sym]++
	return k.u.large[i].run(sym).Raw(m&(1<<(place.n&31)-1), uint(place.n))
}

// write writes chunk c, of which all is found.
func (k *recordCoder) write(c int) {
	k.joint(c)
	d, run := k.chunk, k.run
	for told := d.told; told != 0; told &= told - 1 {
		next := d.runs[uint(bits.TrailingZeros32(told))%uint(len(d.runs))]
		if !run.Fits(next) {
			k.out, run = append(k.out, run.Sym()), prefix.Run{}
		}
		run = run.With(next)
	}
	k.run = run
}

// joint writes the pattern of chunk c.
func (k *recordCoder) joint(c int) {
	count, pattern := &k.learn.chunks[c], k.chunk.pattern
	slot := count.slot(pattern)
	if slot != nil {
		slot.n++
		if k.keeps && slot.run != 0 {
			k.extend(slot.run.Run())
			return
		}
	} else {
		count.rest++
	}
	sym, behind := k.shape.run(&k.u.joint[c], pattern, c)
	if slot != nil && k.keeps && sym.Fits(behind) {
		slot.run = sym.With(behind).Sym()
	}
	k.extend(sym)
	k.extend(behind)
}

// extend writes more; a run that is full goes out.
func (k *recordCoder) extend(next prefix.Run) {
	if !k.run.Fits(next) {
		k.out, k.run = append(k.out, k.run.Sym()), prefix.Run{}
	}
	k.run = k.run.With(next)
}

// end is all that was written.
func (k *recordCoder) end() []prefix.Sym { return append(k.out, k.run.Sym()) }
