package rpl_test

// The list of the nodes that a peer holds for their distance, and what it costs to have
// thousands of them go at once.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// Whatever goes and comes in whatever order, the list is the set that it stands for.
func TestNearbyIsASet(t *testing.T) {
	const slots, seed = 3000, 7
	rnd := rand.New(rand.NewPCG(seed, seed))
	var l rpl.Nearby
	in := map[uint32]bool{}
	most := 0
	for round := range 300 {
		order := rnd.Perm(slots)
		if round%3 == 0 {
			slices.Sort(order)
		}
		for _, k := range order[:rnd.IntN(slots)] {
			slot := uint32(k)
			if in[slot] = !in[slot]; in[slot] {
				l.Add(slot)
			} else {
				delete(in, slot)
				l.Cut(slot)
			}
			most = max(most, l.Strays())
		}
		if round%4 != 0 {
			continue
		}
		got := l.Settled()
		if len(got) != len(in) {
			t.Fatalf("round %d: %d slots, not %d", round, len(got), len(in))
		}
		for _, slot := range got {
			if !in[slot] {
				t.Fatalf("round %d: slot %d is in the list, and has gone", round, slot)
			}
		}
	}
	if most < slots/10 {
		t.Errorf("at most %d strays: the test has tried nothing", most)
	}
}

// A list that nobody reads does not grow with what comes and goes.
func TestNearbyDoesNotGrow(t *testing.T) {
	const held = 1000
	var l rpl.Nearby
	rnd := rand.New(rand.NewPCG(1, 1))
	in := make([]uint32, held)
	for k := range in {
		in[k] = uint32(k)
		l.Add(in[k])
	}
	for next := uint32(held); next < 100*held; next++ {
		k := rnd.IntN(held)
		l.Cut(in[k])
		in[k] = next
		l.Add(next)
	}
	if n := l.Len(); n > 3*held {
		t.Errorf("%d slots for %d nodes", n, held)
	}
}

// BenchmarkGoneInAnyOrder measures what a node costs that is removed with all others in
// one tick, in any order: as much among 16,000 as among 1,000.
func BenchmarkGoneInAnyOrder(b *testing.B) {
	for _, nodes := range []int{1000, 4000, 16_000} {
		b.Run(fmt.Sprintf("nodes=%d", nodes), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				a, ids := seen(b, nodes, 16)
				rand.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
				b.StartTimer()
				for _, id := range ids {
					a.Remove(id)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(nodes), "ns/node")
		})
	}
}

// seen makes nodes that some peers all see.
func seen(b *testing.B, nodes, peers int) (*rpl.Authority, []rpl.Node) {
	w := newSight(b, rpl.Grid{Enter: 1000, Exit: 1100})
	w.a.OnDecide(nil)
	for p := range peers {
		id := rpl.Server + 1 + rpl.Peer(p)
		if err := w.a.Connect(id); err != nil {
			b.Fatal(err)
		}
		w.a.Observe(id, [2]float64{100, 100})
	}
	w.a.Step(1)
	var ids []rpl.Node
	for k := range nodes {
		id, err := w.a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{w.typ}})
		if err != nil {
			b.Fatal(err)
		}
		it, _ := w.a.Item(id, 0)
		w.a.Set(it, unsafe.Pointer(&dot{Pos: xy{float64(k * 37 % 200), float64(k * 91 % 200)}}))
		ids = append(ids, id)
	}
	w.a.Stream(0)
	return w.a, ids
}
