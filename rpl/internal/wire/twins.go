package wire

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// A Twin says that word At of a row of a layout has the value of word From of the row Row, which
// stands before it: one of them, or both, are borrowed (rowtype/borrow.go). An update that
// carries both rows says the value once.
type Twin struct{ Row, From, At int }

// A named word is a word of an item of a layout, or the inferred velocity of that word.
type namedWord struct {
	ord, word int
	slope     bool
}

// twinsOf returns the twins of each row, nil if there are none.
func twinsOf(l *NodeLayout) (twins [][]Twin) {
	if !slices.ContainsFunc(l.Rows, func(t *rowtype.Type) bool { return len(t.Borrowed) > 0 }) {
		return nil
	}
	twins = make([][]Twin, len(l.Rows))
	before := make(map[namedWord][]Twin) // where it stands in the rows so far
	for j, t := range l.Rows {
		note := func(w namedWord, at int) {
			for _, b := range before[w] {
				twins[j] = append(twins[j], Twin{b.Row, b.From, at})
			}
			before[w] = append(before[w], Twin{Row: j, From: at})
		}
		for at, w := range t.From {
			if w >= 0 {
				note(namedWord{l.Ords[j], w, false}, at)
			} else if t.IsInferred(at) {
				note(namedWord{l.Ords[j], t.From[at+1], true}, at)
			}
		}
		for k := range t.Borrowed {
			b := &t.Borrowed[k]
			if ord := l.Lender(l.Ords[j], b.Item.Index); ord >= 0 {
				note(namedWord{ord, b.Of, b.Slope}, b.Word)
			}
		}
	}
	return twins
}

// Lender is the ordinal of the item of a type from which an item borrows, -1 if there is none: the
// first of a type from the first, and so on.
func (l *NodeLayout) Lender(ord, from int) int {
	nth := 0
	for _, i := range l.Items[:ord] {
		if i == l.Items[ord] {
			nth++
		}
	}
	for k, i := range l.Items {
		if i != from {
			continue
		}
		if nth == 0 {
			return k
		}
		nth--
	}
	return -1
}
