package references

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
	var s Index[int]
	all := make([]*Referrer[int], 20)
	for i := range all {
		all[i] = s.Referrer(i)
	}
	for round := range 3000 {
		var nodes []rpl.Node
		for range rng.IntN(6) {
			nodes = append(nodes, rpl.Node(1+rng.IntN(9)))
		}
		slices.Sort(nodes)
		nodes = slices.Compact(nodes)
		f := all[rng.IntN(len(all))]
		s.Set(f, nodes)
		if got := slices.Sorted(slices.Values(f.to)); !slices.Equal(got, nodes) {
			t.Fatalf("round %d: it refers to %v, not %v", round, got, nodes)
		}
		count := 0
		for _, f := range all {
			count += len(f.to)
			for k, id := range f.to {
				if list, at := s.of[id], f.at[k]; at >= len(list) || list[at] != (referral[int]{f, k}) {
					t.Fatalf("round %d: reference %d of %d to %v is not where it says, at %d of %d", round, k, f.Of, id, at, len(list))
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
	var s Index[int]
	f, other := s.Referrer(0), s.Referrer(1)
	to := [][]rpl.Node{{1, 2, 3}, {2, 3, 4}, {7}, nil}
	if n := testing.AllocsPerRun(100, func() {
		for _, nodes := range to {
			s.Set(f, nodes)
			s.Set(other, nodes)
		}
	}); n > 0 {
		t.Errorf("changing references allocates %v times", n)
	}
}

// Referrers are due once when a node comes or goes, in the order in which they were made,
// until they are forgotten or taken.
func TestDue(t *testing.T) {
	var s Index[int]
	var all []*Referrer[int]
	for i := range 4 {
		all = append(all, s.Referrer(i))
	}
	for _, i := range []int{3, 1, 0, 2} {
		s.Set(all[i], []rpl.Node{5, 7})
	}
	marked := false
	due := func() (is []int) {
		s.Due(func(f *Referrer[int]) {
			if is = append(is, f.Of); f.Of == 1 && !marked {
				marked = true
				s.Mark(7)
			}
		})
		return is
	}
	s.Mark(5)
	s.Mark(7)
	s.Mark(6)
	s.Forget(all[3])
	if !all[2].Take() || all[2].Take() {
		t.Error("one that is due is not taken once")
	}
	if got := due(); !slices.Equal(got, []int{0, 1, 2}) { // 2 is due again by then
		t.Errorf("due are %v", got)
	}
	if got := due(); !slices.Equal(got, []int{0, 1}) { // what was marked meanwhile
		t.Errorf("then due are %v", got)
	}
}
