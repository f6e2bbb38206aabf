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
func (st *Store) layoutOf(s *Spawn) (*wire.NodeLayout, error) {
	items := make([]int, len(s.Items))
	for i, t := range s.Items {
		if items[i] = -1; t != nil {
			st.Schema.OwnItem(t)
			items[i] = t.Index
		}
	}
	prefab := 0
	if s.Prefab != nil {
		schema.Declares(st.Schema.Prefabs(), s.Prefab.Index, s.Prefab, "prefab", s.Prefab.Name)
		prefab = s.Prefab.Index + 1
	}
	return st.layout(prefab, items)
}

// layout returns the layout of a prefab (index + 1, 0 none) and items, made where there is none
// yet. Its error wraps ErrLimit.
func (st *Store) layout(prefab int, items []int) (*wire.NodeLayout, error) {
	key := binary.AppendVarint(st.rooms.bytes[:0], int64(prefab))
	for _, i := range items {
		key = binary.AppendVarint(key, int64(i))
	}
	st.rooms.bytes = key
	if l := st.Layouts.ByKey[string(key)]; l != nil {
		return l, nil
	}
	if len(st.Layouts.ByKey) >= wire.MaxLayouts {
		st.Layouts.freeNumbers = st.unusedLayouts()
		if len(st.Layouts.freeNumbers) == 0 {
			return nil, fmt.Errorf("rpl: nodes have %d different sets of items, in their order: %w; add components in one order, or fewer of them", wire.MaxLayouts, ids.ErrLimit)
		}
	}
	l := wire.NewLayout(st.Schema.Items(), st.typesOf, uint32(len(st.Layouts.Numbered)), prefab, items)
	if len(l.Rows) > wire.MaxRows {
		return nil, fmt.Errorf("rpl: a node of %d rows, one per item and audience: %w of %d; use fewer items, or fewer audiences in one", len(l.Rows), ids.ErrLimit, wire.MaxRows)
	}
	st.Layouts.ByKey[string(key)] = l
	st.number(l)
	return l, nil
}

// number gives a new layout its number: the lowest that is free again or, if there is
// none, a new one. Peers may know another layout by a free number, so they are sent the
// definition again.
func (st *Store) number(l *wire.NodeLayout) {
	st.Layouts.editions++
	l.Edition = st.Layouts.editions
	k := len(st.Layouts.freeNumbers)
	if k == 0 {
		st.Layouts.Numbered = append(st.Layouts.Numbered, l)
		return
	}
	l.Number = st.Layouts.freeNumbers[k-1]
	st.Layouts.freeNumbers = st.Layouts.freeNumbers[:k-1]
	st.Layouts.Numbered[l.Number] = l
	st.Layouts.Renumbered = append(st.Layouts.Renumbered, l.Number)
}

// unusedLayouts deletes the layouts that no node has, and returns their numbers, the
// lowest last. It is called only when all numbers are taken: a set of items that was
// used once is mostly used again.
func (st *Store) unusedLayouts() (free []uint32) {
	for key, l := range st.Layouts.ByKey {
		if l.Nodes == 0 {
			delete(st.Layouts.ByKey, key)
			free = append(free, l.Number)
		}
	}
	slices.SortFunc(free, func(x, y uint32) int { return cmp.Compare(y, x) })
	return free
}

// relayout gives a node another layout.
func (st *Store) relayout(n *Node, l *wire.NodeLayout) {
	n.Layout.Nodes--
	l.Nodes++
	n.Layout = l
}
