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

// turnRound has the updates of a send that takes several packets begin at another one in
// each send, and those before that come last. A full queue on the way drops the last packets
// of each send: without this it would be the same nodes that are never told.
func turnRound(updates []piece, send uint32) {
	for len(updates) > 0 && updates[0].meta {
		updates = updates[1:] // they stay together
	}
	bits := 0
	for i := range updates {
		if !updates[i].skip {
			bits += int(updates[i].bits)
		}
	}
	if bits <= 8*PacketRoom {
		return
	}
	first := (send * 2654435769 >> 8) % uint32(len(updates)) // as good as random
	u := &updates[first]
	u.codes, u.name = u.bare(), 0 // the update before it, from which its name counts, comes last
	slices.Reverse(updates[:first])
	slices.Reverse(updates[first:])
	slices.Reverse(updates)
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
