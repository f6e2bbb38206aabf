package rpl_test

// What changes evenly, with its rate beside it.

import (
	"math"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What changes evenly, and has its rate beside it, takes no updates between two changes
// of the rate, as the guide says: what falls, spins, or runs out.
func TestRatesSpareUpdates(t *testing.T) {
	type vec struct{ X, Y float64 }
	type thrown struct {
		Pos  vec `rpl:"step=1/32,interp,pos,predict=Vel"`
		Vel  vec `rpl:"step=1/16,predict=Pull"`
		Pull vec `rpl:"step=1"`
	}
	checkRate(t, "thrown", 0.03, func(tick int, th *thrown) {
		if th.Pull.Y = 720; tick%50 == 0 {
			th.Pos.Y, th.Vel = 300, vec{120, -300}
			return
		}
		th.Vel.Y += th.Pull.Y / 60
		th.Pos.X, th.Pos.Y = th.Pos.X+th.Vel.X/60, th.Pos.Y+th.Vel.Y/60
	})
	type fan struct {
		Angle float64 `rpl:"angle,predict=Spin"`
		Spin  float64 `rpl:"step=1/1024"`
	}
	checkRate(t, "fan", 0.25, func(_ int, f *fan) { f.Spin, f.Angle = 3, math.Mod(f.Angle+3./60, 2*math.Pi) })
	type fuse struct {
		Left float64 `rpl:"step=1/60,predict=Rate"`
		Rate int8    `rpl:"min=-1,max=1"`
	}
	checkRate(t, "fuse", 0.01, func(_ int, f *fuse) {
		f.Rate = -1
		if f.Left -= 1. / 60; f.Left < 0 {
			f.Left = 10
		}
	})
}

// checkRate plays 20 nodes for ten seconds, and checks how many updates each of them
// takes in a tick.
func checkRate[T any](t *testing.T, name string, most float64, step func(tick int, c *T)) {
	t.Helper()
	const nodes, ticks = 20, 600
	s := rpl.NewSchema(name)
	item := s.Item(name, reflect.TypeFor[T](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{Delay: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Join(2); err != nil {
		t.Fatal(err)
	}
	var state [nodes]T
	var items [nodes]rpl.Item
	for i := range items {
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{item}})
		if err != nil {
			t.Fatal(err)
		}
		items[i], _ = net.A.Item(id, 0)
	}
	for tick := range ticks {
		net.Tick(func(rpl.Tick) {
			for i := range items {
				step(tick+7*i, &state[i])
				net.A.Set(items[i], unsafe.Pointer(&state[i]))
			}
		})
	}
	if got := float64(net.A.Counters().Records) / (nodes * ticks); got > most {
		t.Errorf("a %s takes %.3f updates a tick, more than %.2f", name, got, most)
	}
}
