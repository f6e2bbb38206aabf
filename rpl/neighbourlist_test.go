package rpl_test

import (
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
)

// asked is a Grid that the authority does not recognise as one, so that it asks the
// policy for every decision.
type asked struct{ rpl.Grid }

// dot is an item that is only a position.
type dot struct {
	Pos xy `rpl:"step=1/8,pos"`
}

// A sight is one of several authorities that are put through the same operations, and
// the nodes that its peers hold.
type sight struct {
	a     *rpl.Authority
	typ   *rpl.ItemType
	nodes []rpl.Node
	items []rpl.Item
	held  map[string]bool // by "peer node"
}

func newSight(t rapid.TB, in rpl.Interest) *sight {
	s := rpl.NewSchema("sight")
	w := &sight{typ: s.Item("dot", reflect.TypeFor[dot](), nil), held: map[string]bool{}}
	a, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: s, Hz: 60, Interest: in})
	if err != nil {
		t.Fatal(err)
	}
	a.OnDecide(func(p rpl.Peer, n rpl.Node, in bool) {
		if key := fmt.Sprint(p, n); in {
			w.held[key] = true
		} else {
			delete(w.held, key)
		}
	})
	w.a = a
	return w
}

func (w *sight) holds() (keys []string) {
	for key := range w.held {
		keys = append(keys, key)
	}
	slices.Sort(keys)
	return keys
}

// Far from the origin, where adjacent float32s are farther apart than the grid's slack,
// a node that comes into sight by a move of less than one such distance is seen: with a
// grid, which watches lists of nodes, and with an interest that is asked.
func TestSightIsExactFarOut(t *testing.T) {
	grid := rpl.Grid{Enter: 40, Exit: 40}
	for _, in := range []rpl.Interest{grid, asked{grid}} {
		w := newSight(t, in)
		const far, peer = 1e8, rpl.Server + 1 // float32s are 8 apart there
		if err := w.a.Connect(peer); err != nil {
			t.Fatal(err)
		}
		d := &dot{xy{far + 20, 0}} // rounds to the same float32 as far+16, but is in another cell
		n, err := w.a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{w.typ}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := w.a.Item(n, 0)
		for tick, want := range []bool{false, false, true, true} {
			if tick >= 2 {
				d.Pos.X = far + 16
			}
			w.a.Step(rpl.Tick(tick + 1))
			w.a.Set(it, unsafe.Pointer(d))
			w.a.Observe(peer, [2]float64{far - 23.5, 0})
			w.a.Stream(0)
			w.a.Schedule(0)
			if got := w.held[fmt.Sprint(peer, n)]; got != want {
				t.Errorf("%T, tick %d: in sight %v, want %v", in, tick, got, want)
			}
		}
	}
}

// While a node is so far out that float32s cannot hold its position, its peers cannot
// use their watch lists and look at all nodes in sight in every send; the node is
// counted as FarOut. This ends when the node comes back, leaves the grid or is removed.
func TestFarOutEndsWithTheNode(t *testing.T) {
	w := newSight(t, rpl.Grid{Enter: 40, Exit: 44})
	const peer = rpl.Server + 1
	if err := w.a.Connect(peer); err != nil {
		t.Fatal(err)
	}
	dots := make([]dot, 100)
	var items []rpl.Item
	var nodes []rpl.Node
	for k := range dots {
		dots[k].Pos = xy{float64(k), 0}
		n, err := w.a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{w.typ}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := w.a.Item(n, 0)
		nodes, items = append(nodes, n), append(items, it)
	}
	tick := rpl.Tick(0)
	send := func() (checks uint64) { // distance checks of a send in which one node moves
		before := w.a.Counters().DistanceChecks
		tick++
		dots[0].Pos.Y++
		w.a.Step(tick)
		for k, it := range items {
			w.a.Set(it, unsafe.Pointer(&dots[k]))
		}
		w.a.Observe(peer, [2]float64{0, 0})
		w.a.Stream(0)
		w.a.Schedule(0)
		return w.a.Counters().DistanceChecks - before
	}
	send()
	usual := send()
	last := len(dots) - 1
	for _, odd := range []struct {
		how string
		end func()
	}{
		{"it came back", func() { dots[last].Pos = xy{10, 10} }},
		{"it hangs under another", func() {
			if err := w.a.SetParent(nodes[last], nodes[0]); err != nil {
				t.Fatal(err)
			}
			send() // a node that leaves the grid costs one look
			if err := w.a.SetParent(nodes[last], 0); err != nil {
				t.Fatal(err)
			}
			dots[last].Pos = xy{20, 0}
		}},
		{"it is always there", func() { w.a.SetStreaming(nodes[last], rpl.Streaming{Relevance: rpl.Always, Weight: 1}) }},
		{"it was removed", func() {
			w.a.Remove(nodes[last])
			items, dots = items[:last], dots[:last]
		}},
	} {
		w.a.SetStreaming(nodes[last], rpl.Streaming{Relevance: rpl.Near, Weight: 1})
		dots[last].Pos.X = 1e8 + 1
		send()
		if checks := send(); checks < usual+40 { // all nodes in sight were looked at
			t.Errorf("%s: %d nodes looked at in a send with one far out, %d without", odd.how, checks, usual)
		}
		odd.end()
		send() // this send still looks at all nodes
		if checks := send(); checks > usual {
			t.Errorf("%s: %d nodes looked at in a send, %d before", odd.how, checks, usual)
		}
	}
	if far := w.a.Counters().FarOut; far < 4 {
		t.Errorf("%d nodes counted as far out", far)
	}
}

// broad is a Grid whose reach is far greater than its exit radius, so that the
// authority asks it about every node and every observer.
type broad struct{ rpl.Grid }

func (b broad) Reach(p rpl.Peer) float64 {
	if p == 0 {
		return b.Exit // used for the size of the grid's cells
	}
	return 100 * b.Exit
}

// A showing is a node and a peer of which something is said.
type showing struct {
	node rpl.Node
	peer rpl.Peer
}

// asSaid checks that a peer holds no tree of which a node is hidden from it, unless it owns one of
// them, and else each of which a node is shown to it.
func (w *sight) asSaid(t rapid.TB, said map[showing]rpl.Showing, peers int) {
	type tree struct{ owned, shown, hidden bool }
	for p := range peers {
		p, trees := rpl.Server+1+rpl.Peer(p), map[rpl.Node]tree{}
		top := func(n rpl.Node) rpl.Node {
			for w.a.Parent(n) != 0 {
				n = w.a.Parent(n)
			}
			return n
		}
		for _, n := range w.nodes {
			of, s := trees[top(n)], said[showing{n, p}]
			trees[top(n)] = tree{of.owned || w.a.Owner(n) == p, of.shown || s == rpl.Shown, of.hidden || s == rpl.Hidden}
		}
		for _, n := range w.nodes {
			of, holds := trees[top(n)], w.held[fmt.Sprint(p, n)]
			if has := of.owned || of.shown && !of.hidden; (has || of.hidden) && holds != has {
				t.Fatalf("peer %d holds %v: %v; its tree is %+v", p, n, holds, of)
			}
		}
	}
}

// Three authorities go through the same operations: one uses the grid's watch lists,
// one looks at all nodes in sight in every send, and one asks about every pair of node
// and observer. In every send their peers hold the same nodes, with one observer, with
// several and with none.
func TestNeighbourListsAgreeWithFullScans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const enter, peers = 40, 3
		grid := rpl.Grid{Enter: enter, Exit: enter * rapid.SampledFrom([]float64{1, 1.1, 1.5}).Draw(t, "exit")}
		all := [3]*sight{newSight(t, grid), newSight(t, asked{grid}), newSight(t, broad{grid})}
		origin := rapid.SampledFrom([]float64{0, 1e5, 1e8}).Draw(t, "origin")
		var dots []*dot
		var gaits []*rapid.Generator[float64] // how nodes move; nil stands still
		var at [peers][][2]float64
		// All lies on a lattice: one authority compares squares of distances, another their roots, and those differ
		// in the last bit of what is just beyond the range.
		within := func(most float64) *rapid.Generator[float64] {
			return rapid.Map(rapid.Float64Range(-most, most), func(v float64) float64 { return math.Round(v*1024) / 1024 })
		}
		coordinate := rapid.OneOf(within(3*enter), within(1.2*enter))
		odd := rapid.SampledFrom([]float64{math.NaN(), math.Inf(1), math.Inf(-1), 1e300, -1e300, 1e38, 4e38})
		stroll := within(1) // the grid's slack is 1.25
		gaitsOf := []*rapid.Generator[float64]{nil, stroll, within(4)}
		each := func(fn func(w *sight)) {
			for _, w := range all {
				fn(w)
			}
		}
		for p := range peers {
			at[p] = [][2]float64{{origin, 0}}
			each(func(w *sight) {
				if err := w.a.Connect(rpl.Server + 1 + rpl.Peer(p)); err != nil {
					t.Fatal(err)
				}
			})
		}
		pick := func() int { return rapid.IntRange(0, len(dots)-1).Draw(t, "node") }
		someone := func() *[2]float64 { // a random observer of a random peer, or nil
			if list := at[rapid.IntRange(0, peers-1).Draw(t, "peer")]; len(list) > 0 {
				return &list[rapid.IntRange(0, len(list)-1).Draw(t, "observer")]
			}
			return nil
		}
		var scales [peers]int // which of some scales a peer's first observer has
		now := time.Duration(0)
		said := map[showing]rpl.Showing{}
		ops := map[string]func(){
			"scales": func() { scales[rapid.IntRange(0, peers-1).Draw(t, "peer")] = rapid.IntRange(0, 3).Draw(t, "scale") },
			"show": func() {
				if len(dots) == 0 {
					return
				}
				k, p := pick(), rpl.Server+1+rpl.Peer(rapid.IntRange(0, peers-1).Draw(t, "peer"))
				s := rapid.SampledFrom([]rpl.Showing{rpl.ByRule, rpl.Shown, rpl.Hidden}).Draw(t, "showing")
				each(func(w *sight) {
					if err := w.a.SetShowing(p, w.nodes[k], s); err != nil {
						t.Fatal(err)
					}
				})
				said[showing{all[0].nodes[k], p}] = s
			},
			"preload": func() {
				p := rpl.Server + 1 + rpl.Peer(rapid.IntRange(0, peers-1).Draw(t, "peer"))
				o := rpl.Observer{X: origin + coordinate.Draw(t, "x"), Y: coordinate.Draw(t, "y"), Scale: rapid.SampledFrom([]float64{0, 0.5}).Draw(t, "scale")}
				d := time.Duration(rapid.IntRange(1, 1000).Draw(t, "ms")) * time.Millisecond
				each(func(w *sight) {
					if err := w.a.Preload(p, o, now, d); err != nil && !errors.Is(err, rpl.ErrLimit) {
						t.Fatal(err)
					}
				})
			},
			"ask": func() {
				p, n := rapid.SampledFrom([]rpl.Peer{0, rpl.Server + 1}).Draw(t, "who"), rapid.IntRange(-1, len(dots)-1).Draw(t, "node")
				each(func(w *sight) {
					if n < 0 {
						w.a.AskAgain(p, 0)
					} else {
						w.a.AskAgain(p, w.nodes[n])
					}
				})
			},
			"spawn": func() {
				d := &dot{xy{origin + coordinate.Draw(t, "x"), coordinate.Draw(t, "y")}}
				dots, gaits = append(dots, d), append(gaits, rapid.SampledFrom(gaitsOf).Draw(t, "gait"))
				each(func(w *sight) {
					n, err := w.a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{w.typ}})
					if err != nil {
						t.Fatal(err)
					}
					it, _ := w.a.Item(n, 0)
					w.nodes, w.items = append(w.nodes, n), append(w.items, it)
				})
			},
			"remove": func() {
				if len(dots) == 0 {
					return
				}
				k := pick()
				dots, gaits = slices.Delete(dots, k, k+1), slices.Delete(gaits, k, k+1)
				each(func(w *sight) {
					w.a.Remove(w.nodes[k])
					for key := range w.held {
						var p, n string
						if _, err := fmt.Sscan(key, &p, &n); err == nil && n == fmt.Sprint(w.nodes[k]) {
							delete(w.held, key)
						}
					}
					w.nodes, w.items = slices.Delete(w.nodes, k, k+1), slices.Delete(w.items, k, k+1)
				})
			},
			"teleport": func() {
				if len(dots) > 0 {
					dots[pick()].Pos = xy{origin + coordinate.Draw(t, "x"), coordinate.Draw(t, "y")}
				}
			},
			"stray": func() {
				if len(dots) > 0 {
					dots[pick()].Pos.X = odd.Draw(t, "odd")
				}
			},
			"lose": func() {
				if o := someone(); o != nil {
					*o = [2]float64{odd.Draw(t, "odd"), coordinate.Draw(t, "y")}
				}
			},
			"jump": func() {
				if o := someone(); o != nil {
					*o = [2]float64{origin + coordinate.Draw(t, "x"), coordinate.Draw(t, "y")}
				}
			},
			"observers": func() {
				list := &at[rapid.IntRange(0, peers-1).Draw(t, "peer")]
				*list = (*list)[:rapid.IntRange(0, len(*list)).Draw(t, "fewer")]
				for range rapid.SampledFrom([]int{1, 1, 0, 2, 5, 20}).Draw(t, "more") {
					*list = append(*list, [2]float64{origin + coordinate.Draw(t, "x"), coordinate.Draw(t, "y")})
				}
			},
			"beside": func() { // one more observer, which others may stand near
				p := rapid.IntRange(0, peers-1).Draw(t, "peer")
				if n := len(at[p]); n > 0 && n < 8 {
					o := at[p][rapid.IntRange(0, n-1).Draw(t, "observer")]
					near := within(enter / 4)
					at[p] = append(at[p], [2]float64{o[0] + near.Draw(t, "x"), o[1] + near.Draw(t, "y")})
				}
			},
			"relevance": func() {
				if len(dots) == 0 {
					return
				}
				k, r := pick(), rapid.SampledFrom([]rpl.Relevance{rpl.Near, rpl.Always, rpl.OwnerOnly}).Draw(t, "relevance")
				each(func(w *sight) { w.a.SetStreaming(w.nodes[k], rpl.Streaming{Relevance: r, Weight: 1}) })
			},
			"give": func() {
				if len(dots) == 0 {
					return
				}
				k, p := pick(), rapid.SampledFrom([]rpl.Peer{0, rpl.Server + 1, rpl.Server + 2}).Draw(t, "owner")
				each(func(w *sight) { w.a.Give(w.nodes[k], p) })
			},
			"parent": func() {
				if len(dots) == 0 {
					return
				}
				child, parent := pick(), pick()
				top := rapid.Bool().Draw(t, "top")
				each(func(w *sight) {
					to := w.nodes[parent]
					if top {
						to = 0
					}
					_ = w.a.SetParent(w.nodes[child], to) // all authorities refuse a cycle
				})
			},
		}
		names := []string{"spawn", "spawn", "spawn", "remove", "teleport", "stray", "jump", "lose", "observers", "beside", "beside", "relevance", "give", "parent", "scales", "show", "preload", "ask", "", "", "", "", "", ""}
		for range rapid.IntRange(0, 30).Draw(t, "nodes") {
			ops["spawn"]()
		}
		for tick := range rpl.Tick(rapid.IntRange(20, 90).Draw(t, "ticks")) {
			if op := ops[rapid.SampledFrom(names).Draw(t, "op")]; op != nil {
				op()
			}
			for k, d := range dots {
				if step := gaits[k]; step != nil && rapid.IntRange(0, 2).Draw(t, "moves") > 0 {
					d.Pos.X, d.Pos.Y = d.Pos.X+step.Draw(t, "dx"), d.Pos.Y+step.Draw(t, "dy")
				}
			}
			for p := range at {
				for i := range at[p] {
					if o := &at[p][i]; rapid.Bool().Draw(t, "walks") {
						o[0], o[1] = o[0]+stroll.Draw(t, "dx"), o[1]+stroll.Draw(t, "dy")
					}
				}
			}
			each(func(w *sight) {
				w.a.Step(tick + 1)
				for k, d := range dots {
					w.a.Set(w.items[k], unsafe.Pointer(d))
				}
				for p := range at {
					of := make([]rpl.Observer, len(at[p]))
					for i, xy := range at[p] {
						of[i] = rpl.Observer{X: xy[0], Y: xy[1], Scale: []float64{0, 1, 2, 0.5}[(i+scales[p])%4]}
					}
					if err := w.a.ObserveFrom(rpl.Server+1+rpl.Peer(p), of...); err != nil {
						t.Fatal(err)
					}
				}
				now = time.Duration(tick) * 50 * time.Millisecond // so that nodes have been in sight long enough to stream out
				w.a.Stream(now)
				w.a.Schedule(now)
			})
			each(func(w *sight) {
				if n := w.a.Unlisted(); n > 0 {
					t.Fatalf("tick %d: %d nodes are on a peer's list of what is near and should not be, or the reverse", tick, n)
				}
			})
			all[0].asSaid(t, said, peers)
			watch, look, broad := all[0].holds(), all[1].holds(), all[2].holds()
			if !slices.Equal(watch, look) || !slices.Equal(look, broad) {
				for _, key := range slices.Concat(watch, look, broad) {
					if a, b, c := all[0].held[key], all[1].held[key], all[2].held[key]; a != b || b != c {
						t.Fatalf("tick %d: peer and node %s: held by a watch %v, by a look %v, by a broad one %v", tick, key, a, b, c)
					}
				}
			}
		}
	})
}
