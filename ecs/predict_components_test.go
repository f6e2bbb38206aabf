package ecs_test

// What the Apply of a command adds to a node or removes from it is predicted as what it writes is.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	spyData struct {
		Hits uint8 `rpl:""`
	}
	cloakData struct {
		Kind  uint8     `rpl:""`
		Pos   gmath.Vec `rpl:"step=1/32,interp"`
		Local int
	}
	cloakKeys struct {
		Toggle bool `rpl:"edge"`
	}
)

// A cloakGame is a server and a client whose player toggles a cloak, which stands on a part of its node or on its own
// entity.
type cloakGame struct {
	lab            *tendontest.Lab
	server, client *tendontest.Machine
	mine, other    *donburi.Entry // the entity with the cloak, here and on the server
	spy            *donburi.Entry // the server's
	cloak          *donburi.ComponentType[cloakData]
	spies          *donburi.ComponentType[spyData]
	corrected      []string
	press          bool // the client's player presses in the next step
}

func newCloakGame(t *testing.T, onPart, has bool, refuses bool) *cloakGame {
	p := tendon.NewProtocol("cloaks")
	g := &cloakGame{
		spies: tendon.Replicate(p, "spy", donburi.NewComponentType[spyData]()),
		cloak: tendon.Replicate(p, "cloak", donburi.NewComponentType[cloakData]()),
	}
	part := donburi.NewTag("part")
	at := func(e *donburi.Entry) *donburi.Entry {
		if onPart { // there is one spy
			e, _ = part.First(e.World)
		}
		return e
	}
	spies := tendon.NewPrefab(p, "spy", func(w donburi.World, has bool) *donburi.Entry {
		e := w.Entry(w.Create(g.spies))
		if onPart {
			tendon.Part(e, w.Entry(w.Create(part)))
		}
		if has {
			donburi.Add(at(e), g.cloak, &cloakData{Kind: 1})
		}
		return e
	})
	toggle := tendon.NewCommand[cloakKeys](p, "toggle", g.spies)
	g.lab = tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(p rpl.Peer) {
				g.spy = spies.Spawn(m.World(), has)
				tendon.Give(g.spy, p)
			})
			m.OnCorrection(func(c tendon.Correction) { g.corrected = append(g.corrected, c.Field) })
			toggle.Sample(m.Replication, func(*donburi.Entry) (k cloakKeys) {
				if m == g.client {
					k.Toggle, g.press = g.press, false
				}
				return k
			})
			toggle.Apply(m.Replication, func(c tendon.Call, k cloakKeys) {
				e := at(c.Entry)
				if e.HasComponent(g.cloak) && g.cloak.Get(e).Pos.X < 200 {
					g.cloak.Get(e).Pos.X += 2
					g.cloak.Get(e).Local++
				}
				switch {
				case !k.Toggle, refuses && tendon.IsAuthority(c.Entry):
				case e.HasComponent(g.cloak):
					e.RemoveComponent(g.cloak)
				default:
					donburi.Add(e, g.cloak, &cloakData{Kind: 2, Local: 100})
				}
			})
		},
		Step: func(m *tendontest.Machine) { toggle.Run(m.Replication) },
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	g.server = g.lab.Host()
	g.client = g.lab.Join()
	g.lab.Steps(60)
	e, ok := tendon.Mine(g.client.Replication, g.spies)
	if !ok {
		t.Fatal("no spy")
	}
	g.mine, g.other = at(e), at(g.spy)
	g.corrected = nil
	return g
}

// steps plays on, and returns how often the client's cloak comes or goes.
func (g *cloakGame) steps(n int) (changes int) {
	has := g.mine.HasComponent(g.cloak)
	for range n {
		g.lab.Steps(1)
		if now := g.mine.HasComponent(g.cloak); now != has {
			changes, has = changes+1, now
		}
	}
	return changes
}

// An addition or a removal that the server refuses is mended with the first state that tells, once, and what the player
// has is the server's to its last field.
func TestRefusedComponents(t *testing.T) {
	for _, onPart := range []bool{false, true} {
		for _, has := range []bool{false, true} {
			g := newCloakGame(t, onPart, has, true)
			before := 0
			if has {
				before = g.cloak.Get(g.mine).Local
			}
			g.press = true
			if changes := g.steps(20); changes != 2 || g.mine.HasComponent(g.cloak) != has {
				t.Fatalf("part %v, there at first %v: it came or went %d times, and is there: %v", onPart, has, changes, g.mine.HasComponent(g.cloak))
			}
			if len(g.corrected) != 1 || g.corrected[0] != "cloak" {
				t.Errorf("part %v, there at first %v: corrected %v", onPart, has, g.corrected)
			}
			if has {
				if n := g.cloak.Get(g.mine).Local - before; n < 17 || n > 20 {
					t.Errorf("part %v: what does not travel was counted %d times in 20 steps, of which up to 3 are lost with what was removed", onPart, n)
				}
				g.cloak.Get(g.other).Kind = 9
			}
			g.steps(100)
			g.lab.CheckEqual()
		}
	}
}

// What the server takes stays through a correction of something else, in every frame, and so does what is taken off
// again before the server tells of the first.
func TestComponentsThroughACorrection(t *testing.T) {
	for _, onPart := range []bool{false, true} {
		for after := range 12 {
			g := newCloakGame(t, onPart, after%2 == 0, false)
			g.spies.Get(g.spy).Hits++ // its news comes while the press is under way, or after it
			g.steps(after / 2)
			g.press = true
			if changes := g.steps(1); changes != 1 {
				t.Fatalf("part %v, hit %d steps before: no answer to the key", onPart, after/2)
			}
			again := 0
			if after%3 == 0 { // and again
				g.steps(3)
				g.press = true
				again = 1
			}
			if changes := g.steps(140); changes != again || g.mine.HasComponent(g.cloak) != g.other.HasComponent(g.cloak) {
				t.Errorf("part %v, hit %d steps before: it came or went %d times more than by the key", onPart, after/2, changes-again)
			}
			for _, f := range g.corrected {
				if f != "spy.Hits" {
					t.Errorf("part %v, hit %d steps before: %s was corrected", onPart, after/2, f)
				}
			}
			g.lab.CheckEqual()
		}
	}
}

// What the server alone adds and removes comes and goes once, and what is on the player's entity by no rule stays.
func TestComponentsOfTheServer(t *testing.T) {
	g := newCloakGame(t, false, false, false)
	for _, on := range []bool{true, false, true} {
		if on {
			donburi.Add(g.other, g.cloak, &cloakData{Kind: 3})
		} else {
			g.other.RemoveComponent(g.cloak)
		}
		if changes := g.steps(30); changes != 1 || g.mine.HasComponent(g.cloak) != on {
			t.Errorf("to be there: %v, and it came or went %d times", on, changes)
		}
	}
	g.other.RemoveComponent(g.cloak)
	g.steps(30)
	donburi.Add(g.mine, g.cloak, &cloakData{Kind: 4}) // as by OnStreamIn
	g.spies.Get(g.spy).Hits++
	if changes := g.steps(30); changes != 0 {
		t.Error("what no rule has added is taken away")
	}
	if ds := tendon.Differences(g.server.Replication, g.client.Replication); len(ds) != 1 || ds[0].Component != "cloak" {
		t.Errorf("the client has a cloak too much, and the differences are %v", ds)
	}
}
