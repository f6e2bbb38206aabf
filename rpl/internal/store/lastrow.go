package store

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// A LastRow is what a row of a removed node was in the end, kept for who is still to be sent it: the
// store forgets the node.
type LastRow struct {
	Row   int // of the node's rows
	Of    *rowtype.Type
	Words []int32
	Vars  []any
}

// LastRow keeps what a row is now, the i-th of its node's. It moves no more.
func (st *Store) LastRow(r *Row, i int) *LastRow {
	l := &LastRow{Row: i, Of: r.Type, Words: slices.Clone(st.Current(r))}
	for _, k := range r.Type.Inferred {
		l.Words[k-1] = 0
	}
	for _, k := range r.Type.Fractional {
		l.Words[r.Type.Fraction[k]] = 0
	}
	if r.Vars != nil {
		l.Vars = slices.Clone(r.Vars.Now)
	}
	return l
}
