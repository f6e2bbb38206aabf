package coder

import (
	"math"
	"math/bits"
	"strings"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// classHints count what words do, by the value of each word that may give the class. The
// level of a word is 0 if it is as expected, else the binary digits of its residual. The zero
// value has counted nothing.
type classHints struct {
	words  []int      // that may give the class
	counts [][]uint32 // for each of these words: by its value, by word and by level
}

const (
	HintEvery  = 16 // one update of so many is counted; a power of two
	hintLevels = 33

	// maxHints is the most pairs of a value of a word that may give the class and a word of its row:
	// for each there are hintLevels counters, some 1 MiB in all.
	maxHints = 1 << 13

	// manyElements is how many words of an array are too many to give the class: of so many
	// none says what the row is. Vectors, and the parts of a few guns or wheels, have fewer.
	manyElements = 5
)

// withoutIndices is a prop's name without those of arrays. Each element of an array of structs has props
// of its own; these have that in common.
func withoutIndices(name string) string {
	before, rest, indexed := strings.Cut(name, "[")
	if !indexed {
		return name
	}
	_, after, _ := strings.Cut(rest, "]")
	return before + withoutIndices(after)
}

// begin chooses the words that may give the class, and makes room for their counts.
func (h *classHints) begin(t *rowtype.Type) {
	h.words, h.counts = make([]int, 0, len(t.ClassWords)), make([][]uint32, 0, len(t.ClassWords))
	type array struct{ name, kind string } // what may be absent has two props of one name
	left, arrays, words := maxHints, make([]array, len(t.Item.Props)), make(map[array]int)
	for i, p := range t.Item.Props {
		arrays[i] = array{withoutIndices(p.Name), p.Kind}
	}
	for i := range t.Words {
		words[arrays[t.Words[i].Prop]]++
	}
	for _, w := range t.ClassWords {
		n := t.ClassesOf(w) * len(t.Words)
		if words[arrays[t.Words[w].Prop]] >= manyElements {
			continue
		}
		if left -= n; left < 0 {
			return
		}
		h.words, h.counts = append(h.words, w), append(h.counts, make([]uint32, n*hintLevels))
	}
}

// note counts what the words of chunk c do, as it is coded.
func (h *classHints) note(t *rowtype.Type, base rowtype.Words, c int, d *chunkCoding) {
	var levels [chunkLen]int
	from, words := c*chunkLen, min(chunkLen, len(t.Words)-c*chunkLen)
	for off := (d.pattern | d.pattern>>1) & lowBits; off != 0; off &= off - 1 {
		j := bits.TrailingZeros32(off) / 2 % chunkLen
		levels[j] = bits.Len32(rowtype.Magnitude(d.residuals[j]))
	}
	if h.words == nil {
		h.begin(t)
	}
	for k, w := range h.words {
		at := ((t.ClassOf(w, base)-1)*len(t.Words) + from) * hintLevels
		counts := h.counts[k]
		for _, level := range levels[:words] {
			counts[at+level]++
			at += hintLevels
		}
	}
}

func (h *classHints) fade() {
	for _, n := range h.counts {
		fade(n)
	}
}

// classPrice is roughly the bits of one class's tables.
const classPrice = 2000

// Best returns the word whose classes would save the most bits, less the price of their
// tables; -1 if none pays.
func (h *classHints) Best(t *rowtype.Type, worth float64) int {
	word, saved := -1, 0.0
	for k, w := range h.words {
		bits, seen := information(h.counts[k], t.ClassesOf(w), len(t.Words))
		// Much of what the class shows of one word, other words show already: take half.
		if s := bits*HintEvery*worth/2 - float64(classPrice*(seen-1)); s > saved {
			word, saved = w, s
		}
	}
	return word
}

// information is the bits that the class shows of the levels of all words, and how many classes
// were seen. It is the mutual information, less what chance alone would show.
func information(n []uint32, classes, words int) (bits float64, seen int) {
	for w := range words {
		var all [hintLevels]float64
		sum, cells, levels := 0.0, 0, 0
		seen = 0
		for k := range classes {
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

// entropic is n log n, of a count.
func entropic(n float64) float64 {
	if i := int(n); i < len(entropics) {
		return entropics[i]
	}
	return n * math.Log2(n)
}

// entropics are those of small counts, as most are.
var entropics = func() (of [1 << 10]float64) {
	for i := range of[1:] {
		of[i+1] = float64(i+1) * math.Log2(float64(i+1))
	}
	return of
}()

// Regroup has updates counted by the classes that a word gives. The counts so far are
// kept, for rows of any class.
func (r *rowLearner) Regroup(t *rowtype.Type, word int) {
	any := &r.Updates[0]
	for _, u := range r.Updates[1:] {
		for c := range u {
			any[c].add(&u[c])
		}
	}
	r.ClassWord, r.Updates = word, r.Updates[:1]
	for range t.ClassesOf(word) {
		r.Updates = append(r.Updates, updateLearner{})
	}
}

// price is the bits that the counted updates cost with a set, plus those of its tables.
func (f *Fitter) price(s, was *rowSet, l *rowLearner, t *rowtype.Type, d *rowModel) float64 {
	m := s.build(t, d)
	bits := 0.0
	shape, shaped := &s.shapes[ShapeUpdate], &was.shapes[ShapeUpdate]
	for k := range s.updates {
		u, before := &s.updates[k], was.update(s.classWord, k)
		bits += u.all.price(&before.all, shape, shaped)
		for c := range u.contexts {
			bits += u.contexts[c].price(&before.contexts[c], shape, shaped)
		}
	}
	return l.cost(t, &m)*f.Worth + bits
}

// sums adds up the counts of all classes: over all contexts, and in each. Without classes each is
// what is counted from now on, too.
func (r *rowLearner) sums() (all recordLearner, each *updateLearner) {
	each = &r.Updates[0]
	if len(r.Updates) > 1 {
		sum := updateLearner{}
		for k := range r.Updates {
			for c := range sum {
				sum[c].add(&r.Updates[k][c])
			}
		}
		each = &sum
	}
	for c := range each {
		all.add(&each[c])
	}
	return all, each
}
