package ids

import (
	"math/rand/v2"
	"testing"
)

// A NodeSet has what was added since it was begun, also where nodes of one slot, or of one place
// in its table, are many.
func TestNodeSet(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	var s NodeSet
	for range 200 {
		n := rng.IntN(100)
		s.Begin(n)
		had := map[Node]bool{}
		for range n {
			node := MakeNode(rng.Uint32N(64), 1+rng.Uint32N(3))
			s.Add(node)
			had[node] = true
		}
		for slot := range uint32(64) {
			for tenant := range uint32(4) {
				if node := MakeNode(slot, 1+tenant); s.Has(node) != had[node] {
					t.Fatalf("of %d nodes, Has(%v) is %v", n, node, !had[node])
				}
			}
		}
		if rng.IntN(4) == 0 {
			s.Trim()
		}
	}
	if n := testing.AllocsPerRun(10, func() { s.Begin(16); s.Add(1) }); n > 0 {
		t.Errorf("a small set allocates %v objects", n)
	}
}
