package wire

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Layouts: the sets of items that nodes have. A peer gets a layout's definition with the
// first nodes that have the layout, and from then on only its number. Numbers are reused:
// a number in a packet means the layout that the authority had defined by then, however
// late the packet comes.

// A NodeLayout is what nodes of the same make have in common: their prefab and the types
// of their items.
type NodeLayout struct {
	Number uint32
	Prefab int                // index + 1, 0 none
	Items  []int              // schema indices, -1 where one was removed
	Types  []*schema.ItemType // the item types, nil where one was removed
	Rows   []*rowtype.Type    // the row types of all items
	Ords   []int              // for each row, the ordinal of its item
	Twins  [][]Twin           // for each row; nil if no row has any
	Groups uint64             // a bit for each group that a row is kept to

	Commanded bool // an item is moved by commands
	Counts    bool // a row has words that may count

	Nodes   int      // on the authority: how many nodes have it
	Edition uint32   // on the authority: distinguishes the layouts that have had its number
	Since   ids.Tick // on a proxy: packets of earlier ticks mean another layout by its number
}

// NewLayout makes a layout; all are the item types, and typesOf their row types.
func NewLayout(all []*schema.ItemType, typesOf [][]*rowtype.Type, number uint32, prefab int, items []int) *NodeLayout {
	l := &NodeLayout{Number: number, Prefab: prefab, Items: items, Types: make([]*schema.ItemType, len(items))}
	for ord, i := range items {
		if i < 0 {
			continue
		}
		l.Types[ord] = all[i]
		l.Commanded = l.Commanded || all[i].Commanded
		for _, t := range typesOf[i] {
			l.Rows, l.Ords = append(l.Rows, t), append(l.Ords, ord)
			l.Counts = l.Counts || len(t.Counting) > 0
			if t.Audience >= ids.FirstGroup {
				l.Groups |= 1 << (t.Audience - ids.FirstGroup)
			}
		}
	}
	l.Twins = twinsOf(l)
	return l
}

// Is reports whether the layout has that prefab and those items.
func (l *NodeLayout) Is(prefab int, items []int) bool {
	return l.Prefab == prefab && slices.Equal(l.Items, items)
}
