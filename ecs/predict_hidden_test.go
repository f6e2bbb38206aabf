package ecs_test

// What a client predicts is drawn from when it is predicted, and not from when drawn time reaches it.

import (
	"math"
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

// bodies is a game of bodies that walk to the right, each with a blade below it that nobody
// predicts.
type bodies struct {
	*tendontest.Lab
	body, blade    *donburi.ComponentType[passerData]
	server, client *tendontest.Machine
}

const bodySpeed = 3.0

func newBodies(t *testing.T, delay time.Duration, predicted bool, setup func(x *bodies, m *tendontest.Machine)) *bodies {
	t.Helper()
	p := tendon.NewProtocol("bodies")
	x := &bodies{
		body:  tendon.Replicate(p, "body", donburi.NewComponentType[passerData]()),
		blade: tendon.Replicate(p, "blade", donburi.NewComponentType[passerData]()),
	}
	walk := tendon.NewCommand[runKeys](p, "walk", x.body)
	if !predicted {
		walk.Unpredicted()
	}
	x.Lab = tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			if setup != nil {
				setup(x, m)
			}
			walk.Sample(m.Replication, func(*donburi.Entry) runKeys { return runKeys{Dir: gmath.Vec{X: 1}} })
			walk.Apply(m.Replication, func(c tendon.Call, k runKeys) { x.body.Get(c.Entry).Pos.X += bodySpeed * k.Dir.X })
		},
		Step: func(m *tendontest.Machine) { walk.Run(m.Replication) },
	}, netsim.Conditions{Delay: delay})
	x.server, x.client = x.Host(), x.Join()
	return x
}

// spawn makes a body on the server, with a blade.
func (x *bodies) spawn(t *testing.T, owner rpl.Peer) (body, blade *donburi.Entry) {
	t.Helper()
	body, blade = x.server.Create(x.body), x.server.Create(x.blade)
	if err := tendon.Attach(blade, body); err != nil {
		t.Fatal(err)
	}
	if owner != 0 {
		tendon.Give(body, owner)
	}
	return body, blade
}

// steps takes steps until the client has the node, or so many have been.
func (x *bodies) until(t *testing.T, id rpl.Node) *donburi.Entry {
	t.Helper()
	for range 60 {
		if e, ok := x.client.Find(id); ok {
			return e
		}
		x.Steps(1)
	}
	t.Fatal("it has not come")
	return nil
}

// A body of the player's own that is made anew is drawn in the frame in which it can be steered, on
// an even way from there on, with what hangs below it.
func TestOwnBodyIsDrawnFromItsArrival(t *testing.T) {
	for _, delay := range []time.Duration{0, 20, 60, 120} {
		x := newBodies(t, delay*time.Millisecond, true, nil)
		first, _ := x.spawn(t, x.client.Me())
		x.Steps(300) // how far ahead commands are to be is known by then
		first.Remove()
		for life := range 5 {
			body, blade := x.spawn(t, x.client.Me())
			id, bladeID := tendon.ID(body), tendon.ID(blade)
			x.until(t, id)
			last := 0.0
			for i := range 30 + life {
				x.client.Frame()
				e, ok := x.client.Find(id)
				part, has := x.client.Find(bladeID)
				if !ok || !has || !tendon.Predicted(e) {
					t.Fatalf("%v ms, step %d: body %v, blade %v, or not predicted", int(delay), i, ok, has)
				}
				if e.HasComponent(components.Hidden) || part.HasComponent(components.Hidden) {
					t.Fatalf("%v ms, step %d of its life here: it is hidden: %v, its blade: %v", int(delay), i, e.HasComponent(components.Hidden), part.HasComponent(components.Hidden))
				}
				at := tendon.View(e, x.body).Pos.X
				if d := at - last; i > 0 && math.Abs(d-bodySpeed) > 0.5 {
					t.Errorf("%v ms, step %d of its life here: it is drawn %v further", int(delay), i, d)
				}
				last = at
				x.Steps(1)
			}
			body.Remove()
			x.Steps(7)
		}
	}
}

// The player's first body, too: from the first step in which it is predicted, at the tick of this
// machine, and not a lead behind that until the next state comes.
func TestOwnBodyIsDrawnAfterTheJoin(t *testing.T) {
	for _, delay := range []time.Duration{0, 20, 60, 120} {
		var x *bodies
		truth, drawn := map[rpl.Tick]float64{}, map[rpl.Tick]float64{}
		x = newBodies(t, delay*time.Millisecond, true, func(x *bodies, m *tendontest.Machine) {
			m.OnJoin(func(p rpl.Peer) {
				if p != rpl.Server {
					tendon.Give(m.Create(x.body), p)
				}
			})
			m.After(tendon.Extract, "where it is", func(r *tendon.Replication) {
				if e, ok := x.body.First(m.World()); ok && m.IsAuthority() {
					truth[m.Tick()] = x.body.Get(e).Pos.X
				} else if ok && tendon.Predicted(e) {
					if e.HasComponent(components.Hidden) {
						t.Errorf("%v ms: at tick %d it is hidden", int(delay), m.PredictedTick())
					}
					drawn[m.PredictedTick()] = x.body.Get(e).Pos.X
				}
			})
		})
		x.Steps(60)
		if len(drawn) < 30 {
			t.Errorf("%v ms: it was predicted in %d steps", int(delay), len(drawn))
		}
		for tick, at := range drawn {
			if is, ok := truth[tick]; ok && math.Abs(is-at) > 3*bodySpeed { // its first commands may come late
				t.Errorf("%v ms: at tick %d it was at %v, on the server at %v", int(delay), tick, at, is)
			}
		}
	}
}

// An own body that waits for the server is drawn when drawn time reaches it, as all that comes.
func TestOwnBodyThatWaitsIsDrawnByDrawnTime(t *testing.T) {
	x := newBodies(t, 20*time.Millisecond, false, nil)
	x.Steps(60)
	body, _ := x.spawn(t, x.client.Me())
	made := float64(x.server.Tick())
	e := x.until(t, tendon.ID(body))
	waited := 0
	for ; e.HasComponent(components.Hidden); waited++ {
		x.Steps(1)
		x.client.Frame()
	}
	if waited == 0 || x.client.ViewTick() < made {
		t.Errorf("it is drawn after %d steps, at tick %v of %v", waited, x.client.ViewTick(), made)
	}
}

// What becomes predicted while it waits to be drawn is drawn from then on.
func TestPredictedWhileHidden(t *testing.T) {
	for _, how := range []string{"predict", "give"} {
		x := newBodies(t, 20*time.Millisecond, true, nil)
		x.Steps(60)
		body, blade := x.spawn(t, 0)
		e := x.until(t, tendon.ID(body))
		if !e.HasComponent(components.Hidden) {
			t.Fatalf("%s: of others it is drawn at once", how)
		}
		switch how {
		case "predict":
			tendon.Predict(e, true)
		case "give":
			tendon.Give(body, x.client.Me())
		}
		for !tendon.Predicted(e) {
			x.Steps(1)
		}
		part, ok := x.client.Find(tendon.ID(blade))
		if e.HasComponent(components.Hidden) || !ok || part.HasComponent(components.Hidden) {
			t.Errorf("%s: what is predicted is hidden, or its blade", how)
		}
	}
}
