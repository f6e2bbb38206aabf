package rpl_test

// What it costs to have thousands of nodes that a peer holds for their distance go at once.

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

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
