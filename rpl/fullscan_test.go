package rpl_test

// What a peer with many observers costs.

import (
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// An army is a peer whose units all see, in a crowd of other nodes.
func army(t testing.TB, in rpl.Interest, units, others int) (send func() (checks uint64)) {
	w := newSight(t, in)
	w.a.OnDecide(nil)
	const peer = rpl.Server + 1
	if err := w.a.Connect(peer); err != nil {
		t.Fatal(err)
	}
	dots := make([]dot, units+others)
	var items []rpl.Item
	for k := range dots {
		dots[k].Pos = xy{float64(k * 37 % 200), float64(k * 91 % 200)}
		n, err := w.a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{w.typ}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := w.a.Item(n, 0)
		items = append(items, it)
	}
	points := make([][2]float64, units)
	tick := rpl.Tick(0)
	return func() uint64 {
		before := w.a.Counters().DistanceChecks
		tick++
		w.a.Step(tick)
		for k, it := range items {
			dots[k].Pos.X += float64(int(tick)%2*2 - 1)
			w.a.Set(it, unsafe.Pointer(&dots[k]))
		}
		for k := range points {
			points[k] = [2]float64{dots[k].Pos.X, dots[k].Pos.Y}
		}
		w.a.Observe(peer, points...)
		w.a.Stream(time.Duration(tick) * time.Second / 60)
		return w.a.Counters().DistanceChecks - before
	}
}

// What 250 observers of a peer that all move cost a send, among 1,000 nodes.
func BenchmarkArmy(b *testing.B) {
	grid := rpl.Grid{Enter: 40, Exit: 44}
	for name, in := range map[string]rpl.Interest{"a grid": grid, "any interest": asked{grid}} {
		b.Run(name, func(b *testing.B) {
			send := army(b, in, 250, 750)
			send()
			b.ReportAllocs()
			for b.Loop() {
				send()
			}
		})
	}
}

// To look with many observers asks of each node once, and takes no memory.
func TestFullScanAsksOnce(t *testing.T) {
	const units, others = 100, 400
	grid := rpl.Grid{Enter: 40, Exit: 44}
	for name, in := range map[string]rpl.Interest{"a grid": grid, "any interest": asked{grid}} {
		send := army(t, in, units, others)
		for range 400 { // what is kept has its size
			if n := send(); n > 3*(units+others) {
				t.Fatalf("%s: %d nodes asked about in a send, of %d", name, n, units+others)
			}
		}
		if n := testing.AllocsPerRun(50, func() { send() }); n > 0 && !raceEnabled {
			t.Errorf("%s: %v allocations a send", name, n)
		}
	}
}

// Observers that stand together cost hardly more than one; what a peer holds is the same as of
// observers each of which is a peer's alone (TestNeighbourListsAgreeWithFullScans).
func TestObserversThatStandTogether(t *testing.T) {
	const peer, nodes, side, sends = rpl.Server + 1, 1000, 400, 200
	checks := func(beside ...float64) uint64 {
		w := newSight(t, rpl.Grid{Enter: 40, Exit: 44})
		if err := w.a.Connect(peer); err != nil {
			t.Fatal(err)
		}
		for k := range nodes {
			n, err := w.a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{w.typ}})
			if err != nil {
				t.Fatal(err)
			}
			it, _ := w.a.Item(n, 0)
			w.a.Set(it, unsafe.Pointer(&dot{xy{float64(k * 37 % side), float64(k * 91 % side)}}))
		}
		for tick := range rpl.Tick(sends) {
			w.a.Step(tick + 1)
			points := [][2]float64{{100 + float64(tick)/2, 200}}
			for _, d := range beside {
				points = append(points, [2]float64{points[0][0], points[0][1] + d})
			}
			w.a.Observe(peer, points...)
			w.a.Stream(time.Duration(tick) * time.Second / 60)
		}
		return w.a.Counters().DistanceChecks
	}
	one, together, apart := checks(), checks(2, -2), checks(60, -60)
	if together*10 > one*13 {
		t.Errorf("three observers 2 units apart look at %d nodes, one at %d", together, one)
	}
	if apart < 2*one {
		t.Errorf("three observers 60 units apart look at %d nodes, one at %d: they should each look at their own", apart, one)
	}
}
