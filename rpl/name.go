package rpl

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// How an update is named in a packet: by the gap to the one before it, or to the
// beginning, and by whether it is an ordinary one.

// name is how an update is named, and the symbol of its gap.
func (m *entryModel) name(special bool, gap uint32) (name prefix.Sym, sym int) {
	switch {
	case special:
		return m.gap.sym(gapSpecial).With(unsigned(&m.far, gap)), gapSpecial
	case gap < 8: // without more bits
		sym = gapPlain - 1 + int(gap)
		return m.gap.sym(sym), sym
	}
	idx, extra, n := neighbourhood(gap)
	sym = gapPlain + int(idx)
	return m.gap.run(uint(sym)).Raw(extra, n).Sym(), sym
}

// movedFirst puts updates that tell of other parents in front, so that all of a
// send go in one datagram, and are lost or known together (protocol rule 20). More
// than a datagram holds are split.
func (m *entryModel) movedFirst(updates []piece) {
	slices.SortStableFunc(updates, func(x, y piece) int { return flag(y.moved) - flag(x.moved) })
	last := uint32(0)
	for i := range updates {
		u := &updates[i]
		if u.skip {
			continue
		}
		if u.opens = u.handle < last; !u.opens {
			u.name, _ = m.name(u.special, u.handle+1-last)
		}
		last = u.handle + 1
	}
}
