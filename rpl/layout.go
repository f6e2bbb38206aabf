package rpl

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// Layouts: the sets of items that nodes have. One is told a peer with the first nodes
// that have it, and goes by a number from then on. Numbers are used again: a packet
// means by one what its authority had told of it before, however late it comes.

// A nodeLayout is what nodes made alike have in common: their prefab and the types
// of their items. It travels once per peer, then its number does.
type nodeLayout struct {
	number uint32
	prefab int         // index + 1, 0 none
	items  []int       // schema indices, -1 where one was removed
	types  []*ItemType // the same, nil there
	rows   []*rowType  // of all items …
	ords   []int       // … and which of them they are of
	groups uint64      // that rows are kept to

	nodes   int    // on the authority: so many have it …
	edition uint32 // … and which of those that have had its number it is
	since   Tick   // on a proxy: packets before it mean another one by its number
}

func (a *Authority) layoutOf(s *Spawn) (*nodeLayout, error) {
	items := make([]int, len(s.Items))
	for i, t := range s.Items {
		if items[i] = -1; t != nil {
			items[i] = t.Index
		}
	}
	prefab := 0
	if s.Prefab != nil {
		prefab = s.Prefab.Index + 1
	}
	return a.layout(prefab, items)
}

func (a *Authority) layout(prefab int, items []int) (*nodeLayout, error) {
	key := binary.AppendVarint(a.bytes[:0], int64(prefab))
	for _, i := range items {
		key = binary.AppendVarint(key, int64(i))
	}
	a.bytes = key
	if l := a.layouts[string(key)]; l != nil {
		return l, nil
	}
	if len(a.layouts) >= MaxLayouts {
		a.freeLayouts = a.unusedLayouts()
		if len(a.freeLayouts) == 0 {
			return nil, fmt.Errorf("rpl: nodes have %d different sets of items, in their order: %w; add components in one order, or fewer of them", MaxLayouts, ErrLimit)
		}
	}
	l := newLayout(a.cfg.Schema.Items(), a.typesOf, uint32(len(a.numbered)), prefab, items)
	if len(l.rows) > maxRows {
		return nil, fmt.Errorf("rpl: a node of %d rows, one per item and audience: %w of %d; use fewer items, or fewer audiences in one", len(l.rows), ErrLimit, maxRows)
	}
	a.layouts[string(key)] = l
	a.number(l)
	return l, nil
}

// number gives a new layout a number: one that no other has had, or of those that are
// free the lowest. Peers know another one by that, so it is told them anew.
func (a *Authority) number(l *nodeLayout) {
	a.editions++
	l.edition = a.editions
	k := len(a.freeLayouts)
	if k == 0 {
		a.numbered = append(a.numbered, l)
		return
	}
	l.number = a.freeLayouts[k-1]
	a.freeLayouts = a.freeLayouts[:k-1]
	a.numbered[l.number] = l
	for _, p := range a.peers {
		if p != nil {
			p.layouts.clear(l.number)
		}
	}
}

// unusedLayouts forgets the layouts that no node has, and returns their numbers, the
// lowest last. Until all numbers are taken they are kept: what a game takes away it
// mostly gives back.
func (a *Authority) unusedLayouts() (free []uint32) {
	for key, l := range a.layouts {
		if l.nodes == 0 {
			delete(a.layouts, key)
			free = append(free, l.number)
		}
	}
	slices.SortFunc(free, func(x, y uint32) int { return cmp.Compare(y, x) })
	return free
}

func newLayout(all []*ItemType, typesOf [][]*rowType, number uint32, prefab int, items []int) *nodeLayout {
	l := &nodeLayout{number: number, prefab: prefab, items: items, types: make([]*ItemType, len(items))}
	for ord, i := range items {
		if i < 0 {
			continue
		}
		l.types[ord] = all[i]
		for _, t := range typesOf[i] {
			l.rows, l.ords = append(l.rows, t), append(l.ords, ord)
			if t.audience >= FirstGroup {
				l.groups |= 1 << (t.audience - FirstGroup)
			}
		}
	}
	return l
}

// is is whether a layout is of a prefab and of some items.
func (l *nodeLayout) is(prefab int, items []int) bool {
	return l.prefab == prefab && slices.Equal(l.items, items)
}

func (a *Authority) relayout(slot uint32, l *nodeLayout) {
	n := &a.nodes[slot]
	n.layout.nodes--
	l.nodes++
	n.layout = l
	for _, h := range n.holders {
		if h.handle != noHandle {
			a.peers[h.peer].refresh(a, h.handle)
		}
	}
}
