package rpl

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
)

// Layouts: the sets of items that nodes have. A peer gets a layout's definition with the
// first nodes that have the layout, and from then on only its number. Numbers are reused:
// a number in a packet means the layout that the authority had defined by then, however
// late the packet comes.

// A nodeLayout is what nodes of the same make have in common: their prefab and the types
// of their items.
type nodeLayout struct {
	number uint32
	prefab int         // index + 1, 0 none
	items  []int       // schema indices, -1 where one was removed
	types  []*ItemType // the item types, nil where one was removed
	rows   []*rowType  // the row types of all items
	ords   []int       // for each row, the ordinal of its item
	groups uint64      // a bit for each group that a row is kept to

	nodes   int    // on the authority: how many nodes have it
	edition uint32 // on the authority: tells apart the layouts that have had its number
	since   Tick   // on a proxy: packets of earlier ticks mean another layout by its number
}

// layoutOf returns the layout of a node to be made.
func (a *Authority) layoutOf(s *Spawn) (*nodeLayout, error) {
	items := make([]int, len(s.Items))
	for i, t := range s.Items {
		if items[i] = -1; t != nil {
			a.cfg.Schema.ownItem(t)
			items[i] = t.Index
		}
	}
	prefab := 0
	if s.Prefab != nil {
		declares(a.cfg.Schema.prefabs, s.Prefab.Index, s.Prefab, "prefab", s.Prefab.Name)
		prefab = s.Prefab.Index + 1
	}
	return a.layout(prefab, items)
}

// layout returns the layout of a prefab (index + 1, 0 none) and items, made where there is none
// yet. Its error wraps ErrLimit.
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

// number gives a new layout its number: the lowest that is free again or, if there is
// none, a new one. Peers may know another layout by a free number, so they are sent the
// definition again.
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

// unusedLayouts deletes the layouts that no node has, and returns their numbers, the
// lowest last. It is called only when all numbers are taken: a set of items that was
// used once is mostly used again.
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

// newLayout makes a layout; all are the item types, and typesOf their row types.
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

// is reports whether the layout has that prefab and those items.
func (l *nodeLayout) is(prefab int, items []int) bool {
	return l.prefab == prefab && slices.Equal(l.items, items)
}

// relayout gives a node another layout and has its holders told.
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
