package rpl_test

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What the packet before told is told again by runs of handles, also where handles are far
// apart, nodes come and go, and packets are lost, doubled and overtaken. Every client has
// what the authority had at the tick of the newest packet that it applied.
func TestWhatWasSentIsNamedAgainByRuns(t *testing.T) {
	for _, cond := range []netsim.Conditions{
		{Delay: 50 * time.Millisecond},
		{Delay: 50 * time.Millisecond, Jitter: 5 * time.Millisecond, Loss: 0.05},
		{Delay: 50 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.2, Duplicate: 0.1},
	} {
		seed := rand.Uint64()
		r := rand.New(rand.NewPCG(seed, 5))
		s := rpl.NewSchema("again")
		walker := s.Build("walker").Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Pos("x", "y").Done()
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 30, CheckEvery: 100 * time.Millisecond}, seed, cond)
		if err != nil {
			t.Fatal(err)
		}
		type body struct {
			node rpl.Node
			item rpl.Item
			xy   [2]int32
		}
		var all []body
		past := map[rpl.Tick]map[rpl.Node][2]int32{}
		spawn := func() {
			n, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{walker}})
			if err != nil {
				t.Fatal(err)
			}
			it, _ := net.A.Item(n, 0)
			all = append(all, body{node: n, item: it})
		}
		for range 300 {
			spawn()
		}
		c, err := net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		step := func(moves, turnover bool) {
			net.Tick(func(tick rpl.Tick) {
				if turnover && r.IntN(4) == 0 {
					i := r.IntN(len(all))
					net.A.Remove(all[i].node)
					all = slices.Delete(all, i, i+1)
					spawn()
				}
				now := map[rpl.Node][2]int32{}
				for i := range all {
					if b := &all[i]; moves && r.IntN(5) > 0 {
						b.xy[0] += r.Int32N(41) - 20
						b.xy[1] += r.Int32N(41) - 20
					}
					net.A.SetWords(all[i].item, all[i].xy[:])
					now[all[i].node] = all[i].xy
				}
				past[tick] = now
			})
		}
		for range 30 {
			step(false, false)
		}
		for len(all) > 60 { // those that stay have handles far apart
			i := r.IntN(len(all))
			net.A.Remove(all[i].node)
			all = slices.Delete(all, i, i+1)
		}
		before := net.A.ToldAgain()
		for k := range 300 {
			step(true, k > 60)
			for n, held := range c.Log.Held {
				at := held.Tick(0)
				was, ok := past[at][n]
				if words := held.Words(0, nil); ok && at == c.P.Newest() && cond.Loss == 0 && !slices.Equal(words, was[:]) {
					t.Fatalf("seed %d, %v: node %v shows %v at tick %d, not %v", seed, cond, n, words, at, was)
				}
			}
		}
		if told := net.A.ToldAgain() - before; told < 100 {
			t.Errorf("seed %d, %v: only %d of 300 sends told by runs", seed, cond, told)
		}
		for range 120 {
			step(false, false)
		}
		for i := range all {
			held := c.Log.Held[all[i].node]
			if held == nil || !slices.Equal(held.Words(0, nil), all[i].xy[:]) {
				t.Fatalf("seed %d, %v: node %v is not %v in the end", seed, cond, all[i].node, all[i].xy)
			}
		}
		if refused := c.P.Counters().Refused; refused > 0 && cond.Loss == 0 {
			t.Errorf("seed %d, %v: %d packets were refused", seed, cond, refused)
		}
	}
}
