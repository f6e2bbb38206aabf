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

// A clock that has run for a while, beside a state that rests, costs nothing while it counts, also where its node is one
// of few; where it stops, starts anew or leaps it is told. On any network a row is what it was
// at the tick that it claims, and in the end all is equal.
func TestClockIsNotSentWhileItCounts(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	for _, cond := range []netsim.Conditions{{Delay: 40 * time.Millisecond}, {Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.2}} {
		for _, nodes := range []int{2, 40} {
			r := rand.New(rand.NewPCG(seed, 5))
			s := rpl.NewSchema("count")
			typ := s.Build("idler").Int("clock", 0, 1<<20).Int("mood", 0, 3).Int("score", 0, 1<<20).Done()
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: 100 * time.Millisecond}, seed, cond)
			if err != nil {
				t.Fatal(err)
			}
			c, err := net.Join(2)
			if err != nil {
				t.Fatal(err)
			}
			ids, items, words := make([]rpl.Node, nodes), make([]rpl.Item, nodes), make([][]int32, nodes)
			for i := range nodes {
				if ids[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
					t.Fatal(err)
				}
				items[i], _ = net.A.Item(ids[i], 0)
				words[i] = []int32{1<<13 + r.Int32N(1<<18), 0, r.Int32N(1000)}
			}
			past := map[rpl.Tick][][]int32{}
			events := 0
			step := func(counts bool) {
				net.Tick(func(tick rpl.Tick) {
					var was [][]int32
					for i, w := range words {
						if counts {
							switch w[0] += 2; r.IntN(600) {
							case 0:
								w[0], events = 1<<13+r.Int32N(1<<18), events+1
							case 1:
								w[1], events = (w[1]+1)%4, events+1
							case 2:
								w[2], events = w[2]+r.Int32N(100), events+1
							}
						}
						net.A.SetWords(items[i], w)
						was = append(was, slices.Clone(w))
					}
					past[tick] = was
				})
				for i, id := range ids {
					rep, ok := c.P.Replica(id)
					if !ok {
						continue
					}
					if want, ok := past[rep.Tick(0)]; ok && rep.Tick(0) == c.P.Newest() && !slices.Equal(rep.Words(0, nil), want[i]) {
						t.Fatalf("%v shows %v at tick %d, where it was %v", id, rep.Words(0, nil), rep.Tick(0), want[i])
					}
				}
			}
			for range 60 {
				step(true)
			}
			before := net.A.Counters().Records
			events = 0
			for range 600 {
				step(true)
			}
			told := int(net.A.Counters().Records - before)
			t.Logf("%d nodes, loss %v: %d updates for %d events", nodes, cond.Loss, told, events)
			if cond.Loss == 0 && told > 5*events+4*nodes { // what starts anew is told a few times until it goes straight
				t.Errorf("%d nodes: %d updates, where %d things happened", nodes, told, events)
			}
			for range 120 {
				step(false)
			}
			for i, id := range ids {
				if got := c.Log.Held[id].Words(0, nil); !slices.Equal(got, words[i]) {
					t.Errorf("%d nodes, loss %v: %v shows %v in the end, not %v", nodes, cond.Loss, id, got, words[i])
				}
			}
			if n := c.P.Counters().Mismatches; n > 0 {
				t.Errorf("%d checksums differ", n)
			}
		}
	}
}
