package ecs

// sightings: which entities references meant when OnChange last saw them.

import (
	"cmp"
	"slices"

	"github.com/tendonengine/tendon/rpl"
)

// sightings are the entities that an item's references meant when it was looked at. A
// node that has gone since leads to no entity any more, and one that comes again may be
// another entity.
type sightings struct {
	rpl.Refs
	of []sighting
}

type sighting struct {
	node   rpl.Node
	entity uint64
}

// NodeOf records what it is asked for, while an item is extracted.
func (s *sightings) NodeOf(e uint64) rpl.Node {
	n := s.Refs.NodeOf(e)
	if n != 0 {
		s.of = append(s.of, sighting{n, e})
	}
	return n
}

// EntityOf finds the entity among the records, which must be sorted.
func (s *sightings) EntityOf(id rpl.Node) uint64 {
	if i, ok := slices.BinarySearchFunc(s.of, id, sighting.compare); ok {
		return s.of[i].entity
	}
	return 0
}

func (s sighting) compare(id rpl.Node) int { return cmp.Compare(s.node, id) }

// sort prepares EntityOf.
func (s *sightings) sort() {
	slices.SortStableFunc(s.of, func(a, b sighting) int { return a.compare(b.node) })
}
