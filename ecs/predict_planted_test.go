package ecs_test

// What a command has made ahead of the authority, once the authority's has taken it over: it goes on as any proxy where
// no command moves it, or where the authority has given it away.

import (
	"math"
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
	farmerData struct {
		Fed uint16 `rpl:""`
	}
	cropData struct {
		Pos    gmath.Vec `rpl:"step=1/32,interp=inplace,pos"`
		Age    uint16    `rpl:""`
		Health uint8     `rpl:""`
	}
	barnData struct {
		Age    uint16 `rpl:"explicit,notify"`
		Health uint8  `rpl:"explicit,notify"`
	}
	leafData struct {
		Age    uint16 `rpl:""`
		Health uint8  `rpl:""`
	}
	farming struct {
		Plant, Hit bool `rpl:"edge"`
	}
)

// A farm is a server and a client that plants, with one prefab of each kind: what is changed by the component alone,
// what is told by Bump, and what has a part.
type farm struct {
	lab            *tendontest.Lab
	server, client *tendontest.Machine
	press          farming
	grows          bool // on the server, in each step
	crops          []*donburi.Entry
	crop           *donburi.ComponentType[cropData]
	barn           *donburi.ComponentType[barnData]
	leaf           *donburi.ComponentType[leafData]
	corrections    int
	ages           map[donburi.Entity]int // how often OnChange has told of it
}

// newFarm has what is planted moved by a command if moved, and given away if given. The rule asks for it to be predicted if
// asks is above 0, or not to be if it is below.
func newFarm(t *testing.T, moved, given bool, asks int) *farm {
	p := tendon.NewProtocol("farm")
	x := &farm{ages: map[donburi.Entity]int{}}
	farmer := tendon.Replicate(p, "farmer", donburi.NewComponentType[farmerData]())
	x.crop = tendon.Replicate(p, "crop", donburi.NewComponentType[cropData]())
	x.barn = tendon.Replicate(p, "barn", donburi.NewComponentType[barnData]())
	x.leaf = tendon.Replicate(p, "leaf", donburi.NewComponentType[leafData]())
	prefabs := []*tendon.Prefab[uint8]{
		tendon.NewPrefab(p, "crop", func(w donburi.World, n uint8) *donburi.Entry {
			e := w.Entry(w.Create(x.crop))
			x.crop.SetValue(e, cropData{Health: n})
			return e
		}),
		tendon.NewPrefab(p, "barn", func(w donburi.World, n uint8) *donburi.Entry {
			e := w.Entry(w.Create(x.barn))
			x.barn.SetValue(e, barnData{Health: n})
			return e
		}),
		tendon.NewPrefab(p, "tree", func(w donburi.World, n uint8) *donburi.Entry {
			e := w.Entry(w.Create(x.crop))
			x.crop.SetValue(e, cropData{Health: n})
			leaf := w.Entry(w.Create(x.leaf))
			x.leaf.SetValue(leaf, leafData{Health: n})
			tendon.Part(e, leaf)
			return e
		}),
	}
	act := tendon.NewCommand[farming](p, "act", farmer)
	var growth []*tendon.Command[tendon.None]
	if moved {
		growth = append(growth, tendon.NewCommand[tendon.None](p, "sway", x.crop), tendon.NewCommand[tendon.None](p, "creak", x.barn))
	}
	run := func(m *tendontest.Machine) {
		act.Run(m.Replication)
		for _, c := range growth {
			c.Run(m.Replication)
		}
		if m == x.server && x.grows {
			for e := range x.crop.Iter(m.World()) {
				x.crop.Get(e).Age++
				x.crop.Get(e).Pos.X++
			}
			for e := range x.barn.Iter(m.World()) {
				x.barn.Get(e).Age++
				tendon.Bump(e, x.barn)
			}
			for e := range x.leaf.Iter(m.World()) {
				x.leaf.Get(e).Age++
			}
		}
		if m == x.server && m.Tick()%7 == 0 { // which the client does not foresee
			for e := range farmer.Iter(m.World()) {
				farmer.Get(e).Fed++
			}
		}
	}
	x.lab = tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Seed: 1,
		Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(farmer), p) })
			m.OnCorrection(func(tendon.Correction) { x.corrections++ })
			tendon.OnChange(m.Replication, x.barn, func(e *donburi.Entry, _ barnData) { x.ages[e.Entity()]++ })
			act.Sample(m.Replication, func(*donburi.Entry) (k farming) {
				if m == x.client {
					k, x.press = x.press, farming{}
				}
				return k
			})
			act.Apply(m.Replication, func(c tendon.Call, k farming) {
				for i, f := range prefabs {
					if !k.Plant {
						break
					}
					e := f.Predict(c, i, 100)
					if asks != 0 {
						tendon.Predict(e, asks > 0)
					}
					if given && tendon.IsAuthority(e) {
						tendon.Give(e, 0)
					}
					if m == x.client && !c.Replay {
						x.crops = append(x.crops, e)
					}
				}
				if !k.Hit {
					return
				}
				for e := range x.crop.Iter(m.World()) {
					x.crop.Get(e).Health--
				}
				for e := range x.barn.Iter(m.World()) {
					x.barn.Get(e).Health--
					tendon.Bump(e, x.barn)
				}
				for e := range x.leaf.Iter(m.World()) {
					x.leaf.Get(e).Health--
				}
			})
			for _, c := range growth {
				c.Apply(m.Replication, func(tendon.Call, tendon.None) {})
			}
		},
		Step: run,
	}, netsim.Conditions{Delay: 75 * time.Millisecond})
	x.server = x.lab.Host()
	x.client = x.lab.Join()
	x.lab.Steps(120)
	return x
}

// healths are those of all that was planted, on the client.
func (x *farm) healths() (of []uint8) {
	for e := range x.crop.Iter(x.client.World()) {
		of = append(of, x.crop.Get(e).Health)
	}
	for e := range x.barn.Iter(x.client.World()) {
		of = append(of, x.barn.Get(e).Health)
	}
	for e := range x.leaf.Iter(x.client.World()) {
		of = append(of, x.leaf.Get(e).Health)
	}
	return of
}

// What no command moves, and what was given away, shows what the server does with it, as any proxy, once the server's has
// taken it over. Until then rules may change it, and a correction sets that back with all else.
func TestPlantedGoesOnAsAProxy(t *testing.T) {
	for k := range 12 {
		moved, given, asks := k&1 != 0, k&2 != 0, k/4-1
		x := newFarm(t, moved, given, asks)
		x.press.Plant = true
		x.lab.Steps(2)
		x.press.Hit = true
		x.lab.Steps(1)
		hit := false
		for i := 0; tendon.ID(x.crops[0]) == 0; i++ {
			of := x.healths()
			if len(of) != 4 {
				t.Fatalf("moved %v, given %v, asks %d: %d healths after %d steps", moved, given, asks, len(of), i)
			}
			for _, h := range of {
				hit = hit || h == 99
				if h != 99 && (hit || h != 100) {
					t.Fatalf("moved %v, given %v, asks %d: hit once, the healths are %v %d steps later", moved, given, asks, of, i)
				}
			}
			x.lab.Steps(1)
		}
		if !hit {
			t.Errorf("moved %v, given %v, asks %d: nothing was hit", moved, given, asks)
		}
		x.grows = true
		x.lab.Steps(60)
		x.grows = false
		x.lab.Steps(40)
		x.client.Frame()
		for _, e := range x.crops {
			se := x.lab.Other(x.server, e)
			if want := moved && asks >= 0 && (!given || asks > 0); tendon.Predicted(e) != want {
				t.Errorf("moved %v, given %v, asks %d: predicted %v", moved, given, asks, !want)
			}
			if e.HasComponent(x.barn) {
				if *x.barn.Get(e) != *x.barn.Get(se) {
					t.Errorf("moved %v, given %v, asks %d: barn %v, the server's %v", moved, given, asks, *x.barn.Get(e), *x.barn.Get(se))
				}
				continue
			}
			is := *x.crop.Get(se)
			for _, d := range []cropData{*x.crop.Get(e), tendon.View(e, x.crop)} {
				if d.Age != is.Age || d.Health != is.Health || math.Abs(d.Pos.X-is.Pos.X) > 1./32 {
					t.Errorf("moved %v, given %v, asks %d: crop %v, the server's %v", moved, given, asks, d, is)
				}
			}
		}
		var leaves [2]leafData
		for i, m := range []*tendontest.Machine{x.client, x.server} {
			for e := range x.leaf.Iter(m.World()) {
				leaves[i] = *x.leaf.Get(e)
			}
		}
		if leaves[0] != leaves[1] || leaves[1].Age < 50 {
			t.Errorf("moved %v, given %v, asks %d: leaf %v, the server's %v", moved, given, asks, leaves[0], leaves[1])
		}
		if x.corrections == 0 || len(x.crops) != 3 || x.ages[x.crops[1].Entity()] < 50 {
			t.Errorf("moved %v, given %v, asks %d: %d corrections, %d planted, %d changes of the barn", moved, given, asks, x.corrections, len(x.crops), x.ages[x.crops[1].Entity()])
		}
	}
}
