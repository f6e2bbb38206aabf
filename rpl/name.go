package rpl

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// How a packet says which node an update is about: by the gap from the handle of the
// update before it (from −1 for the first), together with whether the update is an
// ordinary or a special one. The two are the update's name.

// Names of ordinary updates with gaps below nearGaps are precomputed: nearly all are.
const nearGaps = 64

// nearSyms is the symbol that each such name begins with, by gap.
var nearSyms = func() (syms [nearGaps]uint8) {
	for gap := range syms[1:] {
		idx, _, _ := neighbourhood(uint32(gap) + 1)
		syms[gap+1] = uint8(gapPlain + idx)
	}
	return syms
}()

// nameBy sets the table of names and precomputes the near ones.
func (m *entryModel) nameBy(gap table) {
	m.gap = gap
	for gap := range m.near[1:] {
		m.near[gap+1], _ = m.rareName(false, uint32(gap)+1)
	}
}

// name returns the name of an update.
func (m *entryModel) name(special bool, gap uint32) prefix.Sym {
	if !special && gap < nearGaps {
		return m.near[gap]
	}
	name, _ := m.rareName(special, gap)
	return name
}

// rareName computes the name of any update, and returns the symbol that it begins with.
func (m *entryModel) rareName(special bool, gap uint32) (name prefix.Sym, sym uint8) {
	if special {
		return m.gap.sym(gapSpecial).With(unsigned(&m.far, gap)), gapSpecial
	}
	idx, extra, n := neighbourhood(gap)
	sym = uint8(gapPlain + idx)
	return m.gap.run(uint(sym)).Raw(extra, n).Sym(), sym
}

// metaFirst puts the updates that tell of another parent or owner in front, so that all of
// a send travel in one datagram, and arrive or are lost together (protocol rule 20). More of
// them than a datagram holds are split.
func metaFirst(updates []piece) {
	slices.SortStableFunc(updates, func(x, y piece) int { return flag(y.meta) - flag(x.meta) })
	for i := range updates { // a name depends on the update before, so it is made again
		if u := &updates[i]; u.name != alikeName {
			u.codes, u.name = u.bare(), 0
		}
	}
}
