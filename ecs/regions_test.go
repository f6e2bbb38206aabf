package ecs_test

// A world of long regions that come and go as a player moves through it, on a line that carries less of them than come
// into sight.

import (
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
	regionData struct {
		Pos   gmath.Vec `rpl:"step=1,pos"`
		Tiles []byte    `rpl:"max=4000"`
	}
	roverData struct {
		Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	}
)

var (
	regionGame = tendon.NewProtocol("regions")
	region     = tendon.Replicate(regionGame, "region", donburi.NewComponentType[regionData]())
	rover      = tendon.Replicate(regionGame, "rover", donburi.NewComponentType[roverData]())
)

const regionSide, regionBytes, regionSight = 64, 1400, 320

// regionsLab has a server with a rover for the client that joins, and calls step on the server in each step, with the rover.
func regionsLab(t *testing.T, seed uint64, c netsim.Conditions, step func(m *tendontest.Machine, rover *donburi.Entry)) *tendontest.Lab {
	var of *donburi.Entry
	return tendontest.NewLab(t, tendontest.Game{
		Protocol: regionGame, Seed: seed,
		Config:    tendon.Config{Interest: rpl.Grid{Enter: regionSight, Exit: 1.1 * regionSight}},
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(p rpl.Peer) {
				of = m.Create(rover, components.Observer)
				rover.SetValue(of, roverData{gmath.Vec{Y: 700}})
				tendon.Give(of, p)
			})
		},
		Step: func(m *tendontest.Machine) {
			if m.IsAuthority() && of != nil {
				step(m, of)
			}
		},
	}, c)
}

// roveLab has a client ride through regions of so many bytes at 300 units a second.
func roveLab(t *testing.T, size int, c netsim.Conditions) (lab *tendontest.Lab, server, client *tendontest.Machine) {
	roves := false
	lab = regionsLab(t, *seedFlag, c, func(_ *tendontest.Machine, e *donburi.Entry) {
		if roves {
			rover.Get(e).Pos.X += 5
		}
	})
	server = lab.Host()
	for x := range 60 {
		for y := range 22 {
			addRegion(server, size, gmath.Vec{X: float64(x) * regionSide, Y: float64(y) * regionSide})
		}
	}
	client = lab.Join()
	lab.Steps(300)
	roves = true
	return lab, server, client
}

// rove returns in which share of the steps of ten seconds the region under the rover, and the second one ahead of it, are
// not there.
func rove(t *testing.T, c netsim.Conditions) (under, ahead float64) {
	lab, _, client := roveLab(t, regionBytes, c)
	const steps = 600
	for range steps {
		lab.Steps(1)
		mine, ok := tendon.Mine(client.Replication, rover)
		if !ok {
			t.Fatal("the rover is not there")
		}
		var has [62]bool
		row := int(rover.Get(mine).Pos.Y / regionSide)
		for e := range region.Iter(client.World()) {
			if at := region.Get(e).Pos; int(at.Y)/regionSide == row {
				has[int(at.X)/regionSide] = true
			}
		}
		x := int(rover.Get(mine).Pos.X / regionSide)
		if !has[x] {
			under += 1. / steps
		}
		if !has[x+2] {
			ahead += 1. / steps
		}
	}
	return under, ahead
}

func addRegion(m *tendontest.Machine, size int, at gmath.Vec) *donburi.Entry {
	e, tiles := m.Create(region), make([]byte, size)
	for i := range tiles {
		tiles[i] = byte(m.Rand.Uint32())
	}
	region.SetValue(e, regionData{at, tiles})
	return e
}

// Some 70 kB a second come into sight. Which of them a peer is sent next is chosen as the line takes it, and by where the
// peer will be.
func TestRegionsAheadComeFirst(t *testing.T) {
	for _, c := range []struct {
		rate         int
		loss         float64
		under, ahead float64 // at most
	}{{60e3, 0, 0, .02}, {60e3, .05, .02, .15}, {30e3, 0, .02, .15}} {
		under, ahead := rove(t, netsim.Conditions{Delay: 40 * time.Millisecond, Rate: c.rate, Loss: c.loss})
		t.Logf("%d bytes a second, loss %v: of the steps the region under the rover is missing in %.3f, the second one ahead in %.3f", c.rate, c.loss, under, ahead)
		if under > c.under || ahead > c.ahead {
			t.Errorf("more than %v and %v", c.under, c.ahead)
		}
	}
}

// What is at the edge of sight comes even where something new beside the player takes all of the line, always: it waits
// some seconds.
func TestWhatIsFarComesAtLast(t *testing.T) {
	var near []*donburi.Entry
	lab := regionsLab(t, *seedFlag, netsim.Conditions{Delay: 40 * time.Millisecond, Rate: 30e3}, func(m *tendontest.Machine, e *donburi.Entry) {
		near = append(near, addRegion(m, regionBytes, rover.Get(e).Pos))
		if len(near) > 60 {
			tendon.Remove(near[0], tendon.Removed)
			near = near[1:]
		}
	})
	server := lab.Host()
	client := lab.Join()
	lab.Steps(300)
	mine, _ := tendon.Mine(client.Replication, rover)
	far := addRegion(server, regionBytes, rover.Get(mine).Pos.Add(gmath.Vec{X: .99 * regionSight}))
	const most = 600
	for n := range most {
		lab.Steps(1)
		if _, ok := client.Find(tendon.ID(far)); ok {
			t.Logf("it has come after %d steps", n)
			return
		}
	}
	t.Errorf("it has not come in %d steps", most)
}

// Of a node of some size fewer copies leave than of a small one where packets are lost: the bytes of a ride, with no loss
// and with one of 5 %.
func TestLongArrivalsHaveFewCopies(t *testing.T) {
	var bytes [2]float64
	for i, loss := range []float64{0, .05} {
		lab, server, _ := roveLab(t, 900, netsim.Conditions{Delay: 50 * time.Millisecond, Loss: loss})
		for range 5 {
			lab.Steps(60)
			for p := range server.Peers() {
				bytes[i] += float64(server.Stats(p).BytesOut) / 5
			}
		}
	}
	t.Logf("%.0f bytes a second, with loss %.0f", bytes[0], bytes[1])
	if bytes[1] > 2.4*bytes[0] {
		t.Error("more than 2.4 times as many")
	}
}
