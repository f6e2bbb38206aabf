package ecs_test

// What changes its parent without leaving its place is drawn without a leap.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/quasilyte/gmath"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

func TestHookedIsDrawnWithoutALeap(t *testing.T) {
	for loss, most := range map[float64]float64{0: 20, 0.05: 25, 0.1: 40} {
		t.Run(fmt.Sprint(loss*100, " % lost"), func(t *testing.T) {
			for seed := range someRuns(uint64(20)) {
				if far := hookedWay(t, netsim.Conditions{Delay: 50e6, Jitter: 10e6, Loss: loss}, seed); far > most {
					t.Errorf("seed %d: it is drawn %.0f units from one frame to the next, at most %.0f", seed+1, far, most)
				}
			}
		})
	}
}

// hookedWay plays a node that walks by itself for a while, then hangs on a hook that swings, and so on. It
// returns the longest way from one frame to the next that a client draws; in truth it is at most 18 units.
func hookedWay(t *testing.T, c netsim.Conditions, seed uint64) (most float64) {
	l := newLab(t, c)
	l.seed += seed
	l.net = mem.NewNetwork(l.seed, c)
	l.listener = l.net.Listener()
	rng := rand.New(rand.NewPCG(l.seed, 1))
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	hook, it := server.Create(Transform), server.Create(Transform)
	hookID, itID := tendon.ID(hook), tendon.ID(it)
	phase, hooked := 0.0, false
	server.step = func() {
		phase += 0.06
		h := Transform.Get(server.find(hookID))
		h.Pos, h.Rot = gmath.Vec{X: 600 + 200*math.Cos(phase), Y: 500 + 200*math.Sin(phase)}, gmath.Rad(phase*0.05).Normalized()
		e := server.find(itID)
		if !hooked {
			Transform.Get(e).Pos = Transform.Get(e).Pos.Add(gmath.Vec{X: 12 * math.Cos(phase), Y: 12 * math.Sin(phase)})
		}
		if rng.IntN(40) == 0 {
			if hooked = !hooked; hooked {
				if err := tendon.AttachInPlace(e, server.find(hookID)); err != nil {
					t.Fatal(err)
				}
			} else if err := tendon.Detach(e); err != nil {
				t.Fatal(err)
			}
		}
	}
	l.until("the client has both", func() bool { return client.has(hookID) && client.has(itID) })
	l.steps(60)
	var before gmath.Vec
	for i := range 600 {
		l.steps(1)
		client.Frame()
		now := tendon.WorldView(client.find(itID)).Pos
		if i > 0 {
			most = max(most, now.DistanceTo(before))
		}
		before = now
	}
	return most
}

// Two riders get out of a car in one step. The car is drawn going on evenly: what is asked about other
// times, to see whether they leap, is not taken for what was drawn.
func TestCarGoesOnAsRidersGetOut(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 50e6})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	var ids []rpl.Node // the car, and two riders
	for range 3 {
		ids = append(ids, tendon.ID(server.Create(Transform)))
	}
	server.step = func() { Transform.Get(server.find(ids[0])).Pos.X += 5 }
	for _, id := range ids[1:] {
		if err := tendon.Attach(server.find(id), server.find(ids[0])); err != nil {
			t.Fatal(err)
		}
	}
	l.until("the client has all", func() bool { return client.has(ids[0]) && client.has(ids[1]) && client.has(ids[2]) })
	l.steps(90)
	before := 0.0
	for i := range 60 {
		if i == 10 {
			for _, id := range ids[1:] {
				if err := tendon.Detach(server.find(id)); err != nil {
					t.Fatal(err)
				}
			}
		}
		l.steps(1)
		client.Frame()
		for _, id := range ids {
			tendon.WorldView(client.find(id))
		}
		now := tendon.WorldView(client.find(ids[0])).Pos.X
		if way := now - before; i > 0 && math.Abs(way-5) > 0.5 {
			t.Errorf("frame %d: the car is drawn %v on", i, way)
		}
		before = now
	}
}
