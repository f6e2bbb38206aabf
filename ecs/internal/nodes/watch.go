package nodes

// watch: an item as somebody saw it last, and the entities that it referred to then.

import (
	"cmp"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

// Sightings are the entities that an item's references meant when it was looked at. A
// node that has gone since leads to no entity any more, and one that comes again may be
// another entity.
type Sightings struct {
	rpl.Refs
	Of []sighting
}

type sighting struct {
	node   rpl.Node
	entity uint64
}

// NodeOf records what it is asked for, while an item is extracted.
func (s *Sightings) NodeOf(e uint64) rpl.Node {
	n := s.Refs.NodeOf(e)
	if n != 0 {
		s.Of = append(s.Of, sighting{n, e})
	}
	return n
}

// EntityOf finds the entity among the records, which must be sorted.
func (s *Sightings) EntityOf(id rpl.Node) uint64 {
	if i, ok := slices.BinarySearchFunc(s.Of, id, sighting.compare); ok {
		return s.Of[i].entity
	}
	return 0
}

func (s sighting) compare(id rpl.Node) int { return cmp.Compare(s.node, id) }

// Sort prepares EntityOf.
func (s *Sightings) Sort() {
	slices.SortStableFunc(s.Of, func(a, b sighting) int { return a.compare(b.node) })
}

// Held are references as components hold them: also those to nodes that are leaving, which are null only once
// that has been written.
type Held struct{ *Table }

// NodeOf and EntityOf translate between nodes and entities that are still there.
func (h Held) NodeOf(e uint64) rpl.Node {
	if n := h.Of(donburi.Entity(e)); n != nil {
		return n.ID
	}
	return 0
}

func (h Held) EntityOf(id rpl.Node) uint64 {
	if n := h.ByID[id]; n != nil {
		return uint64(n.Entity)
	}
	return 0
}

// A Memory holds an item's fields as they were at the last look.
type Memory struct {
	Words []int32
	Vars  []any
}

// A Reported remembers an item as OnChange last saw it.
type Reported struct {
	Words []int32
	Vars  []any
	Old   unsafe.Pointer // a copy of the component, the next call's old, except for what a copy shares
	Seen  Sightings      // the entities that the references in words and vars meant
	Due   bool           // a call waits
}

// CopyShares reports whether a copy of the component shares some of what is replicated.
func (c *Component) CopyShares() bool {
	if c.StandIn == nil {
		return len(c.Item.Vars) > 0
	}
	return c.StandIn.Shares
}

// Unshare overwrites the values of variable length that a copy shares with its original.
func (c *Component) Unshare(p unsafe.Pointer, vars []any, refs rpl.Refs) {
	for k := range c.Item.Vars {
		v := &c.Item.Vars[k]
		v.Type.Clear(unsafe.Add(p, v.Offset))
		v.Type.Inject(unsafe.Add(p, v.Offset), vars[k], refs)
	}
}
