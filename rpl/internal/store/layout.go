package store

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// layoutOf returns the layout of a node to be made.
func (a *Store) layoutOf(s *Spawn) (*wire.NodeLayout, error) {
	items := make([]int, len(s.Items))
	for i, t := range s.Items {
		if items[i] = -1; t != nil {
			a.Schema.OwnItem(t)
			items[i] = t.Index
		}
	}
	prefab := 0
	if s.Prefab != nil {
		schema.Declares(a.Schema.Prefabs(), s.Prefab.Index, s.Prefab, "prefab", s.Prefab.Name)
		prefab = s.Prefab.Index + 1
	}
	return a.layout(prefab, items)
}

// layout returns the layout of a prefab (index + 1, 0 none) and items, made where there is none
// yet. Its error wraps ErrLimit.
func (a *Store) layout(prefab int, items []int) (*wire.NodeLayout, error) {
	key := binary.AppendVarint(a.bytes[:0], int64(prefab))
	for _, i := range items {
		key = binary.AppendVarint(key, int64(i))
	}
	a.bytes = key
	if l := a.Layouts.ByKey[string(key)]; l != nil {
		return l, nil
	}
	if len(a.Layouts.ByKey) >= wire.MaxLayouts {
		a.Layouts.freeNumbers = a.unusedLayouts()
		if len(a.Layouts.freeNumbers) == 0 {
			return nil, fmt.Errorf("rpl: nodes have %d different sets of items, in their order: %w; add components in one order, or fewer of them", wire.MaxLayouts, ids.ErrLimit)
		}
	}
	l := wire.NewLayout(a.Schema.Items(), a.typesOf, uint32(len(a.Layouts.Numbered)), prefab, items)
	if len(l.Rows) > wire.MaxRows {
		return nil, fmt.Errorf("rpl: a node of %d rows, one per item and audience: %w of %d; use fewer items, or fewer audiences in one", len(l.Rows), ids.ErrLimit, wire.MaxRows)
	}
	a.Layouts.ByKey[string(key)] = l
	a.number(l)
	return l, nil
}

// number gives a new layout its number: the lowest that is free again or, if there is
// none, a new one. Peers may know another layout by a free number, so they are sent the
// definition again.
func (a *Store) number(l *wire.NodeLayout) {
	a.Layouts.editions++
	l.Edition = a.Layouts.editions
	k := len(a.Layouts.freeNumbers)
	if k == 0 {
		a.Layouts.Numbered = append(a.Layouts.Numbered, l)
		return
	}
	l.Number = a.Layouts.freeNumbers[k-1]
	a.Layouts.freeNumbers = a.Layouts.freeNumbers[:k-1]
	a.Layouts.Numbered[l.Number] = l
	a.Layouts.Renumbered = append(a.Layouts.Renumbered, l.Number)
}

// unusedLayouts deletes the layouts that no node has, and returns their numbers, the
// lowest last. It is called only when all numbers are taken: a set of items that was
// used once is mostly used again.
func (a *Store) unusedLayouts() (free []uint32) {
	for key, l := range a.Layouts.ByKey {
		if l.Nodes == 0 {
			delete(a.Layouts.ByKey, key)
			free = append(free, l.Number)
		}
	}
	slices.SortFunc(free, func(x, y uint32) int { return cmp.Compare(y, x) })
	return free
}

// relayout gives a node another layout.
func (a *Store) relayout(n *Node, l *wire.NodeLayout) {
	n.Layout.Nodes--
	l.Nodes++
	n.Layout = l
}
