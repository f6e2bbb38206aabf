package ecs_test

// What the server tells of what a client predicts, in the round trip in which the server does not know yet
// that it is there.

import (
	"fmt"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	lootData struct {
		Pos   gmath.Vec `rpl:"step=1/32,interp,pos"`
		Kind  uint8     `rpl:""`
		Seed  uint16    `rpl:"once"`
		Runes []uint8   `rpl:"max=4"`
		Name  string    `rpl:"max=16"`
	}
	finderData struct {
		N uint8 `rpl:"to=owner"`
	}
	throwKeys struct {
		Throw bool `rpl:"edge"`
	}
)

// lot is what the server alone decides of a thing.
func (d *lootData) lot() string { return fmt.Sprintln(d.Kind, d.Seed, d.Runes, d.Name) }

const rare = "5 700 [1 2] dagger\n"

// A player throws things by Prefab.Predict, and the server draws by lot what they are. Their way goes on
// as it was predicted; what they are comes with the thing.
func TestOnStreamInHasWhatTheServerHasDecided(t *testing.T) {
	for _, c := range []netsim.Conditions{
		{},
		{Delay: 50 * time.Millisecond},
		{Delay: 150 * time.Millisecond},
		{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .1},
	} {
		p := tendon.NewProtocol("loot")
		finder := tendon.Replicate(p, "finder", donburi.NewComponentType[finderData]())
		loot := tendon.Replicate(p, "loot", donburi.NewComponentType[lootData]())
		things := tendon.NewPrefab(p, "thing", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(loot)) })
		throw := tendon.NewCommand[throwKeys](p, "throw", finder)
		fly := tendon.NewCommand[tendon.None](p, "fly", loot)
		steps, came, corrected := 0, 0, 0
		var thrown []donburi.Entity
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol:  p,
			Configure: func(machine string, c *tendon.Config) { c.Dedicated = machine == "server" },
			Setup: func(m *tendontest.Machine) {
				m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(finder), p) })
				throw.Sample(m.Replication, func(*donburi.Entry) throwKeys {
					steps++
					return throwKeys{steps%60 == 0}
				})
				throw.Apply(m.Replication, func(c tendon.Call, k throwKeys) {
					if !k.Throw {
						return
					}
					if e := things.Predict(c, 0, tendon.None{}); m.Name == "server" {
						d := loot.Get(e)
						d.Kind, d.Seed, d.Runes, d.Name = 5, 700, []uint8{1, 2}, "dagger"
						thrown = append(thrown, e.Entity())
					}
				})
				fly.Apply(m.Replication, func(c tendon.Call, _ tendon.None) { loot.Get(c.Entry).Pos.X += 2 })
				if m.Name == "server" {
					return
				}
				m.OnCorrection(func(tendon.Correction) { corrected++ })
				m.OnStreamIn(loot, func(e *donburi.Entry) {
					if came++; loot.Get(e).lot() != rare {
						t.Errorf("%v: OnStreamIn finds %v", c, loot.Get(e).lot())
					}
				})
			},
			Step: func(m *tendontest.Machine) {
				throw.Run(m.Replication)
				fly.Run(m.Replication)
				if m.Name == "server" && len(thrown) > 1 {
					m.World().Remove(thrown[0])
					thrown = thrown[1:]
				}
			},
		}, c)
		lab.Host()
		lab.Join()
		was := map[donburi.Entity]float64{}
		lab.Play(10*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
			for e := range loot.Iter(m.World()) {
				if e.HasComponent(components.Hidden) { // it has gone
					continue
				}
				if tendon.ID(e) != 0 && loot.Get(e).lot() != rare {
					t.Errorf("%v: of what has come the rules find %v", c, loot.Get(e).lot())
				}
				x := tendon.View(e, loot).Pos.X
				if last, ok := was[e.Entity()]; ok && (x < last || x > last+8) && c.Loss == 0 {
					t.Errorf("%v: a thing is drawn at %v, and at %v in the next frame", c, last, x)
				}
				was[e.Entity()] = x
			}
		})
		if came < 8 || corrected < came {
			t.Errorf("%v: %d things have come, with %d corrections", c, came, corrected)
		}
	}
}

// What happens to a thing that has just come is seen by a client that predicts it in the frame in which one
// that does not sees it.
func TestNewsOfWhatHasJustComeIsTakenAtOnce(t *testing.T) {
	for _, c := range []netsim.Conditions{{Delay: 50 * time.Millisecond}, {Delay: 150 * time.Millisecond}} {
		p := tendon.NewProtocol("news")
		loot := tendon.Replicate(p, "loot", donburi.NewComponentType[lootData]())
		lie := tendon.NewCommand[tendon.None](p, "lie", loot)
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol:  p,
			Configure: func(machine string, c *tendon.Config) { c.Dedicated = machine == "server" },
			Setup: func(m *tendontest.Machine) {
				lie.Apply(m.Replication, func(tendon.Call, tendon.None) {})
				m.OnStreamIn(loot, func(e *donburi.Entry) { tendon.Predict(e, m.Name == "client 2") })
			},
			Step: func(m *tendontest.Machine) { lie.Run(m.Replication) },
		}, c)
		server := lab.Host()
		plain, predicts := lab.Join(), lab.Join()
		lab.Steps(120)
		for after := range 30 {
			e := server.Create(loot)
			lab.Steps(after)
			loot.Get(e).Kind, loot.Get(e).Name = 5, "axe"
			at := map[*tendontest.Machine]int{}
			for step := range 60 {
				lab.Steps(1)
				for _, m := range []*tendontest.Machine{plain, predicts} {
					if mine, ok := m.Find(tendon.ID(e)); ok && loot.Get(mine).Kind == 5 && loot.Get(mine).Name == "axe" && at[m] == 0 {
						at[m] = step + 1
					}
				}
			}
			if at[plain] == 0 || at[predicts] == 0 || at[predicts] > at[plain] {
				t.Errorf("%v: what changes %d steps after it was made is seen after %d steps, by who predicts it after %d", c, after, at[plain], at[predicts])
			}
			e.Remove()
			lab.Steps(30)
		}
	}
}
