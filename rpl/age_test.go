package rpl_test

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Where the budget pays for a fraction of what changes, it is held in every tick and every
// second; what is near, or of a greater weight, is newer than the rest; and nothing starves:
// the age of the oldest state is bounded, and so is the time until what comes is there.
func TestBudgetHoldsAndNothingStarves(t *testing.T) {
	t.Parallel()
	const seed, nodes, budget, peer, warm, ticks = 4, 300, 12_000, rpl.Peer(2), 600, 1200
	w := newWorld(t, seed, rpl.AuthorityConfig{
		Budget: budget, Interest: rpl.Grid{Enter: 40_000, Exit: 44_000},
	}, netsim.Conditions{Delay: 30 * time.Millisecond, Loss: 0.01}, nodes)
	kind := func(i int) int { return i % 3 } // near, far, far and heavy
	for i, th := range w.nodes {
		th.words[0], th.words[1] = int32(i), 0
		if kind(i) > 0 {
			th.words[0] = 38_000 - int32(i)
		}
		if kind(i) == 2 {
			w.net.A.SetStreaming(th.id, rpl.Streaming{Weight: 4})
		}
	}
	c, err := w.net.Join(peer)
	if err != nil {
		t.Fatal(err)
	}
	w.net.A.Observe(peer, [2]float64{})
	var sent []uint64 // by tick, in all
	var ages [3]int
	oldest, come := 0, 0
	for tick := range warm + ticks {
		w.net.Tick(func(rpl.Tick) {
			for _, th := range w.nodes {
				th.words[4], th.words[5] = int32(w.r.IntN(101)), int32(tick%4096)
				th.words[1] = int32(w.r.IntN(200))
				w.net.A.SetWords(th.item, th.words)
			}
		})
		sent = append(sent, w.net.A.PeerStats(peer).Bytes)
		missing := 0
		for i, th := range w.nodes {
			r, ok := c.P.Replica(th.id)
			if !ok {
				missing++
				continue
			}
			age := (tick - int(r.Words(0, nil)[5]) + 4096) % 4096
			if tick >= warm {
				ages[kind(i)] += age
				oldest = max(oldest, age)
			}
		}
		if missing > 0 {
			come = tick
		}
	}
	for i, n := range sent {
		if i >= 1 && n-sent[i-1] > budget/4 {
			t.Errorf("seed %d: %d bytes in tick %d", seed, n-sent[i-1], i)
		}
		if i >= 60 && n-sent[i-60] > budget*5/4 {
			t.Errorf("seed %d: %d bytes in the second before tick %d", seed, n-sent[i-60], i)
		}
	}
	used := float64(sent[len(sent)-1]-sent[warm]) / (budget * ticks / 60)
	t.Logf("seed %d: %.2f of the budget used; mean ages %d, %d, %d ticks, the oldest %d; all had come by tick %d", seed, used,
		ages[0]/(ticks*nodes/3), ages[1]/(ticks*nodes/3), ages[2]/(ticks*nodes/3), oldest, come)
	if used < 0.8 || used > 1.02 {
		t.Errorf("seed %d: %.2f of the budget is used", seed, used)
	}
	if !(ages[0] < ages[1] && ages[2] < ages[1]) {
		t.Errorf("seed %d: what is near is %d ticks old in all, what is far %d, if it is heavy %d", seed, ages[0], ages[1], ages[2])
	}
	if oldest > 120 || come > 60 {
		t.Errorf("seed %d: the oldest state was %d ticks old; all had come by tick %d", seed, oldest, come)
	}
}
