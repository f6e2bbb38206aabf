package coder

import (
	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// How a packet says which node an update is about: by the gap from the handle of the
// update before it (from −1 for the first), together with whether the update is an
// ordinary or a special one. The two are the update's name.

// Names of ordinary updates with gaps below NearGaps are precomputed: nearly all are.
const NearGaps = 64

// NearSyms is the symbol that each such name begins with, by gap.
var NearSyms = func() (syms [NearGaps]uint8) {
	for gap := range syms[1:] {
		idx, _, _ := neighbourhood(uint32(gap) + 1)
		syms[gap+1] = uint8(GapPlain + idx)
	}
	return syms
}()

// nameBy sets the table of names and precomputes the near ones.
func (m *EntryModel) nameBy(gap Table) {
	m.Gap = gap
	for gap := range m.Near[1:] {
		m.Near[gap+1], _ = m.RareName(false, uint32(gap)+1)
	}
}

// Name returns the name of an update.
func (m *EntryModel) Name(special bool, gap uint32) prefix.Sym {
	if !special && gap < NearGaps {
		return m.Near[gap]
	}
	name, _ := m.RareName(special, gap)
	return name
}

// RareName computes the name of any update, and returns the symbol that it begins with.
func (m *EntryModel) RareName(special bool, gap uint32) (name prefix.Sym, sym uint8) {
	if special {
		return m.Gap.Sym(GapSpecial).With(Unsigned(&m.Far, gap)), GapSpecial
	}
	idx, extra, n := neighbourhood(gap)
	sym = uint8(GapPlain + idx)
	return m.Gap.Run(uint(sym)).Raw(extra, n).Sym(), sym
}
