package ecs

// The index of which nodes refer to which.

import (
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tendonengine/tendon/rpl"
)

// However references change, both directions of the index agree, each reference is in it
// once, and nothing is kept for nodes to which nobody refers.
func TestReferencesBothWays(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, seed))
	var s references
	all := make([]*referrer, 20)
	for i := range all {
		all[i] = &referrer{ord: i}
	}
	for round := range 3000 {
		var nodes []rpl.Node
		for range rng.IntN(6) {
			nodes = append(nodes, rpl.Node(1+rng.IntN(9)))
		}
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
		f := all[rng.IntN(len(all))]
		s.set(f, nodes)
		if got := slices.Sorted(slices.Values(f.to)); !slices.Equal(got, nodes) {
			t.Fatalf("round %d: it refers to %v, not %v", round, got, nodes)
		}
		count := 0
		for _, f := range all {
			count += len(f.to)
			for k, id := range f.to {
				if list, at := s.of[id], f.at[k]; at >= len(list) || list[at] != (referral{f, k}) {
					t.Fatalf("round %d: reference %d of %d to %v is not where it says, at %d of %d", round, k, f.ord, id, at, len(list))
				}
			}
		}
		for id, list := range maps.All(s.of) {
			if count -= len(list); len(list) == 0 {
				t.Fatalf("round %d: nobody refers to %v, which is kept", round, id)
			}
		}
		if count != 0 {
			t.Fatalf("round %d: %d references too few stand with nodes", round, count)
		}
	}
}

// Changes of references allocate nothing once the index has held as many.
func TestReferencesAllocateNothing(t *testing.T) {
	var s references
	f, other := &referrer{}, &referrer{}
	to := [][]rpl.Node{{1, 2, 3}, {2, 3, 4}, {7}, nil}
	if n := testing.AllocsPerRun(100, func() {
		for _, nodes := range to {
			s.set(f, nodes)
			s.set(other, nodes)
		}
	}); n > 0 {
		t.Errorf("changing references allocates %v times", n)
	}
}
