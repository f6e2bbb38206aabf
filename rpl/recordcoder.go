package rpl

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// A recordCoder writes one record, and has what it writes counted.
type recordCoder struct {
	m     *rowModel
	t     *rowType
	u     *recordModel // of the record's context …
	learn *recordLearner
	chunk *chunkCoding
	shape int
	keeps bool // what is learned of patterns is kept with what they are in this model

	was, is rowWords // of an update: its base and what is so now …
	n       uint32   // … and the ticks between them

	out []prefix.Sym
	run prefix.Run // that is to follow
}

// A chunkCoding is the chunk that is being written: what its words are off what
// they should be, its pattern, and what is behind that.
type chunkCoding struct {
	res     [chunkLen]int32
	off     [chunkLen]uint32 // what a phase is off, behind which one it is
	phases  uint32           // the low bit of each word whose phase is told
	pattern uint32
	full    uint
	behind  prefix.Run
	runs    [64]prefix.Sym // those of it that are full: two a word at most
}

func (c *chunkCoding) reset() { c.phases, c.pattern, c.full, c.behind = 0, 0, 0, prefix.Run{} }

// put puts more behind the pattern.
func (c *chunkCoding) put(next prefix.Run) {
	if !c.behind.Fits(next) {
		c.runs[c.full%uint(len(c.runs))] = c.behind.Sym()
		c.full, c.behind = c.full+1, prefix.Run{}
	}
	c.behind = c.behind.With(next)
}

// plain finds what n words from one on are off what they were, and returns the low
// bit of each that is. It does not branch: which will be is hardly to be foreseen.
func (c *chunkCoding) plain(was, is rowWords, from, n int) (changed uint32) {
	for at := n - 1; at >= 0; at-- {
		r := *is.word(from + at) - *was.word(from + at)
		c.res[uint(at)%chunkLen] = r
		changed = changed<<2 | uint32(flag(r != 0))
	}
	return changed
}

// update writes chunk c of an update.
func (k *recordCoder) update(c int) {
	k.chunk.reset()
	k.put(k.differ(c), c*chunkLen)
	k.write(c)
}

// differ finds what words of chunk c are off what they should be, and of which it
// has looked. It takes one kind of words after another: a loop over all of them
// would put most of what it holds away for each.
func (k *recordCoder) differ(c int) (seen uint32) {
	d, was, is, set, from := k.chunk, k.was, k.is, &k.m.chunks[c], c*chunkLen
	changed := d.plain(was, is, from, min(len(k.t.words)-from, chunkLen)) &^ set.never
	k.phased(set, from)
	for rest := (changed | set.moving) & set.wraps; rest != 0; rest &= rest - 1 {
		at := firstWord(rest)
		i := from + int(at)
		d.res[at] = set.courses[at].residual(k.m.foresee(k.t, was, is, i, k.n), *is.word(i))
	}
	for rest := set.never & set.moving; rest != 0; rest &= rest - 1 {
		d.res[firstWord(rest)] = 0 // the peer keeps what its keyframe told
	}
	return changed | set.moving
}

// firstWord is the first of some words of a chunk, as bitOf has them.
func firstWord(set uint32) uint { return uint(bits.TrailingZeros32(set)) / 2 % chunkLen }

// phased does that for words that have phases.
func (k *recordCoder) phased(set *rowChunk, from int) {
	d, was, is := k.chunk, k.was, k.is
	for words := set.moving &^ set.wraps; words != 0; words &= words - 1 {
		at := firstWord(words)
		c, i := &set.courses[at], from+int(at)
		v, phase := *is.word(int(c.velocity)), *is.word(int(c.phase))
		way := travel(*was.word(int(c.velocity)), v, int64(k.n), c.rate, phaseBits)
		x, expected := c.reached(*was.word(i), *was.word(int(c.phase)), way)
		d.res[at] = *is.word(i) - x
		d.off[at] = uint32(c.hidden)<<phaseBits | uint32(phase-oddPhase(expected))%(2*phaseHalf)
		d.phases |= uint32(flag(v != 0)) * (words & -words)
	}
}

// put makes the pattern of words, and what is behind it, of what they are off.
func (k *recordCoder) put(words uint32, from int) {
	d, pattern := k.chunk, uint32(0)
	for ; words != 0; words &= words - 1 {
		at, first := firstWord(words), words&-words
		s := stateOf(d.res[at])
		pattern |= s * first
		if s == stateLarge {
			k.large(from+int(at), d.res[at])
		}
		if d.phases&first != 0 {
			k.phase(d.off[at], s)
		}
	}
	d.pattern = pattern
}

// large puts the residual of word i behind the pattern.
func (k *recordCoder) large(i int, r int32) {
	m := magnitude(r)
	near := nearSyms[uint8(m)]
	if m >= uint32(len(nearSyms)) {
		near = farSym(m)
	}
	sym, n := uint(near.sym), uint(near.n)
	sym += uint(uint32(r) >> 31)
	k.learn.large[i][sym]++
	k.chunk.put(k.u.large[i].run(sym).Raw(m&(1<<(n&31)-1), n))
}

// phase puts behind it what a phase is off, of a word with a state.
func (k *recordCoder) phase(off, s uint32) {
	hidden, s, off := off>>phaseBits, s%stateKinds, off%(2*phaseHalf)
	k.learn.phases[hidden][s][off]++
	k.chunk.put(k.u.phases[hidden][s].run(uint(off)))
}

// write writes chunk c, of which all is found.
func (k *recordCoder) write(c int) {
	k.joint(c)
	if d := k.chunk; d.full == 0 {
		k.extend(d.behind)
	} else {
		k.out = append(append(k.out, k.run.Sym()), d.runs[:d.full]...)
		k.run = d.behind
	}
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
	sym, behind := k.m.shapes[k.shape].run(&k.u.joint[c], pattern, c, len(k.t.words))
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
