package rpl

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// How an update is named in a packet: by the gap to the one before it, or to the
// beginning, and by whether it is an ordinary one.

// nearGaps are the gaps below which a name is a symbol without more bits, as nearly
// all are.
const nearGaps = 8

// nameBy sets the table of names.
func (m *entryModel) nameBy(gap table) {
	m.gap = gap
	for i := range m.near {
		m.near[i] = gap.sym(gapPlain - 1 + i)
	}
}

// name is how an update is named, and the symbol of its gap.
func (m *entryModel) name(special bool, gap uint32) (name prefix.Sym, sym int) {
	if special {
		return m.gap.sym(gapSpecial).With(unsigned(&m.far, gap)), gapSpecial
	}
	if gap < nearGaps {
		return m.near[gap], gapPlain - 1 + int(gap)
	}
	idx, extra, n := neighbourhood(gap)
	sym = gapPlain + int(idx)
	return m.gap.run(uint(sym)).Raw(extra, n).Sym(), sym
}

// movedFirst puts updates that tell of other parents in front, so that all of a
// send go in one datagram, and are lost or known together (protocol rule 20). More
// than a datagram holds are split.
func movedFirst(updates []piece) {
	slices.SortStableFunc(updates, func(x, y piece) int { return flag(y.moved) - flag(x.moved) })
	for i := range updates { // each is named by the one before it
		u := &updates[i]
		u.codes, u.name = u.bare(), 0
	}
}
