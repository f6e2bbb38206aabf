package rpl_test

import (
	"errors"
	"math"
	"testing"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
)

// A large node is in sight by its edge: a peer has it at once when the edge comes near, keeps
// it until the edge is out of sight and half a second is over, and it never comes and goes more
// often than that. For Grids, for policies and for any other Interest, with observers that walk
// and leap, nodes that move, grow and shrink, hang on others, and belong to somebody.
func TestLargeNodesAreSeenByTheirEdge(t *testing.T) {
	const enter, stay = 40.0, 31
	rapid.Check(t, func(t *rapid.T) {
		grid := rpl.Grid{Enter: enter, Exit: 1.1 * enter}
		in := rapid.SampledFrom([]rpl.Interest{grid, asked{grid}, &tileMap{Grid: grid}}).Draw(t, "interest")
		s := newScape(t, in, rapid.IntRange(1, 12).Draw(t, "dots"), 3)
		extents, owners, parents := make([]float64, len(s.dots)), make([]rpl.Peer, len(s.dots)), make([]int, len(s.dots))
		eighths := func(n int) float64 { return float64(n) / 8 }
		place := rapid.Map(rapid.IntRange(-1600, 1600), eighths)
		stride := rapid.Map(rapid.IntRange(-24, 24), eighths)
		for i := range s.dots {
			s.dots[i].Pos, parents[i] = xy{place.Draw(t, "x"), place.Draw(t, "y")}, -1
		}
		for range rapid.IntRange(1, 120).Draw(t, "ticks") {
			i, p := rapid.IntRange(0, len(s.dots)-1).Draw(t, "node"), rapid.IntRange(0, len(s.at)-1).Draw(t, "peer")
			switch rapid.IntRange(0, 9).Draw(t, "op") {
			case 0, 1:
				extents[i] = rapid.SampledFrom([]float64{0, 2.5, 10, 60, 150}).Draw(t, "extent")
				if err := s.a.SetExtent(s.nodes[i], extents[i]); err != nil {
					t.Fatal(err)
				}
				if extents[i] < enter/8 {
					extents[i] = 0
				}
			case 2:
				to := rapid.SampledFrom([]rpl.Peer{0, s.peer(p)}).Draw(t, "owner")
				s.a.Give(s.nodes[i], to)
				for k := range owners { // with all that hangs on it
					up := k
					for up != i && up >= 0 {
						up = parents[up]
					}
					if up == i {
						owners[k] = to
					}
				}
			case 3, 4:
				s.dots[i].Pos.X += stride.Draw(t, "dx")
			case 5:
				s.dots[i].Pos = xy{place.Draw(t, "x"), place.Draw(t, "y")}
			case 6:
				s.at[p] = [2]float64{place.Draw(t, "x"), place.Draw(t, "y")}
			case 7:
				to := rapid.IntRange(-1, len(s.dots)-1).Draw(t, "parent")
				up := rpl.Node(0)
				if to >= 0 {
					up = s.nodes[to]
				}
				if s.a.SetParent(s.nodes[i], up) == nil {
					parents[i] = to
				}
			default:
				s.at[p][0] += stride.Draw(t, "dx")
				s.at[p][1] += stride.Draw(t, "dy")
			}
			s.send(true)
			for p, at := range s.at {
				for i := range s.dots {
					top := i
					for parents[top] >= 0 {
						top = parents[top]
					}
					owns := false
					for k := range s.dots {
						root := k
						for parents[root] >= 0 {
							root = parents[root]
						}
						owns = owns || root == top && owners[k] == s.peer(p)
					}
					d := max(0, math.Hypot(s.dots[top].Pos.X-at[0], s.dots[top].Pos.Y-at[1])-extents[top])
					since, has := s.since[[2]int{p, i}]
					since = max(since, s.since[[2]int{p, top}]) // a tree stays for its top
					if (d < enter-1e-6 || owns) && !has {
						t.Fatalf("tick %d: peer %d lacks node %d, whose edge is %v away", s.tick, p, i, d)
					}
					if has && !owns && d > grid.Exit+1e-6 && int(s.tick)-since > stay {
						t.Fatalf("tick %d: peer %d has node %d since tick %d, %v away", s.tick, p, i, since, d)
					}
				}
			}
		}
	})
}

// A world of many large nodes that rest costs nothing while nobody moves, and a node that is
// removed takes its extent with it.
func TestExtentsThatAreNone(t *testing.T) {
	s := newScape(t, rpl.Grid{Enter: 40, Exit: 44}, 1, 1)
	for _, extent := range []float64{-1, math.NaN(), math.Inf(1), math.Inf(-1)} {
		if err := s.a.SetExtent(s.nodes[0], extent); !errors.Is(err, rpl.ErrRange) {
			t.Errorf("extent %v: %v", extent, err)
		}
	}
	if err := s.a.SetExtent(s.nodes[0], 1000); err != nil {
		t.Fatal(err)
	}
	s.dots[0].Pos.X = 900
	s.send(true)
	if _, has := s.since[[2]int{0, 0}]; !has {
		t.Error("a node whose edge is here is not had")
	}
	before := s.a.Counters().DistanceChecks
	for range 60 {
		s.send(true)
	}
	if n := s.a.Counters().DistanceChecks - before; n > 0 {
		t.Errorf("%d distances were looked at while all rests", n)
	}
	s.a.Remove(s.nodes[0])
	if err := s.a.SetExtent(s.nodes[0], 1); !errors.Is(err, rpl.ErrNoNode) {
		t.Errorf("extent of a node that was removed: %v", err)
	}
	n, err := s.a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{s.typ}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := s.a.Item(n, 0)
	s.nodes, s.items, s.since = []rpl.Node{n}, []rpl.Item{it}, map[[2]int]int{}
	s.a.Set(it, unsafe.Pointer(&dot{xy{900, 0}}))
	s.dots[0].Pos.X = 900
	for range 40 {
		s.send(true)
	}
	if _, has := s.since[[2]int{0, 0}]; has {
		t.Error("another node has the extent of the one that was removed")
	}
}
