package rpl

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// How an update is named in a packet: by the gap to the one before it, or to the
// beginning, and by whether it is an ordinary one.

// nearGaps are the gaps below which names are kept, as nearly all are.
const nearGaps = 64

// nearSyms are the symbols that such names begin with.
var nearSyms = func() (syms [nearGaps]uint8) {
	for gap := range syms[1:] {
		idx, _, _ := neighbourhood(uint32(gap) + 1)
		syms[gap+1] = uint8(gapPlain + idx)
	}
	return syms
}()

// nameBy sets the table of names.
func (m *entryModel) nameBy(gap table) {
	m.gap = gap
	for gap := range m.near[1:] {
		m.near[gap+1], _ = m.rareName(false, uint32(gap)+1)
	}
}

// name is how an update is named.
func (m *entryModel) name(special bool, gap uint32) prefix.Sym {
	if !special && gap < nearGaps {
		return m.near[gap]
	}
	name, _ := m.rareName(special, gap)
	return name
}

// rareName is any update's name, and the symbol that it begins with.
func (m *entryModel) rareName(special bool, gap uint32) (name prefix.Sym, sym uint8) {
	if special {
		return m.gap.sym(gapSpecial).With(unsigned(&m.far, gap)), gapSpecial
	}
	idx, extra, n := neighbourhood(gap)
	sym = uint8(gapPlain + idx)
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
