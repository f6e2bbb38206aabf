package ecs

import (
	"cmp"
	"slices"

	"github.com/tendonengine/tendon/rpl"
)

// sightings are the entities to which an item referred when it was looked at. What has
// gone since has no node any more, and what comes again may be another entity.
type sightings struct {
	rpl.Refs
	of []sighting
}

type sighting struct {
	node   rpl.Node
	entity uint64
}

// NodeOf notes what it is asked for, while an item is extracted.
func (s *sightings) NodeOf(e uint64) rpl.Node {
	n := s.Refs.NodeOf(e)
	if n != 0 {
		s.of = append(s.of, sighting{n, e})
	}
	return n
}

// EntityOf finds in what was noted, once that is sorted.
func (s *sightings) EntityOf(id rpl.Node) uint64 {
	if i, ok := slices.BinarySearchFunc(s.of, id, sighting.compare); ok {
		return s.of[i].entity
	}
	return 0
}

func (s sighting) compare(id rpl.Node) int { return cmp.Compare(s.node, id) }

// sort is for EntityOf.
func (s *sightings) sort() {
	slices.SortStableFunc(s.of, func(a, b sighting) int { return a.compare(b.node) })
}
