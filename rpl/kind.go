package rpl

import (
	"math"
	"math/bits"
)

// Kinds. What a row does often depends on what it is: a walker turns, a projectile does
// not. If an enumerated word of the row tells such kinds apart, each kind has code
// tables of its own. The value of the word in the base, which both ends have, chooses
// the tables. The authority finds the word by counting: for some of the updates it
// counts, by the value of each word that qualifies, what the other words do.

// maxKinds is the most values of a word that tells kinds. Each kind has counters on the
// authority, some 85 KiB, and tables of its own.
const maxKinds = 16

// kindBits is the size of a kind word's index in a set of tables; only words with
// smaller indices qualify.
const kindBits = 8

// kindWords returns the words that may tell kinds: words of few values that do not
// wrap, that updates tell, that nothing predicts, and that are no velocities.
func (t *rowType) kindWords() (at []int) {
	velocity := make(map[int]bool)
	for _, v := range t.velocities {
		velocity[v] = true
	}
	for _, i := range t.still {
		w := &t.words[i]
		span := int64(w.Max) - int64(w.Min)
		if span > 0 && span < maxKinds && !w.Wrap && !velocity[i] && i < 1<<kindBits {
			at = append(at, i)
		}
	}
	return at
}

// kindsOf is how many kinds word w tells.
func (t *rowType) kindsOf(w int) int { return int(t.words[w].Max-t.words[w].Min) + 1 }

// kindOf is the index of a row's tables in rowModel.updates: 0 is for rows of any kind,
// which is all if w is -1; the kinds of word w follow.
func (t *rowType) kindOf(w int, base rowWords) int {
	if w < 0 {
		return 0
	}
	return 1 + int(*base.word(w)-t.courses[w].min)
}

// kindHints count what words do, by the value of each word that may tell kinds. The
// level of a word is 0 if it is as expected, else the binary digits of its residual.
type kindHints struct {
	next   uint8
	counts [][]uint32 // for each of these words: by its value, by word and by level
}

const (
	hintEvery  = 16 // one update of so many is counted; a power of two
	hintLevels = 33
)

func newKindHints(t *rowType) (h kindHints) {
	for _, w := range t.kinds {
		h.counts = append(h.counts, make([]uint32, t.kindsOf(w)*len(t.words)*hintLevels))
	}
	return h
}

// turn reports whether the next update is one to count.
func (h *kindHints) turn() bool {
	h.next++
	return h.next%hintEvery == 0
}

// note counts what the words of chunk c do, given the chunk's pattern.
func (h *kindHints) note(m *rowModel, t *rowType, base, now rowWords, n uint32, c int, pattern uint32) {
	var levels [chunkLen]int
	from, words := c*chunkLen, min(chunkLen, len(t.words)-c*chunkLen)
	courses := &m.chunks[c].courses
	for off := (pattern | pattern>>1) & lowBits; off != 0; off &= off - 1 {
		j := bits.TrailingZeros32(off) / 2 % chunkLen
		w := &courses[j]
		levels[j] = bits.Len32(magnitude(w.residual(m.foresee(w, base, now, from+j, n), *now.word(from + j))))
	}
	for k, w := range t.kinds {
		at := ((t.kindOf(w, base)-1)*len(t.words) + from) * hintLevels
		counts := h.counts[k]
		for _, level := range levels[:words] {
			counts[at+level]++
			at += hintLevels
		}
	}
}

func (h *kindHints) fade() {
	for _, n := range h.counts {
		fade(n)
	}
}

// kindPrice is roughly the bits of one kind's tables.
const kindPrice = 2000

// best returns the word whose kinds would save the most bits, less the price of their
// tables; -1 if none pays.
func (h *kindHints) best(t *rowType, worth float64) int {
	word, saved := -1, 0.0
	for k, w := range t.kinds {
		bits, seen := told(h.counts[k], t.kindsOf(w), len(t.words))
		// Much of what the kind tells of one word, other words tell already: take half.
		if s := bits*hintEvery*worth/2 - float64(kindPrice*(seen-1)); s > saved {
			word, saved = w, s
		}
	}
	return word
}

// told is the bits that the kind tells of the levels of all words, and how many kinds
// were seen. It is the mutual information, less what chance alone would show.
func told(n []uint32, kinds, words int) (bits float64, seen int) {
	for w := range words {
		var all [hintLevels]float64
		sum, cells, levels := 0.0, 0, 0
		seen = 0
		for k := range kinds {
			of := 0.0
			for level, c := range n[(k*words+w)*hintLevels:][:hintLevels] {
				if c > 0 {
					of += float64(c)
					all[level] += float64(c)
					bits += entropic(float64(c))
					cells++
				}
			}
			bits -= entropic(of)
			sum += of
			if of > 0 {
				seen++
			}
		}
		for _, c := range all {
			bits -= entropic(c)
			if c > 0 {
				levels++
			}
		}
		bits += entropic(sum)
		bits -= float64(cells-levels-seen+1) / (2 * math.Ln2) // Miller and Madow, 1955
	}
	return bits, seen
}

func entropic(n float64) float64 {
	if n == 0 {
		return 0
	}
	return n * math.Log2(n)
}

// regroup has updates counted by the kinds that a word tells. The counts so far are
// kept, for rows of any kind.
func (r *rowLearner) regroup(t *rowType, word int) {
	any := &r.updates[0]
	for _, u := range r.updates[1:] {
		for c := range u {
			any[c].add(&u[c])
		}
	}
	r.kind, r.updates = word, r.updates[:1]
	for range t.kindsOf(word) {
		r.updates = append(r.updates, newUpdateLearner(t))
	}
}

// chooseKinds chooses the words by whose kinds updates are counted until the next fit.
// A row type that has tables by kinds keeps its word.
func (a *Authority) chooseKinds() {
	worth := a.worth()
	for i, t := range a.types {
		r := &a.learner.rows[i]
		if a.model.rows[i].kind >= 0 {
			continue
		}
		if w := r.hints.best(t, worth); w >= 0 && w != r.kind {
			r.regroup(t, w)
		}
	}
}

// price is the bits that the counted updates cost with a set, plus those of its tables.
func (f *fitter) price(s *rowSet, l *rowLearner, t *rowType, d *rowModel) float64 {
	m := s.build(t, d)
	bits := 0.0
	for k := range s.updates {
		u := &s.updates[k]
		bits += u.all.price()
		for c := range u.contexts {
			bits += u.contexts[c].price()
		}
	}
	return l.cost(t, &m)*f.worth + bits
}

// price is the bits that the tables of a set take.
func (s *recordSet) price() (bits float64) {
	for lens := range s.lists {
		bits += listPrice(lens)
	}
	return bits
}

func listPrice(lens []uint8) float64 {
	if lens == nil {
		return 1
	}
	return listBits(lens)
}

// sums adds up the counts of all kinds: over all contexts, and in each.
func (r *rowLearner) sums(t *rowType) (all recordLearner, each updateLearner) {
	all, each = newRecordLearner(t), newUpdateLearner(t)
	for k := range r.updates {
		for c := range each {
			each[c].add(&r.updates[k][c])
		}
	}
	for c := range each {
		all.add(&each[c])
	}
	return all, each
}
