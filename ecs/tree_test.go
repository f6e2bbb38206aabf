package ecs_test

// Hierarchies: how they stream, change and move.

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// eye gives every peer that joins an observer.
func (m *machine) eye() {
	m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(Body, components.Observer), p) })
}

// tree makes a node with two children, each of which has two children, and returns all
// seven nodes, the root first.
func (m *machine) tree(at float64) (ids []rpl.Node) {
	m.lab.Helper()
	for i := range 7 {
		e := m.Create(Body, Paint)
		ids = append(ids, tendon.ID(e))
		if i == 0 {
			Body.Get(e).Pos.X = at
			continue
		}
		if err := tendon.Attach(e, m.find(ids[(i-1)/2])); err != nil {
			m.lab.Fatal(err)
		}
	}
	return ids
}

// A hierarchy streams in and out as a whole, by the place of its root. No node is ever
// without its parent, and without packet loss all nodes stream in the same step.
func TestTreesStreamWhole(t *testing.T) {
	for name, c := range map[string]netsim.Conditions{"lan": lan, "lossy": {Delay: 40e6, Jitter: 20e6, Loss: 0.2}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c)
			server, client := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}}), l.client(tendon.Config{})
			server.eye()
			l.joined()
			ids := server.tree(1000)
			held := func() (n int) {
				for i, id := range ids {
					e, ok := client.Find(id)
					if !ok {
						continue
					}
					n++
					if up := tendon.Parent(e); i == 0 && up != nil || i > 0 && (up == nil || tendon.ID(up) != ids[(i-1)/2]) {
						t.Fatalf("node %d is here without its parent", i)
					}
				}
				return n
			}
			for _, at := range []float64{50, 500, 0, -300, 80} {
				Body.Get(server.find(ids[0])).Pos.X = at
				want := 0
				if math.Abs(at) <= 100 {
					want = len(ids)
				}
				for i := 0; i < 300 && held() != want; i++ {
					before := held()
					l.steps(1)
					if name == "lan" && held() != before && held() != want {
						t.Fatalf("%d of %d nodes in one step", held(), len(ids))
					}
				}
				check(t, "nodes held", held(), want)
				l.steps(40)
				check(t, "nodes held later", held(), want)
			}
		})
	}
}

// Hierarchies may change at any time. A node that is attached to a hierarchy out of sight
// streams out; a node that is detached counts by its own place, with all nodes below it.
func TestTreesChange(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}}), l.client(tendon.Config{})
	server.eye()
	l.joined()
	near, far := server.tree(0), server.tree(5000)
	attach := func(child, parent rpl.Node) {
		t.Helper()
		var up *donburi.Entry
		if parent != 0 {
			up = server.find(parent)
		}
		if err := tendon.Attach(server.find(child), up); err != nil {
			t.Fatal(err)
		}
		l.steps(90)
	}
	l.steps(60)
	check(t, "a leaf of the near tree", client.has(near[3]), true)
	check(t, "a leaf of the far one", client.has(far[3]), false)

	attach(far[1], near[2])
	check(t, "with its leaf, it came near", client.has(far[1]) && client.has(far[3]) && client.has(far[4]), true)
	check(t, "its parent", tendon.ID(tendon.Parent(client.find(far[1]))), near[2])
	kids := 0
	for c := range tendon.Children(client.find(near[2])) {
		check(t, "a child's parent", tendon.ID(tendon.Parent(c)), near[2])
		kids++
	}
	check(t, "children", kids, 3)

	attach(near[1], far[0])
	check(t, "with its leaf, it went far", client.has(near[1]) || client.has(near[3]), false)

	Body.Get(server.find(near[1])).Pos.X = 30
	attach(near[1], 0)
	check(t, "off the tree, it is near", client.has(near[1]) && client.has(near[3]), true)
	check(t, "at the top", tendon.Parent(client.find(near[1])) == nil, true)
	Body.Get(server.find(far[1])).Pos.X = 700
	attach(far[1], 0)
	check(t, "off the tree, it is far", client.has(far[1]) || client.has(far[3]), false)
}

// After attaching, detaching and removing in any order, proxies have the authority's
// hierarchies.
func TestTreesAtRandom(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 30 * time.Millisecond, Jitter: 30 * time.Millisecond, Loss: 0.1, Duplicate: 0.05})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	dice := rand.New(rand.NewPCG(l.seed, 1))
	var ids []rpl.Node
	cycles := 0
	for range 400 {
		switch k := dice.IntN(10); {
		case k < 3 || len(ids) < 4:
			ids = append(ids, tendon.ID(server.Create(Paint)))
		case k < 4:
			i := dice.IntN(len(ids))
			server.find(ids[i]).Remove()
			ids = append(ids[:i], ids[i+1:]...)
		case k < 5:
			tendon.Attach(server.find(ids[dice.IntN(len(ids))]), nil)
		default:
			if tendon.Attach(server.find(ids[dice.IntN(len(ids))]), server.find(ids[dice.IntN(len(ids))])) != nil {
				cycles++
			}
		}
		if dice.IntN(3) == 0 {
			l.steps(1)
		}
	}
	equal := func() bool {
		for _, id := range ids {
			e, ok := client.Find(id)
			if !ok {
				return false
			}
			want, got := tendon.Parent(server.find(id)), tendon.Parent(e)
			if (want == nil) != (got == nil) || want != nil && tendon.ID(want) != tendon.ID(got) {
				return false
			}
		}
		return client.count(Paint) == len(ids)
	}
	l.until("the trees are equal", equal)
	if cycles == 0 {
		t.Error("no cycle was ever tried")
	}
}

// A node that is streaming out is nobody's parent any more, neither by Children nor by
// Parent.
func TestChildrenOfWhatGoes(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	ids := server.tree(0)
	l.steps(30)
	up := client.find(ids[1])
	check(t, "its children", len(slices.Collect(tendon.Children(up))), 2)
	server.find(ids[1]).Remove()
	l.until("it is on its way out", func() bool { return !client.has(ids[1]) })
	check(t, "it is drawn still", up.Valid(), true)
	check(t, "its children then", len(slices.Collect(tendon.Children(up))), 0)
	check(t, "what one hangs under", tendon.Parent(client.find(ids[3])) == nil, true)
}

// A child's Transform is local to its parent's, on the authority and on proxies, in steps
// and as it is drawn.
func TestWorldTransform(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	set := func(e *donburi.Entry, x, y float64, rot gmath.Rad) {
		Transform.SetValue(e, components.TransformData{Pos: gmath.Vec{X: x, Y: y}, Rot: rot})
	}
	car, seat, driver := server.Create(Transform), server.Create(Paint), server.Create(Transform)
	carID, driverID := tendon.ID(car), tendon.ID(driver)
	set(car, 10, 20, math.Pi/2)
	set(driver, 2, 1, math.Pi)
	if tendon.Attach(seat, car) != nil || tendon.Attach(driver, seat) != nil { // the seat has no transform
		t.Fatal("not attached")
	}
	near := func(what string, got components.TransformData, x, y, rot float64) {
		t.Helper()
		turn := math.Abs(math.Remainder(float64(got.Rot)-rot, 2*math.Pi))
		if math.Abs(got.Pos.X-x) > 0.05 || math.Abs(got.Pos.Y-y) > 0.05 || turn > 0.01 {
			t.Errorf("%s: %+v, not %v, %v, turned by %v", what, got, x, y, rot)
		}
	}
	l.steps(30)
	for _, m := range l.machines {
		near(m.name, tendon.WorldTransform(m.find(driverID)), 9, 22, 1.5*math.Pi)
		near(m.name+" draws", tendon.WorldView(m.find(driverID)), 9, 22, 1.5*math.Pi)
		near(m.name+"'s car", tendon.WorldTransform(m.find(carID)), 10, 20, math.Pi/2)
	}
	if err := tendon.Attach(server.find(driverID), nil); err != nil {
		t.Fatal(err)
	}
	l.steps(30)
	near("out of the car", tendon.WorldTransform(client.find(driverID)), 2, 1, math.Pi)
	if err := tendon.Attach(server.find(driverID), server.find(carID)); err != nil {
		t.Fatal(err)
	}
	l.steps(30)

	// While the car moves and turns, the driver is drawn in its seat.
	server.step = func() {
		c := Transform.Get(server.find(carID))
		c.Pos.X += 1.5
		c.Rot = (c.Rot + 0.05).Normalized()
	}
	l.steps(30)
	moved := tendon.WorldView(client.find(carID)).Pos.X
	for range 60 {
		l.steps(1)
		client.Frame()
		c, d := tendon.WorldView(client.find(carID)), tendon.WorldView(client.find(driverID))
		if dist := c.Pos.DistanceTo(d.Pos); math.Abs(dist-math.Sqrt(5)) > 0.05 {
			t.Fatalf("the driver is drawn %v from the car's middle", dist)
		}
	}
	if tendon.WorldView(client.find(carID)).Pos.X < moved+60 {
		t.Error("the car is not drawn moving")
	}
	plain := server.World().Entry(server.World().Create(Local))
	check(t, "a local entity's parent", tendon.Parent(plain) == nil, true)
	check(t, "where it is", tendon.WorldTransform(plain), components.TransformData{})
}

// A part's Transform is local to its node's.
func TestPartsRide(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	w := m.World()
	node, part := m.Create(Transform), w.Entry(w.Create(Transform))
	tendon.Part(node, part)
	Transform.SetValue(node, components.TransformData{Pos: gmath.Vec{X: 5}, Rot: math.Pi})
	Transform.SetValue(part, components.TransformData{Pos: gmath.Vec{X: 1}})
	l.steps(1)
	got := tendon.WorldTransform(part)
	if math.Abs(got.Pos.X-4) > 1e-9 || tendon.Parent(part).Entity() != node.Entity() {
		t.Errorf("the part is at %+v", got)
	}
	for range tendon.Children(node) {
		t.Error("a part is a child")
	}
}

// A loop over Children may move and remove what it has not reached yet: it leaves that out.
func TestChildrenChangedInTheLoop(t *testing.T) {
	l := newLab(t, lan)
	m := l.machine("alone", tendon.Config{})
	l.steps(1)
	top, other := m.Create(Paint), m.Create(Paint)
	var ids []rpl.Node
	for range 4 {
		c := m.Create(Paint)
		if err := tendon.Attach(c, top); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, tendon.ID(c))
	}
	var seen []rpl.Node
	for c := range tendon.Children(top) {
		if seen = append(seen, tendon.ID(c)); len(seen) == 1 {
			if err := tendon.Attach(m.find(ids[1]), other); err != nil {
				t.Fatal(err)
			}
			m.find(ids[2]).Remove()
		}
	}
	check(t, "children seen", fmt.Sprint(seen), fmt.Sprint([]rpl.Node{ids[0], ids[3]}))
	check(t, "children of the other", len(slices.Collect(tendon.Children(other))), 1)
}

// When what a node hangs under goes, the node is at the top, and components.Parent says so,
// on the authority at once.
func TestParentComponentOfWhatIsLeft(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	up, down := server.Create(Paint), server.Create(Body)
	id := tendon.ID(down)
	if err := tendon.Attach(down, up); err != nil {
		t.Fatal(err)
	}
	l.until("it is there", func() bool { return client.has(id) && tendon.Parent(client.find(id)) != nil })
	up.Remove()
	check(t, "on the server", components.Parent.Get(server.find(id)).Entity, donburi.Null)
	l.until("it is at the top", func() bool { return tendon.Parent(client.find(id)) == nil })
	l.steps(60)
	check(t, "on the client", components.Parent.Get(client.find(id)).Entity, donburi.Null)
}

// Children has one order on all machines: on the server, on who watched, and on who joined later.
func TestChildrenHaveOneOrder(t *testing.T) {
	l := newLab(t, lan)
	server, first := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	up := server.Create(Paint)
	id := func() rpl.Node { return tendon.ID(up) }
	var kids []*donburi.Entry
	for range 4 {
		k := server.Create(Paint)
		tendon.Attach(k, up)
		kids = append(kids, k)
	}
	l.steps(30)
	tendon.Attach(kids[0], nil)
	tendon.Attach(kids[0], up)
	l.steps(30)
	late := l.client(tendon.Config{})
	l.joined()
	l.steps(60)
	order := func(e *donburi.Entry) (ids []rpl.Node) {
		for c := range tendon.Children(e) {
			ids = append(ids, tendon.ID(c))
		}
		return ids
	}
	want := order(up)
	check(t, "children", len(want), 4)
	check(t, "who watched", fmt.Sprint(order(first.find(id()))), fmt.Sprint(want))
	check(t, "who joined later", fmt.Sprint(order(late.find(id()))), fmt.Sprint(want))
}

// What carries others goes: RemoveTree takes them along, for the same reason; Detach leaves them where they
// were, on every machine; Remove alone leaves them at the top, with the place that they had below it.
func TestWhatHangsBelowWhatGoes(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	carrier := func() (up, rider, hat *donburi.Entry) {
		up, rider, hat = server.Create(Transform), server.Create(Transform), server.Create(Transform)
		components.Transform.SetValue(up, components.TransformData{Pos: gmath.Vec{X: 100, Y: 50}, Rot: math.Pi / 2})
		components.Transform.SetValue(rider, components.TransformData{Pos: gmath.Vec{X: 10}})
		components.Transform.SetValue(hat, components.TransformData{Pos: gmath.Vec{X: 2}})
		for child, to := range map[*donburi.Entry]*donburi.Entry{rider: up, hat: rider} {
			if err := tendon.Attach(child, to); err != nil {
				t.Fatal(err)
			}
		}
		l.steps(30)
		return up, rider, hat
	}
	near := func(what string, id rpl.Node, want gmath.Vec) {
		t.Helper()
		if at := tendon.WorldView(client.find(id)).Pos; at.DistanceTo(want) > 0.1 {
			t.Errorf("%s is drawn at %v, not %v", what, at, want)
		}
	}
	const sunk tendon.Reason = 7
	why := map[tendon.Reason]int{}
	client.OnStreamOut(Transform, func(e *donburi.Entry, _ bool) { why[tendon.Why(e)]++ })

	up, rider, hat := carrier()
	ids := []rpl.Node{tendon.ID(rider), tendon.ID(hat)}
	near("the rider", ids[0], gmath.Vec{X: 100, Y: 60})
	if err := tendon.Detach(rider); err != nil {
		t.Fatal(err)
	}
	tendon.Remove(up, sunk)
	l.steps(30)
	near("the rider that was taken off", ids[0], gmath.Vec{X: 100, Y: 60})
	near("its hat", ids[1], gmath.Vec{X: 100, Y: 62})
	check(t, "gone", why[sunk], 1)

	up, _, _ = carrier()
	tendon.RemoveTree(up, sunk)
	l.steps(30)
	check(t, "gone with the second", why[sunk], 4)
	check(t, "left", client.count(Transform), 2)

	up, rider, _ = carrier()
	id := tendon.ID(rider)
	server.OnStreamOut(Transform, func(e *donburi.Entry, _ bool) { // as the guide does it
		if e.Entity() == up.Entity() {
			for r := range tendon.Children(e) {
				if err := tendon.Detach(r); err != nil {
					t.Error(err)
				}
			}
		}
	})
	tendon.Remove(up, sunk)
	l.steps(30)
	near("a rider whose mount has died", id, gmath.Vec{X: 100, Y: 60})

	if err := tendon.Detach(client.find(id)); !errors.Is(err, tendon.ErrNotAllowed) {
		t.Errorf("Detach on a client: %v", err)
	}
	tendon.RemoveTree(client.find(id), sunk)
	check(t, "removals on a client refused", *client.Counter("stale remove"), 1)
}
