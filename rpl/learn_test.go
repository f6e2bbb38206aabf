package rpl

import (
	"math/rand/v2"
	"testing"
)

// In a long session in which no new tables pay, the learner's counts stay below
// maxCounted. A counter that overflowed to 0 would give a frequent symbol a long code.
func TestCountsOfLongSessionsFade(t *testing.T) {
	seed := rand.Uint64()
	h := newHerd(t, rand.New(rand.NewPCG(seed, 1)))
	a, err := NewAuthority(AuthorityConfig{Schema: h.schema, Hz: 60})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Connect(2); err != nil {
		t.Fatal(err)
	}
	l := a.learner
	fits := func(n int) {
		for range n {
			for next := l.next; l.next == next || a.fitting != nil; {
				a.tick++
				a.learn()
			}
			a.peers[0].link.model = a.model
		}
	}
	for range 3 {
		h.code(a.model, l)
		fits(1)
	}
	shipped := a.counters.Tables
	if shipped == 0 {
		t.Fatalf("seed %d: nothing was learned", seed)
	}
	times := uint32(3 << 30 / l.most()) // as if the same symbols had been counted that many times more
	for k := range l.rows[0].updates {
		for c := range l.rows[0].updates[k] {
			for i := range l.rows[0].updates[k][c].chunks[0].slots {
				l.rows[0].updates[k][c].chunks[0].slots[i].n *= times
			}
		}
	}
	if n := l.most(); n < 2<<30 {
		t.Fatalf("seed %d: %d are counted", seed, n)
	}
	fits(3)
	if n := l.most(); n > maxCounted || n < maxCounted/4 {
		t.Errorf("seed %d: %d are counted, at most %d, where %d tables were shipped", seed, n, maxCounted, a.counters.Tables-shipped)
	}
}
