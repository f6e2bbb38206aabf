package ecs_test

// What is for the owner alone, or for a group, travels beside the rest of its component, and may be of another
// tick: each part is compared with what was predicted for its own.

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

type javelinData struct {
	Pos   gmath.Vec `rpl:"step=1/32,interp,pos"`
	Turns uint8     `rpl:""`
	Load  uint16    `rpl:"to=owner"`
	Name  string    `rpl:"to=owner,max=16"`
}

// javelins plays ten seconds in which a client throws javelins, while the server makes so many other things in the step of
// each throw that its state takes several packets. With hitch the client's loop makes four steps at once, so that it
// reads several packets before it compares any. The client counts corrections by field.
func javelins(t *testing.T, others int, hitch bool, fly func(c tendon.Call, d *javelinData, age rpl.Tick)) (thrown int, corrected map[string]int) {
	p := tendon.NewProtocol("javelins")
	finder := tendon.Replicate(p, "finder", donburi.NewComponentType[finderData]())
	javelin := tendon.Replicate(p, "javelin", donburi.NewComponentType[javelinData]())
	loot := tendon.Replicate(p, "loot", donburi.NewComponentType[lootData]())
	type args struct {
		Made rpl.Tick `rpl:""`
	}
	born := donburi.NewComponentType[args]()
	javelins := tendon.NewPrefab(p, "javelin", func(w donburi.World, a args) *donburi.Entry {
		e := w.Entry(w.Create(javelin, born))
		born.SetValue(e, a)
		return e
	})
	throw := tendon.NewCommand[throwKeys](p, "throw", finder)
	flying := tendon.NewCommand[tendon.None](p, "fly", javelin)
	corrected = map[string]int{}
	var made []donburi.Entity
	step := func(m *tendontest.Machine) {
		if m.Name == "server" && m.Tick()%20 == 0 {
			for _, e := range made {
				m.World().Remove(e)
			}
			made = made[:0]
			for i := range others {
				e := m.Create(loot)
				made = append(made, e.Entity())
				loot.SetValue(e, lootData{Pos: gmath.Vec{X: 500 + float64(i*37%400), Y: float64(i * 53 % 700)}, Seed: uint16(i * 977)})
			}
		}
		throw.Run(m.Replication)
		flying.Run(m.Replication)
	}
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Configure: func(machine string, c *tendon.Config) { c.Dedicated = machine == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(finder), p) })
			throw.Apply(m.Replication, func(c tendon.Call, _ throwKeys) {
				if c.Tick%20 != 0 {
					return
				}
				if c.Tick > 120 && !c.Replay && m.Name != "server" {
					thrown++
				}
				javelins.Predict(c, 0, args{c.Tick})
			})
			flying.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				d := javelin.Get(c.Entry)
				d.Pos = d.Pos.Add(gmath.Vec{X: 4, Y: 3})
				age := c.Tick - born.Get(c.Entry).Made
				if fly(c, d, age); age > 80 && tendon.IsAuthority(c.Entry) {
					c.Entry.Remove()
				}
			})
			m.OnCorrection(func(c tendon.Correction) {
				if m.Tick() > 120 {
					corrected[c.Field]++
				}
			})
		},
		Step: step,
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	server, client := lab.Host(), lab.Join()
	lab.Steps(100)
	for range 125 {
		if !hitch {
			lab.Steps(4)
			continue
		}
		lab.Machines = []*tendontest.Machine{server}
		lab.Steps(3)
		lab.Machines = []*tendontest.Machine{server, client}
		lab.Steps(1)
		for range 3 {
			client.Receive()
			step(client)
			client.Send()
		}
	}
	return thrown, corrected
}

// The rule is the same on both machines and nothing is lost: then nothing is corrected, also where the packet that
// brings a javelin is one of several, and is compared only after the next has told more of one part of it.
func TestPartsOfDifferentTicksAreNoMisprediction(t *testing.T) {
	for _, others := range []int{0, 70, 120} {
		for _, hitch := range []bool{false, true} {
			thrown, corrected := javelins(t, others, hitch, func(_ tendon.Call, d *javelinData, age rpl.Tick) {
				d.Turns++
				if age == 5 {
					d.Load, d.Name = 7, "seven"
				}
			})
			if thrown < 20 || len(corrected) > 0 {
				t.Errorf("%d others, hitch %v: %d javelins thrown, corrections: %v", others, hitch, thrown, corrected)
			}
		}
	}
}

// What the server alone decides in a part is found at once, and by the field that it is.
func TestWhatDiffersInAPartIsFound(t *testing.T) {
	for _, others := range []int{0, 120} {
		for after := range rpl.Tick(6) {
			thrown, corrected := javelins(t, others, false, func(c tendon.Call, d *javelinData, age rpl.Tick) {
				if age == after && tendon.IsAuthority(c.Entry) {
					d.Load = 9
				}
			})
			if n := corrected["javelin.Load"]; n < thrown-2 || n > thrown+2 || len(corrected) > 1 {
				t.Errorf("%d others, decided after %d ticks: %d javelins thrown, corrections: %v", others, after, thrown, corrected)
			}
		}
	}
}
