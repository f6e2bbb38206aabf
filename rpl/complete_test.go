package rpl_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type completeBody struct {
	X    float64 `rpl:"step=1,interp"`
	Y    float64 `rpl:"step=1,interp"`
	HP   uint16  `rpl:""`
	Name string  `rpl:"max=4000"`
}

// Where a client's newest tick is complete, all that it owns is as it was in that tick on the
// authority, to the last word: whether a send takes one packet or several of which some are lost, whether
// the budget pays for all of it, and whatever comes by the reliable lane or at a rate of its own. Silence alone
// is not enough: without the word of the packets much of it would be taken for something else.
func TestComplete(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name       string
		nodes      int
		long       bool
		rate       uint8
		budget     int
		cond       netsim.Conditions
		complete   float64 // of the newest ticks, at least
		mistakable bool    // without it some would be mistaken
	}{
		{"one packet", 3, false, 0, 0, netsim.Conditions{Delay: 40 * time.Millisecond}, 0.99, false},
		{"one packet, loss", 3, false, 0, 0, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.1}, 0.99, false},
		{"several packets", 400, false, 0, 0, netsim.Conditions{Delay: 40 * time.Millisecond}, 0.9, false},
		{"several packets, loss", 400, false, 0, 0, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.05}, 0.3, true},
		{"a budget for a part", 100, false, 0, 8500, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.05}, 0, true},
		{"a rate, which does not count for who predicts", 20, false, 10, 0, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.05}, 0.99, false},
		{"long values", 5, true, 0, 0, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.05}, 0.05, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			seed := rand.Uint64()
			rng := rand.New(rand.NewPCG(seed, 1))
			s := rpl.NewSchema("complete")
			typ := s.Item("body", reflect.TypeFor[completeBody](), nil)
			typ.Commanded = true
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: 30, Budget: c.budget}, seed, c.cond)
			if err != nil {
				t.Fatal(err)
			}
			client, err := net.Join(2)
			if err != nil {
				t.Fatal(err)
			}
			all := map[rpl.Node]rpl.Item{}
			bodies := map[rpl.Node]*completeBody{}
			v := map[rpl.Node][2]float64{}
			for range c.nodes {
				id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}, Streaming: rpl.Streaming{Hz: c.rate}})
				if err != nil {
					t.Fatal(err)
				}
				net.A.Give(id, 2)
				all[id], _ = net.A.Item(id, 0)
				bodies[id] = &completeBody{}
			}
			net.A.SetPredicting(2, nil)
			past := map[rpl.Tick]map[rpl.Node][]int32{}
			judged, newest, wrong, silent, seen := 0, 0, 0, 0, rpl.Tick(0)
			for tick := range 900 {
				net.Tick(func(now rpl.Tick) {
					was := map[rpl.Node][]int32{}
					for id, it := range all {
						w := bodies[id]
						if rng.IntN(12) == 0 {
							v[id] = [2]float64{float64(rng.IntN(9) - 4), float64(rng.IntN(9) - 4)}
						}
						w.X, w.Y = w.X+v[id][0], w.Y+v[id][1]
						if rng.IntN(20) == 0 {
							w.HP = uint16(rng.IntN(1000))
						}
						if c.long && rng.IntN(100) == 0 {
							w.Name = ""
							for len(w.Name) < 2000 {
								w.Name += fmt.Sprint(rng.Uint64())
							}
						}
						net.A.Set(it, unsafe.Pointer(w))
						was[id] = net.A.Words(it, nil)
					}
					past[now] = was
				})
				at := client.P.Newest()
				if tick < 120 || at == seen {
					continue
				}
				seen = at
				newest++
				same := true
				for id, rep := range client.Log.Held {
					if !rep.Known() {
						continue
					}
					got := rep.WordsAt(0, at, nil)
					for i, want := range past[at][id] {
						same = same && got[i] == want
					}
				}
				if complete, _ := client.P.Complete(); complete == at {
					judged++
					if !same {
						wrong++
					}
				} else if !same {
					silent++
				}
			}
			if wrong > 0 {
				t.Errorf("seed %d: %d of %d ticks said to be complete were not as on the authority", seed, wrong, judged)
			}
			if share := float64(judged) / float64(newest); share < c.complete {
				t.Errorf("seed %d: %d of %d newest ticks were complete", seed, judged, newest)
			}
			if c.mistakable != (silent > 0) {
				t.Errorf("seed %d: %d ticks would have been mistaken without it", seed, silent)
			}
			t.Logf("%d newest ticks, %d complete, %d would have been mistaken", newest, judged, silent)
		})
	}
}
