package ecs_test

// A client's tree while it changes: no ring, no wrong place, whatever is attached, removed,
// given away, loaded, out of sight or lost.

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What was above a node is put below it, in one step with the removal of what was between
// them, with the change of it alone, or with a chain of both.
func TestTreeTurnedOver(t *testing.T) {
	cases := map[string]func(at func(int) *donburi.Entry){
		"the middle goes": func(at func(int) *donburi.Entry) {
			at(1).Remove()
			_ = tendon.Attach(at(0), at(2))
		},
		"turned round": func(at func(int) *donburi.Entry) {
			_ = tendon.Attach(at(2), nil)
			_ = tendon.Attach(at(1), at(2))
			_ = tendon.Attach(at(0), at(1))
		},
		"two in the middle go": func(at func(int) *donburi.Entry) {
			at(1).Remove()
			at(2).Remove()
			_ = tendon.Attach(at(0), at(3))
		},
		"the middle goes, and the end is given away": func(at func(int) *donburi.Entry) {
			at(1).Remove()
			tendon.Give(at(2), 2)
			_ = tendon.Attach(at(0), at(3))
		},
	}
	for name, turn := range cases {
		t.Run(name, func(t *testing.T) {
			for wait := range 12 {
				for _, c := range []netsim.Conditions{lan, {Delay: 20 * time.Millisecond, Loss: .2}} {
					l := newLab(t, c)
					server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
					l.joined()
					var ents []donburi.Entity
					at := func(i int) *donburi.Entry { return server.World().Entry(ents[i]) }
					for i := range 4 {
						ents = append(ents, server.Create(Transform).Entity())
						if i > 0 {
							_ = tendon.Attach(at(i), at(i-1))
						}
					}
					l.steps(2 + wait)
					turn(at)
					for range 90 {
						l.steps(1)
						client.Frame()
					}
					for i, ent := range ents {
						if server.World().Valid(ent) {
							id := tendon.ID(at(i))
							check(t, fmt.Sprint(i, " hangs under"), tendon.ID(tendon.Parent(client.find(id))), tendon.ID(tendon.Parent(at(i))))
							check(t, fmt.Sprint(i, " is hidden"), client.find(id).HasComponent(components.Hidden), false)
						}
					}
				}
			}
		})
	}
}

// A grove is a server's trees, in which nothing ever moves in the world, though everything
// changes its parent, comes and goes. So whatever a client draws, it draws in its one place.
type grove struct {
	*lab
	rt            *rapid.T
	server        *machine
	drawn, astray int
	first         string // of those astray
	rng           *rand.Rand
	place         map[rpl.Node]gmath.Vec
}

func (g *grove) nodes() (all []*donburi.Entry) {
	for _, e := range nodesOf(g.server) {
		if e.HasComponent(Transform) {
			all = append(all, e)
		}
	}
	return all
}

func (g *grove) some() *donburi.Entry {
	if all := g.nodes(); len(all) > 0 {
		return all[g.rng.IntN(len(all))]
	}
	return nil
}

// put gives a node the transform that keeps it in its place, and all below it theirs.
func (g *grove) put(e *donburi.Entry) {
	at := g.place[tendon.ID(e)]
	if up := tendon.Parent(e); up != nil {
		at = at.Sub(g.place[tendon.ID(up)])
	}
	Transform.Get(e).Pos = at
}

// act changes the trees.
func (g *grove) act() {
	e := g.some()
	if e == nil || g.rng.IntN(8) == 0 && len(g.place) < 400 {
		e = g.server.Create(Transform)
		g.place[tendon.ID(e)] = gmath.Vec{X: 500 + 10*float64(g.rng.IntN(100)), Y: 500 + 10*float64(g.rng.IntN(100))}
		g.put(e)
	}
	switch g.rng.IntN(8) {
	case 0:
		if len(g.nodes()) > 6 {
			kids := []donburi.Entity{}
			for c := range tendon.Children(e) {
				kids = append(kids, c.Entity())
			}
			e.Remove()
			for _, c := range kids {
				g.put(g.server.World().Entry(c))
			}
		}
	case 1:
		tendon.Give(e, []rpl.Peer{0, 2, 3}[g.rng.IntN(3)])
	case 2:
		for tendon.Parent(e) != nil {
			e = tendon.Parent(e)
		}
		components.RplNode.Get(e).Relevance = []rpl.Relevance{rpl.Always, rpl.OwnerOnly}[g.rng.IntN(2)]
	case 3:
		_ = tendon.Attach(e, nil)
		g.put(e)
	default:
		if tendon.Attach(e, g.some()) == nil {
			g.put(e)
		}
	}
}

// look checks what a client draws: each in its place. (In one world of six hundred a mistake is made yet, where
// a change of parent is lost and the old parent's own change comes; it is drawn for a quarter of a second, as it goes
// over to what is right, with all that hangs on it.)
func (g *grove) look(client *machine) {
	client.Frame()
	for e := range Transform.Iter(client.World()) {
		if !e.HasComponent(components.RplNode) {
			continue
		}
		drawn, has := tendon.WorldView(e).Pos, tendon.WorldTransform(e).Pos
		want, known := g.place[tendon.ID(e)]
		if e.HasComponent(components.Hidden) || !known {
			continue
		}
		if g.drawn++; drawn.DistanceTo(want) > 2 {
			if g.astray++; g.first == "" {
				g.first = fmt.Sprintf("%s draws %v at %v, not %v; it has it at %v, under %v", client.name, tendon.ID(e), drawn, want, has, tendon.ID(tendon.Parent(e)))
			}
		}
	}
}

// Trees at random, where packets are lost and budgets are small. Whatever comes first, each
// machine ends with the server's trees.
func TestRandomTreesUnderLoss(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { playGrove(t, rt, rapid.Uint64().Draw(rt, "seed")) })
}

// In this one a node that is drawn where it hung twice before had hung meanwhile below what has
// gone since.
func TestDrawnPastAParentThatIsGone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) { playGrove(t, rt, 0xa9) })
}

func playGrove(t *testing.T, rt *rapid.T, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 7))
	l := &lab{T: t, net: mem.NewNetwork(seed, netsim.Conditions{
		Delay: time.Duration(rng.IntN(80)) * time.Millisecond, Jitter: time.Duration(rng.IntN(30)) * time.Millisecond,
		Loss: float64(rng.IntN(4)) * .08, Burst: float64(rng.IntN(3)),
	})}
	l.listener = l.net.Listener()
	g := &grove{lab: l, rt: rt, rng: rng, place: map[rpl.Node]gmath.Vec{}}
	g.server = l.server(tendon.Config{Budget: []int{0, 0, 3000}[rng.IntN(3)], Sends: []int{0, 20, 60}[rng.IntN(3)]})
	clients := []*machine{l.client(tendon.Config{}), l.client(tendon.Config{})}
	l.joined()
	often := 1 + rng.IntN(10)
	for step := range 240 {
		if step < 200 && rng.IntN(often) == 0 {
			for range 1 + rng.IntN(4) {
				g.act()
			}
		}
		l.steps(1)
		for _, c := range clients {
			g.look(c)
		}
	}
	if g.astray > 100 && g.astray > g.drawn/50 {
		rt.Fatalf("%s: %d of %d", g.first, g.astray, g.drawn)
	}
	l.steps(90)
	for _, e := range g.nodes() {
		for _, c := range clients {
			here, ok := c.Find(tendon.ID(e))
			if ok && tendon.ID(tendon.Parent(here)) != tendon.ID(tendon.Parent(e)) {
				rt.Fatalf("%s has %v under %v, not %v", c.name, tendon.ID(e), tendon.ID(tendon.Parent(here)), tendon.ID(tendon.Parent(e)))
			}
		}
	}
}
