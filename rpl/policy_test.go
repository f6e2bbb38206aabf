package rpl_test

// Policies of a game's own, and what a game says of single peers and nodes.

import (
	"errors"
	"math"
	"testing"
	"time"
	"unsafe"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
)

// A tileMap is a world of walls, and a policy by it: what stands behind a wall is not seen.
type tileMap struct {
	rpl.Grid
	walls [20][20]bool
}

const tile = 8.0 // the width of a tile

// wall reports whether there is a wall at a place. Beyond the map there is none.
func (m *tileMap) wall(x, y float64) bool {
	cx, cy := int(math.Floor(x/tile)), int(math.Floor(y/tile))
	return cx >= 0 && cy >= 0 && cx < len(m.walls) && cy < len(m.walls) && m.walls[cy][cx]
}

// Sees goes along the line from the observer to the node, a quarter of a tile at a time.
func (m *tileMap) Sees(v rpl.View) bool {
	dx, dy := v.X-v.From[0], v.Y-v.From[1]
	steps := math.Ceil(v.Distance / (tile / 4))
	for i := 1.0; i < steps; i++ {
		if m.wall(v.From[0]+dx*i/steps, v.From[1]+dy*i/steps) {
			return false
		}
	}
	return true
}

// factions is a policy by sides: a peer sees the nodes of its own side and of its allies.
type factions struct {
	rpl.Grid
	ofPeer map[rpl.Peer]int
	ofNode map[rpl.Node]int
	allied map[[2]int]bool
}

func (f *factions) Sees(v rpl.View) bool {
	mine, its := f.ofPeer[v.Viewer], f.ofNode[v.Node]
	return mine == its || f.allied[[2]int{mine, its}]
}

// A scape is a world of dots that walk, and peers that walk and see.
type scape struct {
	*sight
	dots  []dot
	at    [][2]float64
	more  map[int][][2]float64 // by peer: further observers, by how far they are from the first
	tick  rpl.Tick
	since map[[2]int]int // tick at which a peer got a node, by their indices
}

func newScape(t rapid.TB, in rpl.Interest, dots, peers int) *scape {
	s := &scape{sight: newSight(t, in), dots: make([]dot, dots), at: make([][2]float64, peers), since: map[[2]int]int{}}
	for range s.dots {
		n, err := s.a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{s.typ}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := s.a.Item(n, 0)
		s.nodes, s.items = append(s.nodes, n), append(s.items, it)
	}
	for p := range s.at {
		if err := s.a.Connect(s.peer(p)); err != nil {
			t.Fatal(err)
		}
	}
	s.a.OnDecide(func(p rpl.Peer, n rpl.Node, in bool) {
		key := [2]int{int(p - rpl.Server - 1), s.index(n)}
		if _, had := s.since[key]; in == had {
			t.Fatalf("%v is decided twice for peer %d: in %v", n, p, in)
		}
		if in {
			s.since[key] = int(s.tick)
		} else {
			delete(s.since, key)
		}
	})
	return s
}

// from is where a peer's observers are.
func (s *scape) from(p int) [][2]float64 {
	all := [][2]float64{s.at[p]}
	for _, d := range s.more[p] {
		all = append(all, [2]float64{s.at[p][0] + d[0], s.at[p][1] + d[1]})
	}
	return all
}

func (s *scape) peer(p int) rpl.Peer { return rpl.Server + 1 + rpl.Peer(p) }

func (s *scape) index(n rpl.Node) int {
	for i, x := range s.nodes {
		if x == n {
			return i
		}
	}
	return -1
}

func (s *scape) send(observe bool) {
	s.tick++
	s.a.Step(s.tick)
	for i := range s.dots {
		s.a.Set(s.items[i], unsafe.Pointer(&s.dots[i]))
	}
	for p := range s.at {
		if observe {
			s.a.Observe(s.peer(p), s.from(p)...)
		}
	}
	s.a.Stream(time.Duration(s.tick) * time.Second / 60)
}

// A peer has at once what comes into its sight and its policy lets it have, and no longer than
// half a second what is out of its sight or its policy refuses; where all was asked for again nothing
// of that any more: for line of sight on a map on which walls open and close, and for sides that make
// and break alliances.
func TestPolicyDecides(t *testing.T) {
	const enter, stay = 40.0, 31 // ticks of half a second, and one
	rapid.Check(t, func(t *rapid.T) {
		grid := rpl.Grid{Enter: enter, Exit: 1.1 * enter}
		tiles := &tileMap{Grid: grid}
		sides := &factions{Grid: grid, ofPeer: map[rpl.Peer]int{}, ofNode: map[rpl.Node]int{}, allied: map[[2]int]bool{}}
		var in rpl.Policy = tiles
		byTiles := rapid.Bool().Draw(t, "tiles")
		if !byTiles {
			in = sides
		}
		const width = 20 * tile
		eighths := func(n int) float64 { return float64(n) / 8 } // places travel in eighths
		place := rapid.Map(rapid.IntRange(0, 8*width), eighths)
		stride := rapid.Map(rapid.IntRange(-24, 24), eighths)
		s := newScape(t, in, rapid.IntRange(1, 40).Draw(t, "dots"), 3)
		for i := range s.dots {
			s.dots[i].Pos = xy{place.Draw(t, "x"), place.Draw(t, "y")}
			sides.ofNode[s.nodes[i]] = i % 4
		}
		for p := range s.at {
			s.at[p] = [2]float64{place.Draw(t, "x"), place.Draw(t, "y")}
			sides.ofPeer[s.peer(p)] = p
		}
		s.more = map[int][][2]float64{}
		for range rapid.IntRange(0, 4).Draw(t, "further observers") {
			p := rapid.IntRange(0, len(s.at)-1).Draw(t, "peer")
			s.more[p] = append(s.more[p], [2]float64{2 * stride.Draw(t, "dx"), 10 * stride.Draw(t, "dy")})
		}
		for range rapid.IntRange(1, 120).Draw(t, "ticks") {
			asked := map[int]bool{} // peers
			switch rapid.IntRange(0, 9).Draw(t, "op") {
			case 0:
				x, y := rapid.IntRange(0, 19).Draw(t, "x"), rapid.IntRange(0, 19).Draw(t, "y")
				tiles.walls[y][x] = !tiles.walls[y][x]
				s.a.AskAgain(0, 0)
				for p := range s.at {
					asked[p] = true
				}
			case 1:
				pair := [2]int{rapid.IntRange(0, 3).Draw(t, "a"), rapid.IntRange(0, 3).Draw(t, "b")}
				sides.allied[pair] = !sides.allied[pair]
				for p := range s.at {
					if sides.ofPeer[s.peer(p)] == pair[0] {
						s.a.AskAgain(s.peer(p), 0)
						asked[p] = true
					}
				}
			case 2:
				i := rapid.IntRange(0, len(s.dots)-1).Draw(t, "node")
				sides.ofNode[s.nodes[i]] = rapid.IntRange(0, 3).Draw(t, "side")
				s.a.AskAgain(0, s.nodes[i])
			case 3, 4, 5:
				i := rapid.IntRange(0, len(s.dots)-1).Draw(t, "node")
				s.dots[i].Pos.X += stride.Draw(t, "dx")
				s.dots[i].Pos.Y += stride.Draw(t, "dy")
			case 6, 7:
				p := rapid.IntRange(0, len(s.at)-1).Draw(t, "peer")
				s.at[p][0] += stride.Draw(t, "dx")
				s.at[p][1] += stride.Draw(t, "dy")
			case 8:
				if more := s.more[rapid.IntRange(0, len(s.at)-1).Draw(t, "peer")]; len(more) > 0 {
					d := &more[rapid.IntRange(0, len(more)-1).Draw(t, "observer")]
					d[0], d[1] = d[0]+stride.Draw(t, "dx"), d[1]+stride.Draw(t, "dy")
				}
			}
			s.send(true)
			for p := range s.at {
				for i := range s.dots {
					x, y := s.dots[i].Pos.X, s.dots[i].Pos.Y
					should, can, sees := false, false, false
					for _, at := range s.from(p) {
						d := math.Hypot(x-at[0], y-at[1])
						may := in.Sees(rpl.View{Viewer: s.peer(p), Node: s.nodes[i], X: x, Y: y, From: at, Distance: d})
						should = should || d < enter-1e-9 && may
						can = can || d <= grid.Exit+1e-9 && (byTiles || may)
						sees = sees || d <= grid.Exit+1e-9 && may
					}
					since, has := s.since[[2]int{p, i}]
					if should && !has {
						t.Fatalf("tick %d: peer %d lacks node %d", s.tick, p, i)
					}
					if has && !can && int(s.tick)-since > stay {
						t.Fatalf("tick %d: peer %d has node %d since tick %d", s.tick, p, i, since)
					}
					if has && !sees && asked[p] {
						t.Fatalf("tick %d: peer %d has node %d since tick %d, which was asked for again and refused", s.tick, p, i, since)
					}
				}
			}
		}
		for range stay { // what was refused while it had to stay
			s.a.AskAgain(0, 0)
			s.send(true)
		}
		for p := range s.at {
			for i := range s.dots {
				x, y := s.dots[i].Pos.X, s.dots[i].Pos.Y
				may := false
				for _, at := range s.from(p) {
					may = may || in.Sees(rpl.View{Viewer: s.peer(p), Node: s.nodes[i], X: x, Y: y, From: at, Distance: math.Hypot(x-at[0], y-at[1])})
				}
				if _, has := s.since[[2]int{p, i}]; has && !may {
					t.Fatalf("in the end peer %d has node %d, which its policy refuses", p, i)
				}
			}
		}
	})
}

// What is refused by a game's mistakes is refused with an error, and what cannot be seen from
// is harmless.
func TestObserversThatAreNone(t *testing.T) {
	s := newScape(t, rpl.Grid{Enter: 40, Exit: 44}, 10_000, 1) // all on one point
	p := s.peer(0)
	nan, inf := math.NaN(), math.Inf(1)
	for _, scale := range []float64{nan, inf, -inf, -1, rpl.MaxScale * 1.01} {
		if err := s.a.ObserveFrom(p, rpl.Observer{Scale: scale}); !errors.Is(err, rpl.ErrRange) {
			t.Errorf("scale %v: %v", scale, err)
		}
		if err := s.a.Preload(p, rpl.Observer{Scale: scale}, 0, time.Second); !errors.Is(err, rpl.ErrRange) {
			t.Errorf("preload of scale %v: %v", scale, err)
		}
	}
	if err := s.a.Preload(p, rpl.Observer{}, 0, 0); !errors.Is(err, rpl.ErrRange) {
		t.Errorf("a preload for no time: %v", err)
	}
	for _, x := range []float64{nan, inf, -inf} {
		if err := s.a.Preload(p, rpl.Observer{X: x}, 0, time.Second); !errors.Is(err, rpl.ErrRange) {
			t.Errorf("a preload at %v: %v", x, err)
		}
	}
	for i := range rpl.MaxPreloads + 1 {
		err := s.a.Preload(p, rpl.Observer{X: float64(1000 * (i + 1))}, 0, time.Second)
		if full := i == rpl.MaxPreloads; errors.Is(err, rpl.ErrLimit) != full || !full && err != nil {
			t.Errorf("preload %d: %v", i, err)
		}
	}
	if err := s.a.SetShowing(p, rpl.SessionNode, rpl.Hidden); !errors.Is(err, rpl.ErrRange) {
		t.Errorf("hiding the session: %v", err)
	}
	if err := s.a.SetShowing(p, 12345, rpl.Hidden); !errors.Is(err, rpl.ErrNoNode) {
		t.Errorf("hiding no node: %v", err)
	}
	if err := s.a.SetShowing(99, s.nodes[0], rpl.Shown); !errors.Is(err, rpl.ErrNoPeer) {
		t.Errorf("showing to nobody: %v", err)
	}
	if err := s.a.SetShowing(99, s.nodes[0], rpl.ByRule); err != nil {
		t.Errorf("taking back what was shown to who has left: %v", err)
	}
	for _, at := range [][2]float64{{nan, 0}, {0, inf}, {-inf, nan}, {1e300, -1e300}} {
		s.at[0] = at
		if s.send(true); len(s.since) > 0 {
			t.Errorf("from %v %d nodes are seen", at, len(s.since))
		}
	}
	s.at[0] = [2]float64{1, 1}
	if s.send(true); len(s.since) != len(s.dots) {
		t.Errorf("%d nodes are seen of %d on one point", len(s.since), len(s.dots))
	}
	for _, in := range []rpl.Interest{rpl.Grid{}, rpl.Grid{Enter: -1, Exit: 1}, rpl.Grid{Enter: nan, Exit: nan}, rpl.Grid{Enter: 2, Exit: 1}, rpl.Grid{Enter: 2, Exit: inf}, rpl.Grid{Enter: 2, Exit: 2 * rpl.MaxReach}, &tileMap{}} {
		schema := rpl.NewSchema("wrong")
		if _, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: schema, Hz: 60, Interest: in}); err == nil {
			t.Errorf("%v is taken", in)
		}
	}
}

// A peer has what is round a point that is preloaded for it until the time is over, and goes
// on having it if it has been taken there.
func TestPreload(t *testing.T) {
	s := newScape(t, rpl.Grid{Enter: 40, Exit: 44}, 2, 1)
	s.dots[1].Pos = xy{1000, 0}
	has := func(i int) bool { _, has := s.since[[2]int{0, i}]; return has }
	s.send(true)
	if !has(0) || has(1) {
		t.Fatal("it does not see where it is")
	}
	now := time.Duration(s.tick) * time.Second / 60
	if err := s.a.Preload(s.peer(0), rpl.Observer{X: 1000}, now, time.Second); err != nil {
		t.Fatal(err)
	}
	for i := range 59 {
		if s.send(true); !has(0) || !has(1) {
			t.Fatalf("after %d sends it has not both", i+1)
		}
	}
	s.at[0] = [2]float64{1000, 0}
	for range 60 {
		if s.send(true); !has(1) {
			t.Fatal("what was preloaded has gone")
		}
	}
	if has(0) {
		t.Fatal("it has what it saw from before")
	}
}

// A preload for ever lasts.
func TestPreloadForEver(t *testing.T) {
	s := newScape(t, rpl.Grid{Enter: 40, Exit: 44}, 2, 1)
	s.dots[1].Pos = xy{1000, 0}
	s.send(true)
	if err := s.a.Preload(s.peer(0), rpl.Observer{X: 1000}, time.Second, math.MaxInt64); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		s.send(true)
	}
	if _, has := s.since[[2]int{0, 1}]; !has {
		t.Error("it has not what is round the point")
	}
}

// A gate is a policy that a test opens, and that may do something when it is asked.
type gate struct {
	rpl.Grid
	open  bool
	asked func(rpl.View)
}

func (g *gate) Sees(v rpl.View) bool {
	if g.asked != nil {
		g.asked(v)
	}
	return g.open
}

// A policy may preload when it is asked: the point counts from the next send on.
func TestPolicyPreloads(t *testing.T) {
	g := &gate{Grid: rpl.Grid{Enter: 40, Exit: 44}, open: true}
	s := newScape(t, g, 2, 1)
	s.dots[1].Pos = xy{1000, 0}
	g.asked = func(v rpl.View) {
		if err := s.a.Preload(v.Viewer, rpl.Observer{X: 1000}, 0, time.Hour); err != nil {
			t.Error(err)
		}
	}
	for range 3 {
		s.send(true)
	}
	if len(s.since) != 2 {
		t.Errorf("it has %d nodes, not both", len(s.since))
	}
}
