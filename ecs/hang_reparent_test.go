package ecs_test

// Nodes that change their parent while both move.

import (
	"fmt"
	"math"
	"testing"

	"github.com/quasilyte/gmath"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A ride is a car that moves and turns, and a driver who gets in and out.
type ride struct {
	*lab
	server, client *machine
	car, driver    rpl.Node
	inside         bool
	at             gmath.Vec // the driver's last place on the server
}

func newRide(t *testing.T, c netsim.Conditions, seed uint64) *ride {
	t.Helper()
	l := newLab(t, c)
	l.seed += seed
	l.net = mem.NewNetwork(l.seed, c)
	l.listener = l.net.Listener()
	r := &ride{lab: l, server: l.server(tendon.Config{}), client: l.client(tendon.Config{})}
	l.joined()
	car, driver := r.server.Create(Transform), r.server.Create(Transform)
	r.car, r.driver = tendon.ID(car), tendon.ID(driver)
	Transform.Get(car).Pos = gmath.Vec{X: 1000, Y: 500}
	Transform.Get(driver).Pos = gmath.Vec{X: 1004, Y: 503}
	r.server.step = func() {
		if e, ok := r.server.Find(r.car); ok {
			c := Transform.Get(e)
			c.Pos.X += 0.5
			c.Rot = (c.Rot + 0.02).Normalized()
		}
		if e, ok := r.server.Find(r.driver); ok && !r.inside {
			Transform.Get(e).Pos.X += 0.5
		}
	}
	l.until("the client has both", func() bool { return r.client.has(r.car) && r.client.has(r.driver) })
	return r
}

func (r *ride) enter() {
	r.Helper()
	r.inside = true
	if err := tendon.Attach(r.server.find(r.driver), r.server.find(r.car)); err != nil {
		r.Fatal(err)
	}
	*Transform.Get(r.server.find(r.driver)) = components.TransformData{Pos: gmath.Vec{X: 2, Y: 1}, Rot: math.Pi}
}

func (r *ride) leave() {
	r.Helper()
	at := tendon.WorldTransform(r.server.find(r.driver))
	if err := tendon.Attach(r.server.find(r.driver), nil); err != nil {
		r.Fatal(err)
	}
	r.inside = false
	*Transform.Get(r.server.find(r.driver)) = at
}

// watch runs n steps. In each of them the client must have and draw the driver within some
// 30 units of its place on the server, whatever packets are still on their way.
func (r *ride) watch(what string, n int) {
	r.Helper()
	for i := range n {
		r.steps(1)
		r.client.Frame()
		if e, ok := r.server.Find(r.driver); ok {
			r.at = tendon.WorldTransform(e).Pos
		}
		for e := range Transform.Iter(r.client.World()) {
			if e.HasComponent(components.Hidden) {
				continue
			}
			if dist := tendon.WorldTransform(e).Pos.DistanceTo(r.at); dist > 30 {
				r.Fatalf("%s, step %d: %v is %v away", what, i, tendon.ID(e), dist)
			}
			if dist := tendon.WorldView(e).Pos.DistanceTo(r.at); dist > 30 {
				r.Fatalf("%s, step %d: %v is drawn %v away", what, i, tendon.ID(e), dist)
			}
		}
	}
}

// A driver that is attached to a moving car and detached again keeps its place all the
// time, for rules and as it is drawn: the parent and the place that is local to it arrive
// together under any loss, are drawn together, and end together.
func TestRidersKeepTheirPlace(t *testing.T) {
	play := func(t *testing.T, c netsim.Conditions, seed uint64, end func(r *ride)) {
		r := newRide(t, c, seed)
		r.watch("before", 30)
		for range 3 {
			r.enter()
			r.watch("inside", 40)
			r.leave()
			r.watch("outside", 40)
		}
		r.enter()
		r.watch("inside again", 40)
		end(r)
		r.watch("at the end", 90)
	}
	ends := map[string]func(r *ride){
		"both go": func(r *ride) {
			r.server.find(r.driver).Remove()
			r.server.find(r.car).Remove()
		},
		"the car goes first": func(r *ride) {
			r.server.find(r.car).Remove()
			r.server.find(r.driver).Remove()
		},
		"into a car that has just come": func(r *ride) {
			r.server.find(r.car).Remove()
			car := r.server.Create(Transform)
			r.car = tendon.ID(car)
			*Transform.Get(car) = components.TransformData{Pos: r.at, Rot: 1}
			r.enter()
		},
		"the driver survives": func(r *ride) {
			r.leave()
			r.inside = true // it stands still, so its state is not sent again
			r.server.find(r.car).Remove()
		},
	}
	for name, end := range ends {
		t.Run(name, func(t *testing.T) {
			play(t, lan, 0, end)
			for seed := range someRuns(uint64(8)) {
				t.Run(fmt.Sprint("lossy ", seed), func(t *testing.T) {
					play(t, netsim.Conditions{Delay: 40e6, Jitter: 20e6, Loss: 0.2, Duplicate: 0.05}, seed, end)
				})
			}
		})
	}
}

// The packet with a new car is lost, and later packets carry the driver that sits in it.
func TestRiderOfWhatIsLost(t *testing.T) {
	for lost := 1; lost <= 6; lost++ {
		t.Run(fmt.Sprint("for steps ", lost), func(t *testing.T) {
			r := newRide(t, lan, 0)
			r.watch("before", 60)
			r.server.find(r.car).Remove()
			r.watch("without a car", 60)
			car := r.server.Create(Transform)
			r.car = tendon.ID(car)
			*Transform.Get(car) = components.TransformData{Pos: r.at, Rot: 1}
			r.enter()
			r.net.SetConditions(netsim.Conditions{Delay: lan.Delay, Loss: 1})
			server := r.server.step
			r.server.step = func() {
				server()
				Transform.Get(r.server.find(r.driver)).Pos.X += 0.25 // it moves about in there
			}
			r.watch("while nothing arrives", lost)
			r.net.SetConditions(lan)
			r.watch("in the new car", 60)
			check(t, "the driver's car", tendon.ID(tendon.Parent(r.client.find(r.driver))), r.car)
		})
	}
}

// A rider that changes to another car and straight back is drawn in one of them or not at
// all, together with the bag it carries, and sits in the first car in the end. A client
// that saw the first car only because of its rider has streamed it out meanwhile and in
// again.
func TestRidersComeBack(t *testing.T) {
	play := func(t *testing.T, c netsim.Conditions, seed uint64, gap int, named bool) {
		l := newLab(t, c)
		l.seed += seed
		l.net = mem.NewNetwork(l.seed, c)
		l.listener = l.net.Listener()
		server, client := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}}), l.machine("client", tendon.Config{})
		if named {
			for _, m := range []*machine{server, client} {
				tendon.Named(m.World().Entry(m.World().Create(Transform)), "car")
			}
		}
		client.joins = true
		client.Join(l.net.Dialer(l.listener))
		l.joined()
		var cars [2]rpl.Node
		for i := range cars {
			e, ok := Transform.First(server.World())
			if !ok || i > 0 {
				e = server.Create(Transform)
			}
			Transform.Get(e).Pos = gmath.Vec{X: 1000 * float64(1+i), Y: 500}
			cars[i] = tendon.ID(e)
		}
		rider, bag := tendon.ID(server.Create(Transform)), tendon.ID(server.Create(Transform))
		for _, id := range []rpl.Node{rider, bag} {
			Transform.Get(server.find(id)).Pos = gmath.Vec{X: 2, Y: 1}
		}
		hang := func(id, under rpl.Node) {
			t.Helper()
			if err := tendon.Attach(server.find(id), server.find(under)); err != nil {
				t.Fatal(err)
			}
		}
		hang(bag, rider)
		hang(rider, cars[0])
		tendon.Give(server.find(rider), client.Me())
		steps := func(n int) {
			t.Helper()
			for range n {
				l.steps(1)
				client.Frame()
				for _, id := range []rpl.Node{rider, bag} {
					e, ok := client.Find(id)
					if !ok || e.HasComponent(components.Hidden) {
						continue
					}
					at := tendon.WorldView(e).Pos
					if at.DistanceTo(gmath.Vec{X: 1000, Y: 500}) > 30 && at.DistanceTo(gmath.Vec{X: 2000, Y: 500}) > 30 {
						t.Fatalf("gap %d: %v is drawn at %v", gap, id, at)
					}
				}
			}
		}
		steps(90)
		for range 3 {
			hang(rider, cars[1])
			steps(gap)
			hang(rider, cars[0])
			steps(gap)
		}
		steps(90)
		e := client.find(rider)
		up := tendon.Parent(e)
		if up == nil || tendon.ID(up) != cars[0] {
			t.Fatalf("gap %d: it is under %v", gap, up)
		}
		check(t, "what the component says", components.Parent.Get(e).Entity, up.Entity())
		for _, id := range []rpl.Node{rider, bag} {
			check(t, "it is hidden", client.find(id).HasComponent(components.Hidden), false)
		}
	}
	for name, named := range map[string]bool{"made in play": false, "of load time": true} {
		t.Run(name, func(t *testing.T) {
			for gap := 1; gap <= 12; gap++ {
				play(t, lan, 0, gap, named)
			}
			for seed := range someRuns(uint64(16)) {
				t.Run(fmt.Sprint("lossy ", seed), func(t *testing.T) {
					play(t, netsim.Conditions{Delay: 40e6, Jitter: 30e6, Loss: 0.15, Duplicate: 0.05}, seed, 1+int(seed), named)
				})
			}
		})
	}
}
