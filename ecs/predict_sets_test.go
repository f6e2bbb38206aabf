package ecs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	heroData struct {
		X    float64  `rpl:"step=1/32,interp"`
		Pull rpl.Tick `rpl:""` // it is pulled until then
	}
	stunData struct {
		Strength int `rpl:""`
	}
)

// A hexGame is a server and a client with a hero, on which a component comes and goes: a stun, by the server or by the
// rule of its command.
type hexGame struct {
	lab       *tendontest.Lab
	hero      *donburi.ComponentType[heroData]
	stun      *donburi.ComponentType[stunData]
	body      *donburi.Entry // the server's
	every     rpl.Tick       // so often a rule toggles the stun; 0: never
	corrected []string
}

func newHexGame(t *testing.T, delay time.Duration, every rpl.Tick, seed uint64) *hexGame {
	p := tendon.NewProtocol("hexes")
	g := &hexGame{
		hero:  tendon.Replicate(p, "hero", donburi.NewComponentType[heroData]()),
		stun:  tendon.Replicate(p, "stun", donburi.NewComponentType[stunData]()),
		every: every,
	}
	act := tendon.NewCommand[tendon.None](p, "act", g.hero)
	g.lab = tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Seed: seed, Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(p rpl.Peer) {
				g.body = m.Create(g.hero)
				tendon.Give(g.body, p)
			})
			m.OnCorrection(func(c tendon.Correction) { g.corrected = append(g.corrected, c.Field) })
			act.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				if h := g.hero.Get(c.Entry); c.Tick < h.Pull {
					h.X -= 4
				}
				if g.every > 0 && c.Tick%g.every == 0 {
					g.toggle(c.Entry)
				}
			})
		},
		Step: func(m *tendontest.Machine) { act.Run(m.Replication) },
	}, netsim.Conditions{Delay: delay})
	g.lab.Host()
	g.lab.Join()
	g.lab.Steps(240 + int(seed))
	return g
}

func (g *hexGame) toggle(e *donburi.Entry) {
	if e.HasComponent(g.stun) {
		e.RemoveComponent(g.stun)
	} else {
		donburi.Add(e, g.stun, &stunData{1})
	}
}

// While components come and go on a player's node by the server's word, what else it does to the node is as soon in
// the player's prediction as without them.
func TestPushWhileComponentsComeAndGo(t *testing.T) {
	for _, delay := range []time.Duration{30 * time.Millisecond, 100 * time.Millisecond} {
		alone := 0
		for _, every := range []int{0, 60, 15, 6, 3} {
			for seed := range uint64(2) {
				g := newHexGame(t, delay, 0, seed+1)
				mine, ok := tendon.Mine(g.lab.Machines[1].Replication, g.hero)
				if !ok {
					t.Fatal("no hero")
				}
				ent, steps := mine.Entity(), 0
				for i := range 150 {
					if every > 0 && i < 60 && i%every == 0 {
						g.toggle(g.body)
					}
					if i == 0 {
						g.hero.Get(g.body).Pull = g.lab.Machines[0].Tick() + 120
					}
					g.lab.Steps(1)
					x := g.hero.Get(g.lab.Machines[1].World().Entry(ent)).X
					if x < -4 && x-g.hero.Get(g.body).X < 1 {
						break
					}
					steps++
				}
				if every == 0 {
					alone = max(alone, steps)
				} else if steps > alone+1 {
					t.Errorf("seed %d, %v one way: a component comes or goes every %d steps, and the push is in the prediction after %d, alone after %d", seed+1, delay, every, steps, alone)
				}
			}
		}
	}
}

// What a rule adds and removes is right however often it does, also within a round trip: nothing is corrected.
func TestComponentsThatComeAndGoQuickly(t *testing.T) {
	for _, delay := range []time.Duration{0, 30 * time.Millisecond, 60 * time.Millisecond, 100 * time.Millisecond} {
		for _, every := range []rpl.Tick{12, 8, 6, 5, 4, 3, 2} {
			g := newHexGame(t, delay, every, 5)
			if g.lab.Steps(600); len(g.corrected) > 0 {
				t.Errorf("%v one way, every %d ticks: %d corrections, the first of %s", delay, every, len(g.corrected), fmt.Sprint(g.corrected[0]))
			}
			g.every = 0
			g.lab.Steps(60)
			g.lab.CheckEqual()
		}
	}
}
