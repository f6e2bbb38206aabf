package play

import (
	"fmt"
	"math"

	"github.com/tendonengine/tendon/rpl"
)

// A layout maps each word of the item to a field of the trace.
type layout struct {
	words []column
	same  bool // every word i is field i+1, unscaled
}

// A column maps one word: the trace's value is word × mul + add.
type column struct {
	field    int // index in the trace's row
	mul, add int32
}

// newLayout derives the layout from the item's quantisers. fields names, for each prop,
// the first of the trace's fields that the prop holds, and how many of the trace's
// units one unit of the prop is.
func newLayout(t *rpl.ItemType, fields map[string]fieldUnit) (*layout, error) {
	l := &layout{words: make([]column, len(t.Words)), same: true}
	covered := 0
	for i := range t.Props {
		p := &t.Props[i]
		fu, ok := fields[p.Name]
		if !ok {
			return nil, fmt.Errorf("item %s has the prop %s, which no field of the trace is", t.Name, p.Name)
		}
		for w := p.Words[0]; w < p.Words[1]; w++ {
			mul, add := p.Step*fu.perUnit, p.Bias*fu.perUnit
			c := column{fu.field + w - p.Words[0], int32(math.Round(mul)), int32(math.Round(add))}
			if math.Abs(mul-float64(c.mul)) > 1e-6 || math.Abs(add-float64(c.add)) > 1e-6 || c.mul == 0 {
				return nil, fmt.Errorf("prop %s of item %s counts in %v of the trace's units, which is not whole", p.Name, t.Name, mul)
			}
			l.words[w] = c
			l.same = l.same && c == column{w + 1, 1, 0}
			covered++
		}
	}
	if covered != len(t.Words) {
		return nil, fmt.Errorf("the props of item %s cover %d of its %d words", t.Name, covered, len(t.Words))
	}
	return l, nil
}

type fieldUnit struct {
	field   int
	perUnit float64
}

// differs counts the words that differ from a row of the trace.
func (l *layout) differs(words, row []int32) (n int) {
	if len(words) != len(l.words) {
		return len(l.words)
	}
	for i, c := range l.words {
		if words[i]*c.mul+c.add != row[c.field] {
			n++
		}
	}
	return n
}

// equal reports whether differs is 0, with a fast path for unscaled words.
func (l *layout) equal(words, row []int32) bool {
	if l.same {
		row = row[1:]
		if len(words) != len(row) {
			return false
		}
		for i, w := range words {
			if w != row[i] {
				return false
			}
		}
		return true
	}
	return l.differs(words, row) == 0
}
