package rpl

import (
	"math/rand/v2"
	"testing"
)

// What is counted in a session in which no new tables pay does not grow past what
// counters hold: of what has begun again at 0 tables would be made the wrong way round.
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
	times := uint32(3 << 30 / l.most()) // as if so much more had been counted, of the same
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
