package ecs_test

// Where players look from, whatever becomes of their observers.

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A watched world is dots on a plane, and observers to which everything happens that may.
type watched struct {
	*lab
	server  *machine
	clients []*machine
	rng     *rand.Rand
	dots    map[rpl.Node]gmath.Vec
	eyes    []donburi.Entity // what has, or has had, an Observer
	hulls   []donburi.Entity
}

const (
	watchedSide  = 800.0
	watchedRange = 100.0
)

func newWatched(t *testing.T) *watched {
	w := &watched{lab: newLab(t, lan), dots: map[rpl.Node]gmath.Vec{}}
	w.rng = rand.New(rand.NewPCG(w.seed, 36))
	w.server = w.lab.server(tendon.Config{Interest: rpl.Grid{Enter: watchedRange, Exit: watchedRange + 1}, Dedicated: true})
	for x := 0.0; x < watchedSide; x += 40 {
		for y := 0.0; y < watchedSide; y += 40 {
			e := w.server.Create(Body, Paint)
			Body.Get(e).Pos = gmath.Vec{X: x, Y: y}
			w.dots[tendon.ID(e)] = Body.Get(e).Pos
		}
	}
	for range 3 {
		e := w.server.Create(components.Transform)
		*components.Transform.Get(e) = components.TransformData{Pos: w.anywhere(), Rot: gmath.Rad(w.rng.Float64())}
		w.hulls = append(w.hulls, e.Entity())
	}
	for range 3 {
		w.clients = append(w.clients, w.client(tendon.Config{}))
	}
	w.joined()
	for range 6 {
		w.newEye()
	}
	return w
}

func (w *watched) anywhere() gmath.Vec {
	return gmath.Vec{X: w.rng.Float64() * watchedSide, Y: w.rng.Float64() * watchedSide}
}

func (w *watched) entry(e donburi.Entity) *donburi.Entry { return w.server.World().Entry(e) }

// place returns where an entity says that it is, nil if it says nothing.
func (w *watched) place(e *donburi.Entry) *gmath.Vec {
	switch {
	case e.HasComponent(Body):
		return &Body.Get(e).Pos
	case e.HasComponent(components.Transform):
		return &components.Transform.Get(e).Pos
	}
	return nil
}

func (w *watched) newEye() {
	cs := []donburi.IComponentType{components.Observer}
	switch w.rng.IntN(4) {
	case 0:
		cs = append(cs, components.Transform)
	case 1, 2:
		cs = append(cs, Body)
	case 3:
		cs = append(cs, Ammo)
	}
	e := w.server.Create(cs...)
	if at := w.place(e); at != nil {
		*at = w.anywhere()
	}
	w.eyes = append(w.eyes, e.Entity())
	w.give(e)
}

func (w *watched) give(e *donburi.Entry) {
	to := rpl.Peer(0)
	if i := w.rng.IntN(4); i < len(w.clients) {
		to = w.clients[i].Me()
	}
	tendon.Give(e, to)
}

// happen does one thing to an observer, and returns what.
func (w *watched) happen() string {
	i := w.rng.IntN(len(w.eyes))
	e := w.entry(w.eyes[i])
	has := func(c donburi.IComponentType) bool { return e.HasComponent(c) }
	switch w.rng.IntN(11) {
	case 0, 1, 2:
		if at := w.place(e); at != nil {
			*at = w.anywhere()
		}
		return "moved"
	case 3:
		w.give(e)
		return "given"
	case 4:
		if err := tendon.Attach(e, w.entry(w.hulls[w.rng.IntN(len(w.hulls))])); err != nil {
			w.Fatal(err)
		}
		return "attached"
	case 5:
		if err := tendon.Detach(e); err != nil {
			w.Fatal(err)
		}
		return "detached"
	case 6:
		if has(components.Observer) {
			e.RemoveComponent(components.Observer)
		} else {
			e.AddComponent(components.Observer)
		}
		return "blinded, or not any more"
	case 7: // another component, or none, says where it is
		switch {
		case has(Body):
			e.RemoveComponent(Body)
		case has(components.Transform):
			e.AddComponent(Body)
			e.RemoveComponent(components.Transform)
		default:
			e.AddComponent(components.Transform)
		}
		if at := w.place(e); at != nil {
			*at = w.anywhere()
		}
		return "placed by another component"
	case 8:
		if has(components.Observer) {
			*components.Observer.Get(e) = components.ObserverData{Offset: gmath.Vec{X: w.rng.Float64() * 100}, Scale: float64(w.rng.IntN(3))}
		}
		return "given another offset and scale"
	case 9:
		tendon.Remove(e, tendon.Removed)
		w.eyes[i] = w.eyes[len(w.eyes)-1]
		w.eyes = w.eyes[:len(w.eyes)-1]
		w.newEye()
		return "removed for another"
	default:
		h := components.Transform.Get(w.entry(w.hulls[w.rng.IntN(len(w.hulls))]))
		h.Pos, h.Rot = w.anywhere(), gmath.Rad(w.rng.Float64()*6)
		return "carried, if it hangs below a hull"
	}
}

// looks returns from where an entity with an Observer sees, by the rules of components.Observer.
func (w *watched) looks(e *donburi.Entry) (at gmath.Vec, ok bool) {
	own := w.place(e)
	if up := components.Parent.Get(e).Entity; up != donburi.Null && w.server.World().Valid(up) {
		hull := components.Transform.Get(w.entry(up))
		if at = hull.Pos; own != nil && !e.HasComponent(Body) {
			at = at.Add(own.Rotated(hull.Rot))
		}
		return at, true
	}
	if own == nil {
		return at, false
	}
	return *own, true
}

// verify compares what the clients have with what their observers see.
func (w *watched) verify(after string) {
	w.Helper()
	for _, c := range w.clients {
		wrong := 0
		for id, at := range w.dots {
			least := math.Inf(1) // how far it is by the nearest observer's own measure
			for _, ent := range w.eyes {
				e := w.entry(ent)
				if !e.HasComponent(components.Observer) || components.Owner.Get(e).Peer != c.Me() {
					continue
				}
				if from, ok := w.looks(e); ok {
					o := components.Observer.Get(e)
					scale := o.Scale
					if scale == 0 {
						scale = 1
					}
					least = min(least, from.Add(o.Offset).DistanceTo(at)/scale)
				}
			}
			if sees := least <= watchedRange; c.has(id) != sees && math.Abs(least-watchedRange) > 2 {
				wrong++
			}
		}
		if wrong > 0 {
			w.Fatalf("%s, after it was %s: %d dots are there that it does not see, or missing", c.name, after, wrong)
		}
	}
}

// Players have what their observers see, whatever becomes of these: they move, are given away, hang
// below others, come and go, and other components say where they are. Some of it happens in one step.
func TestObserversWhateverBecomesOfThem(t *testing.T) {
	w := newWatched(t)
	w.steps(60)
	w.verify("made")
	for range 60 {
		what := ""
		for range 1 + w.rng.IntN(3) {
			what = fmt.Sprintf("%s %s,", what, w.happen())
		}
		w.steps(70)
		w.verify(what)
	}
}

// Who was lost and is back sees from the observer that has stood there all the while.
func TestObserversOfWhoIsLost(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}, Dedicated: true})
	server.OnJoin(func(p rpl.Peer) {
		e := server.Create(Body, components.Observer)
		Body.Get(e).Pos.X = 1000
		tendon.Give(e, p)
	})
	ann := l.player(tendon.Config{})
	l.joined()
	server.tellPeers()
	dot := server.Create(Body, Paint)
	Body.Get(dot).Pos.X = 1000
	me := ann.Me()
	l.steps(60)
	check(t, "seen at first", ann.count(Paint), 1)
	ann.cut()
	l.outlives(server, "lost")
	ann.mend()
	l.until("ann is back", func() bool { return ann.Me() == me })
	l.steps(90)
	check(t, "seen once back", ann.count(Paint), 1)
}

// Where a part has come to say where the node is, between two sends, the node looks from there.
func TestObserverWhosePartSaysWhereItIs(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}, Dedicated: true, Sends: 20})
	client := l.client(tendon.Config{Sends: 20})
	l.joined()
	for i := range 3 { // one of these is between two sends
		far := 1000 * float64(i+1)
		dot := server.Create(Body, Paint)
		Body.Get(dot).Pos.X = far
		hull := server.Create(Body, components.Observer)
		turret := server.World().Entry(server.World().Create(components.Transform))
		components.Transform.Get(turret).Pos.X = far
		tendon.Part(hull, turret)
		tendon.Give(hull, client.Me())
		l.steps(60 + i)
		check(t, "seen from the hull", client.has(tendon.ID(dot)), false)
		hull.RemoveComponent(Body)
		l.steps(1)
		hull.AddComponent(Body)
		l.steps(60)
		check(t, "seen from the turret", client.has(tendon.ID(dot)), true)
	}
}
