package ecs_test

// What a correction, a respawn and a death look like on the screen of the player whose body it is.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A carrier is a player's body, which walks by one unit a tick, and a flag in its hands, on the server
// and on that player's machine.
type carrier struct {
	server, client *tendon.Replication
	steps          func(n int)
	shut           func(is bool) // the server lets nobody walk
	place          *donburi.ComponentType[components.TransformData]
	man            donburi.IComponentType
	body, flag     *donburi.Entry // on the server
}

func newCarrier(t *testing.T, line netsim.Conditions, speed float64) *carrier {
	p := tendon.NewProtocol("carriers")
	r := &carrier{place: tendon.Replicate(p, "place", components.Transform)}
	type manData struct {
		Stuck bool `rpl:""`
	}
	man := tendon.Replicate(p, "man", donburi.NewComponentType[manData]())
	r.man = man
	r.shut = func(is bool) { man.Get(r.body).Stuck = is }
	walk := tendon.NewCommand[int8](p, "walk", man)
	r.server, r.client, r.steps = pairOfKnights(t, p, walk, line, tendon.Config{}, func(c tendon.Call, by int8) {
		if !man.Get(c.Entry).Stuck {
			r.place.Get(c.Entry).Pos.X += speed * float64(by)
		}
	})
	r.server.OnJoin(func(q rpl.Peer) {
		r.body, r.flag = r.server.Create(man, r.place), r.server.Create(r.place)
		r.place.Get(r.flag).Pos.Y = -10
		if err := tendon.Attach(r.flag, r.body); err != nil {
			t.Fatal(err)
		}
		tendon.Give(r.body, q)
	})
	r.steps(150)
	if r.flag == nil {
		t.Fatal("nobody has joined")
	}
	r.body, r.flag = r.server.World().Entry(r.body.Entity()), r.server.World().Entry(r.flag.Entity())
	return r
}

// drawn returns where the client draws a node of the server.
func (r *carrier) drawn(e *donburi.Entry) (at gmath.Vec, ok bool) {
	r.client.Frame()
	mine, ok := r.client.Find(tendon.ID(e))
	if !ok || mine.HasComponent(components.Hidden) {
		return at, false
	}
	return tendon.WorldView(mine).Pos, true
}

// drop has the body let the flag fall where it is.
func (r *carrier) drop(t *testing.T) (at gmath.Vec) {
	there := tendon.WorldTransform(r.flag)
	if err := tendon.Attach(r.flag, nil); err != nil {
		t.Fatal(err)
	}
	*r.place.Get(r.flag) = there
	return there.Pos
}

// A player whom the server has just stopped, and whose machine learns of that a round trip later, is drawn
// back evenly, however far that is by then: what grows from tick to tick is no leap.
func TestCorrectionIsNoLeap(t *testing.T) {
	for _, delay := range []time.Duration{20, 50, 100} {
		for _, speed := range []float64{2, 3, 4} {
			r := newCarrier(t, netsim.Conditions{Delay: delay * time.Millisecond}, speed)
			last, _ := r.drawn(r.body)
			for step := range 90 {
				r.shut(step < 40)
				r.steps(1)
				at, ok := r.drawn(r.body)
				if !ok || at.DistanceTo(last) > 25 {
					t.Errorf("%v ms, %v a tick, step %d: the body is drawn at %v, a step ago at %v", int(delay), speed, step, at, last)
				}
				last = at
			}
		}
	}
}

// A flag that its carrier drops as it dies is drawn on it, and then where it fell, on the carrier's own
// screen, too: whether the body goes, or is kept and taken elsewhere.
func TestFlagOfWhoDies(t *testing.T) {
	for _, line := range []netsim.Conditions{{Delay: 40 * time.Millisecond}, {Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond}, {Delay: 40 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: .1}} {
		for _, respawns := range []bool{false, true} {
			for early := range 12 {
				r := newCarrier(t, line, 2)
				r.steps(early)
				fell := r.drop(t)
				if respawns {
					r.place.Get(r.body).Pos = gmath.Vec{X: -1000}
					tendon.Teleport(r.body)
				} else {
					tendon.Remove(r.body, 0)
				}
				for step := range 60 {
					r.steps(1)
					if at, ok := r.drawn(r.flag); ok && at.DistanceTo(fell) > 80 { // a round trip's way, and a lost packet's
						t.Errorf("%+v, respawns %v, step %d: the flag is drawn at %v, and it fell at %v", line, respawns, step, at, fell)
					}
				}
				if at, _ := r.drawn(r.flag); at.DistanceTo(fell) > .1 {
					t.Errorf("%+v, respawns %v: in the end the flag is drawn at %v, and it fell at %v", line, respawns, at, fell)
				}
			}
		}
	}
}

// What hangs on a body that its player predicts vanishes with it on that player's screen, though it is not
// predicted itself: without the body it would be drawn in the past, where the body has been.
func TestFlagGoesWithItsCarrier(t *testing.T) {
	for _, loss := range []float64{0, .05, .2} {
		for early := range 12 {
			r := newCarrier(t, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: loss}, 4)
			r.steps(early)
			body, _ := r.client.Find(tendon.ID(r.body))
			flag, _ := r.client.Find(tendon.ID(r.flag))
			if !tendon.Predicted(body) || tendon.Predicted(flag) {
				t.Fatal("the body is to be predicted, and the flag is not")
			}
			tendon.RemoveTree(r.body, tendon.Removed)
			is := func(e *donburi.Entry) bool { return e.Valid() && !e.HasComponent(components.Hidden) }
			for step := range 60 {
				r.steps(1)
				if r.client.Frame(); is(body) != is(flag) {
					t.Errorf("loss %v, %v steps later, step %d: the body is drawn: %v; the flag: %v", loss, early, step, is(body), is(flag))
				}
			}
		}
	}
}

// A body that its player predicts is another's from one step to the next, as one that is shot is a wreck: on
// that player's screen the one comes in the frame in which the other goes, if the player predicts it.
func TestWreckComesAsTheBodyGoes(t *testing.T) {
	for early := range 12 {
		r := newCarrier(t, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond}, 4)
		r.client.OnStreamIn(r.place, func(e *donburi.Entry) { tendon.Predict(e, true) })
		r.steps(early)
		at := *r.place.Get(r.body)
		tendon.RemoveTree(r.body, tendon.Removed)
		wreck := r.server.Create(r.place, r.man)
		r.place.SetValue(wreck, at)
		for step := range 60 {
			r.steps(1)
			r.client.Frame()
			drawn := 0
			for e := range r.place.Iter(r.client.World()) {
				if e.HasComponent(r.man) && !e.HasComponent(components.Hidden) {
					drawn++
				}
			}
			if drawn != 1 {
				t.Errorf("%v steps later, step %d: %d are drawn", early, step, drawn)
			}
		}
	}
}
