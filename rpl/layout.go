package rpl

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// layoutOf returns the layout of a node to be made.
func (a *Authority) layoutOf(s *Spawn) (*wire.NodeLayout, error) {
	items := make([]int, len(s.Items))
	for i, t := range s.Items {
		if items[i] = -1; t != nil {
			a.cfg.Schema.OwnItem(t)
			items[i] = t.Index
		}
	}
	prefab := 0
	if s.Prefab != nil {
		schema.Declares(a.cfg.Schema.Prefabs(), s.Prefab.Index, s.Prefab, "prefab", s.Prefab.Name)
		prefab = s.Prefab.Index + 1
	}
	return a.layout(prefab, items)
}

// layout returns the layout of a prefab (index + 1, 0 none) and items, made where there is none
// yet. Its error wraps ErrLimit.
func (a *Authority) layout(prefab int, items []int) (*wire.NodeLayout, error) {
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
	l := wire.NewLayout(a.cfg.Schema.Items(), a.typesOf, uint32(len(a.numbered)), prefab, items)
	if len(l.Rows) > wire.MaxRows {
		return nil, fmt.Errorf("rpl: a node of %d rows, one per item and audience: %w of %d; use fewer items, or fewer audiences in one", len(l.Rows), ErrLimit, wire.MaxRows)
	}
	a.layouts[string(key)] = l
	a.number(l)
	return l, nil
}

// number gives a new layout its number: the lowest that is free again or, if there is
// none, a new one. Peers may know another layout by a free number, so they are sent the
// definition again.
func (a *Authority) number(l *wire.NodeLayout) {
	a.editions++
	l.Edition = a.editions
	k := len(a.freeLayouts)
	if k == 0 {
		a.numbered = append(a.numbered, l)
		return
	}
	l.Number = a.freeLayouts[k-1]
	a.freeLayouts = a.freeLayouts[:k-1]
	a.numbered[l.Number] = l
	for _, p := range a.peers {
		if p != nil {
			p.layouts.Clear(l.Number)
		}
	}
}

// unusedLayouts deletes the layouts that no node has, and returns their numbers, the
// lowest last. It is called only when all numbers are taken: a set of items that was
// used once is mostly used again.
func (a *Authority) unusedLayouts() (free []uint32) {
	for key, l := range a.layouts {
		if l.Nodes == 0 {
			delete(a.layouts, key)
			free = append(free, l.Number)
		}
	}
	slices.SortFunc(free, func(x, y uint32) int { return cmp.Compare(y, x) })
	return free
}

// relayout gives a node another layout and has its holders told.
func (a *Authority) relayout(slot uint32, l *wire.NodeLayout) {
	n := &a.nodes[slot]
	n.layout.Nodes--
	l.Nodes++
	n.layout = l
	for _, h := range n.holders {
		if h.handle != wire.NoHandle {
			a.peers[h.peer].refresh(a, h.handle)
		}
	}
}
