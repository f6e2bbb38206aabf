package rpl_test

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// The places of nodes that nobody is near are read in turns: a peer has what has been in its
// sight for eight sends, and what has leapt there at once; and it has lost what has been out of
// its sight for so long and for the shortest stay.
func TestPlacesThatNobodyIsNear(t *testing.T) {
	for seed := range uint64(12) {
		for _, explicit := range []bool{false, true} {
			unwatched(t, seed, explicit)
		}
	}
}

func unwatched(t *testing.T, seed uint64, explicit bool) {
	const nodes, peers, hz, enter, edge = 400, 3, 60, 20.0, 800.0
	const turns, stay = 8, hz/2 + 1
	const silent = hz - 2 // the peers say nothing, and are given nothing more when that has lasted
	r := rand.New(rand.NewPCG(seed, 34))
	s := rpl.NewSchema("unwatched")
	typ := s.Item("dot", reflect.TypeFor[dot](), rpl.Tags{"Pos": map[bool]string{true: "step=1/32,pos,explicit", false: "step=1/32,pos"}[explicit]})
	a, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: s, Hz: hz, Interest: rpl.Grid{Enter: enter, Exit: 1.1 * enter}})
	if err != nil {
		t.Fatal(err)
	}
	dots, ids, at := make([]dot, nodes), make([]rpl.Node, nodes), make([]unsafe.Pointer, nodes)
	col := a.NewColumn(typ, func(row int) unsafe.Pointer { return at[row] })
	col.Resize(nodes)
	numbers := map[rpl.Node]int{}
	for i := range dots {
		dots[i].Pos, at[i] = xy{r.Float64() * edge, r.Float64() * edge}, unsafe.Pointer(&dots[i])
		if ids[i], err = a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
			t.Fatal(err)
		}
		item, _ := a.Item(ids[i], 0)
		col.Put(i, item)
		col.Bump(i)
		numbers[ids[i]] = i
	}
	var has [peers][nodes]bool
	a.OnDecide(func(p rpl.Peer, n rpl.Node, in bool) {
		if i, ok := numbers[n]; ok {
			has[p-2][i] = in
		}
	})
	var eyes [peers]xy
	for p := range eyes {
		eyes[p] = xy{r.Float64() * edge, r.Float64() * edge}
		if err := a.Connect(rpl.Peer(p + 2)); err != nil {
			t.Fatal(err)
		}
	}
	var near, far, had [peers][nodes]int // for how many sends it has been in sight, out of it, and with the peer
	late := 0
	for tick := range rpl.Tick(silent) {
		now := time.Duration(tick+1) * time.Second / hz
		if err := a.Step(tick + 1); err != nil {
			t.Fatal(err)
		}
		var leapt [nodes]bool
		for i := range dots {
			d := &dots[i]
			switch {
			case r.IntN(80) == 0:
				d.Pos = eyes[r.IntN(peers)]
				if leapt[i] = r.IntN(2) == 0; leapt[i] {
					a.Leap(ids[i])
				}
			case r.IntN(80) == 0:
				d.Pos = xy{r.Float64() * edge, r.Float64() * edge}
			case i%3 == 0:
				d.Pos.X += 2 * r.NormFloat64()
			case i%3 == 1:
				d.Pos.Y += 0.1
			default:
				continue
			}
			col.Bump(i)
		}
		a.SetColumn(col, at)
		for p := range eyes {
			if eyes[p].X += 0.5; r.IntN(100) == 0 {
				eyes[p] = xy{r.Float64() * edge, r.Float64() * edge}
			}
			a.Observe(rpl.Peer(p+2), [2]float64{eyes[p].X, eyes[p].Y})
		}
		a.Stream(now)
		a.Schedule(now)
		for p := range eyes {
			var down pipe
			a.Encode(rpl.Peer(p+2), now, &down)
			for i := range dots {
				d := math.Hypot(dots[i].Pos.X-eyes[p].X, dots[i].Pos.Y-eyes[p].Y)
				if near[p][i]++; d > enter {
					near[p][i] = 0
				}
				if far[p][i]++; d <= 1.1*enter {
					far[p][i] = 0
				}
				switch {
				case has[p][i]:
				case near[p][i] > turns, near[p][i] > 0 && leapt[i]:
					t.Fatalf("seed %d, explicit %v, tick %d: node %d has been in the sight of peer %d for %d sends (leapt: %v), and the peer does not have it", seed, explicit, tick, i, p, near[p][i], leapt[i])
				case near[p][i] > 0:
					late++
				}
				if had[p][i]++; !has[p][i] {
					had[p][i] = 0
				}
				if min(had[p][i], far[p][i]) > turns+stay { // from where it was a peer may have been given it
					t.Fatalf("seed %d, explicit %v, tick %d: node %d has been out of the sight of peer %d for %d sends, and the peer still has it", seed, explicit, tick, i, p, far[p][i])
				}
			}
		}
	}
	if late == 0 {
		t.Errorf("seed %d, explicit %v: no place was ever read late: this test tests nothing", seed, explicit)
	}
}
