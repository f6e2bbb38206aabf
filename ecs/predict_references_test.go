package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What a predicted node refers to comes and goes: its references follow, OnChange tells of it, the
// rest of its component stays as predicted, and nothing of it is a correction.
func TestPredictedRefersToWhatComesAndGoes(t *testing.T) {
	type hunterData struct {
		X    float64          `rpl:"step=1/32"`
		Prey donburi.Entity   `rpl:"notify"`
		Pack []donburi.Entity `rpl:"max=3"`
	}
	p := tendon.NewProtocol("hunters")
	hunter := tendon.Replicate(p, "hunter", donburi.NewComponentType[hunterData]())
	prey := tendon.Replicate(p, "prey", donburi.NewComponentType[struct {
		N int32 `rpl:""`
	}]())
	walk := tendon.NewCommand[int8](p, "walk", hunter)
	server, client, steps := pairOfKnights(t, p, walk, netsim.Conditions{Delay: 60 * time.Millisecond}, tendon.Config{}, func(c tendon.Call, by int8) {
		hunter.Get(c.Entry).X += float64(by) / 8
	})
	server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(hunter), q) })
	corrections, changes := 0, 0
	client.OnCorrection(func(c tendon.Correction) { corrections++ })
	tendon.OnChange(client, hunter, func(*donburi.Entry, hunterData) { changes++ })
	steps(240)
	mine, ok := tendon.Mine(client, hunter)
	if !ok {
		t.Fatal("the client has no hunter")
	}
	e, _ := server.Find(tendon.ID(mine))
	quarry := server.Create(prey)
	walkOn := func(what string, here bool) {
		t.Helper()
		x := hunter.Get(mine).X
		changes = 0
		for range 60 {
			steps(1)
			if x += 1. / 8; hunter.Get(mine).X != x {
				t.Fatalf("%s: the hunter is at %v, not %v", what, hunter.Get(mine).X, x)
			}
		}
		d := hunter.Get(mine)
		there := donburi.Null
		if found, ok := client.Find(tendon.ID(quarry)); ok && here {
			there = found.Entity()
		}
		if d.Prey != there || len(d.Pack) > 1 && d.Pack[1] != there || here && there == donburi.Null {
			t.Errorf("%s: the hunter refers to %v and %v, not %v", what, d.Prey, d.Pack, there)
		}
		if changes != 1 {
			t.Errorf("%s: OnChange ran %d times", what, changes)
		}
	}
	hunter.Get(e).Prey, hunter.Get(e).Pack = quarry.Entity(), []donburi.Entity{e.Entity(), quarry.Entity()}
	walkOn("it comes", true)
	corrections = 0
	for range 3 {
		tendon.Hide(quarry, client.Me())
		walkOn("it is hidden", false)
		tendon.Show(quarry, client.Me())
		walkOn("it is shown", true)
	}
	tendon.Remove(quarry, 0)
	walkOn("it goes", false)
	if corrections != 0 {
		t.Errorf("%d corrections", corrections)
	}
}

// A predicted component has its reference and its other fields of one state: what comes and is referred to by a state
// that has come in part, and has not been compared yet, waits for that.
func TestPredictedReferenceIsOfTheStateOfItsFields(t *testing.T) {
	type tugData struct {
		Tow donburi.Entity `rpl:""`
		Nr  uint16         `rpl:""` // of the barge
	}
	type barge struct {
		Nr uint16 `rpl:""`
	}
	torn, towed := 0, 0
	for _, seed := range []uint64{17, 1, 2} {
		p := tendon.NewProtocol("tugs")
		tug := tendon.Replicate(p, "tug", donburi.NewComponentType[tugData]())
		loot := tendon.Replicate(p, "loot", donburi.NewComponentType[lootData]())
		number := donburi.NewComponentType[barge]()
		barges := tendon.NewPrefab(p, "barge", func(w donburi.World, b barge) *donburi.Entry {
			e := w.Entry(w.Create(loot, number))
			number.SetValue(e, b)
			return e
		})
		steer := tendon.NewCommand[tendon.None](p, "steer", tug)
		var crowd []*donburi.Entry
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Seed: seed,
			Configure: func(machine string, c *tendon.Config) { c.Dedicated = machine == "server" },
			Setup: func(m *tendontest.Machine) {
				m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(tug), p) })
				m.OnStart(func() {
					for i := 0; m.Name == "server" && i < 300; i++ {
						crowd = append(crowd, m.Create(loot))
					}
				})
				steer.Apply(m.Replication, func(tendon.Call, tendon.None) {})
			},
			Step: func(m *tendontest.Machine) {
				steer.Run(m.Replication)
				if m.Name == "server" {
					for _, e := range crowd { // so that a send takes several packets
						if m.Rand.IntN(2) == 0 {
							d := loot.Get(e)
							d.Pos.X, d.Kind = m.Rand.Float64()*500, uint8(m.Rand.IntN(250))
						}
					}
					for e := range tug.Iter(m.World()) {
						switch d := tug.Get(e); m.Tick() % 12 {
						case 0:
							d.Nr++
							d.Tow = barges.Spawn(m.World(), barge{d.Nr}).Entity()
						case 6:
							if m.World().Valid(d.Tow) {
								m.World().Remove(d.Tow)
							}
						}
					}
					return
				}
				if e, ok := tendon.Mine(m.Replication, tug); ok {
					if d := tug.Get(e); m.World().Valid(d.Tow) {
						if towed++; number.Get(m.World().Entry(d.Tow)).Nr != d.Nr {
							torn++
						}
					}
				}
			},
		}, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: .3})
		lab.Host()
		lab.Join()
		lab.Steps(600)
	}
	if torn > 0 || towed < 400 {
		t.Errorf("in %d of %d steps the tug has a barge of another state than its number", torn, towed)
	}
}
