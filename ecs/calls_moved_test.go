package ecs_test

// Which peers a call reaches on what has changed its place or its parent in the same step.

import (
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// stable is a game of nodes at places, on which a noise can be called.
type stable struct {
	protocol *tendon.Protocol
	place    *donburi.ComponentType[components.TransformData]
	thing    *tendon.Prefab[tendon.None]
	noise    *tendon.RPC[tendon.None]
}

func newStable() *stable {
	p := tendon.NewProtocol("stable")
	r := &stable{protocol: p, place: tendon.Replicate(p, "place", components.Transform)}
	r.thing = tendon.NewPrefab(p, "thing", func(w donburi.World, _ tendon.None) *donburi.Entry {
		return w.Entry(w.Create(components.RplNode, r.place))
	})
	r.noise = tendon.NewRPC[tendon.None](p, "noise", rpl.Broadcast, rpl.Reliable)
	return r
}

// at makes a thing at a place.
func (r *stable) at(w donburi.World, x, y float64) *donburi.Entry {
	e := r.thing.Spawn(w, tendon.None{})
	r.place.Get(e).Pos = gmath.Vec{X: x, Y: y}
	return e
}

// A stableScene is a rider and a horse.
type stableScene struct {
	*stable
	horse, rider *donburi.Entry
	later        *func() // after the call
}

// mount puts the rider onto the horse.
func (s stableScene) mount() {
	if err := tendon.Attach(s.rider, s.horse); err != nil {
		panic(err)
	}
	s.place.Get(s.rider).Pos = gmath.Vec{}
}

// A call in the step in which something gets on or off, or is brought near, reaches who sees it there,
// and nobody else; and who sees it before and after keeps it.
func TestCallWhereAParentChanges(t *testing.T) {
	must := func(err error) {
		if err != nil {
			t.Fatal(err)
		}
	}
	home := gmath.Vec{X: 3000, Y: 3000}
	for _, c := range []struct {
		name   string
		before func(s stableScene) // before anybody joins; the rider is beside the horse
		act    func(s stableScene)
		comes  bool // the rider is out of the first client's sight before
	}{
		{"detach", stableScene.mount, func(s stableScene) { must(tendon.Detach(s.rider)) }, false},
		{"detach, and the horse goes", stableScene.mount, func(s stableScene) { must(tendon.Detach(s.rider)); s.horse.Remove() }, false},
		{"detach with an extent", stableScene.mount, func(s stableScene) {
			donburi.Add(s.rider, components.Extent, &components.ExtentData{Radius: 200})
			must(tendon.Detach(s.rider))
		}, false},
		{"mount a horse brought near", func(s stableScene) { s.place.Get(s.horse).Pos = gmath.Vec{X: 9000, Y: 9000} }, func(s stableScene) {
			s.place.Get(s.horse).Pos = home
			tendon.Teleport(s.horse)
			s.mount()
		}, false},
		{"mount a horse made now", func(stableScene) {}, func(s stableScene) {
			s.horse = s.at(s.rider.World, home.X, home.Y)
			s.mount()
		}, false},
		{"attach to nothing, and the place in the end", stableScene.mount, func(s stableScene) {
			must(tendon.Attach(s.rider, nil))
			*s.later = func() { s.place.Get(s.rider).Pos = home }
		}, false},
		{"dropped from a bag", func(s stableScene) {
			components.RplNode.Get(s.horse).Relevance = rpl.OwnerOnly
			s.mount()
		}, func(s stableScene) {
			must(tendon.Attach(s.rider, nil))
			s.place.Get(s.rider).Pos = home
		}, true},
	} {
		for _, placed := range []bool{true, false} { // the game says the place before the call, or after
			name := c.name
			if !placed {
				if c.comes {
					continue // nobody can know who will see it
				}
				name += ", the call first"
			}
			t.Run(name, func(t *testing.T) {
				s := stableScene{stable: newStable(), later: new(func())}
				heard, joined, began := map[string]int{}, 0, false
				g := tendontest.Game{
					Protocol: s.protocol,
					Configure: func(name string, c *tendon.Config) {
						if name == "server" {
							c.Dedicated, c.Interest = true, rpl.Grid{Enter: 500, Exit: 550}
						}
					},
					Setup: func(m *tendontest.Machine) {
						s.noise.Handle(m.Replication, func(tendon.Call, tendon.None) { heard[m.Name]++ })
						if m.Name != "server" {
							m.OnStreamOut(s.place, func(e *donburi.Entry, destroyed bool) {
								if began && !destroyed {
									t.Errorf("%s: %v goes out of sight: %d", m.Name, tendon.ID(e), tendon.Why(e))
								}
							})
							return
						}
						m.OnJoin(func(p rpl.Peer) { // the second stands where the places relative to a parent would be
							at := []gmath.Vec{home.Add(gmath.Vec{X: 100}), {X: 50}}[joined]
							e := s.at(m.World(), at.X, at.Y)
							donburi.Add(e, components.Observer, &components.ObserverData{})
							tendon.Give(e, p)
							joined++
						})
					},
					Step: func(*tendontest.Machine) {},
				}
				lab := tendontest.NewLab(t, g, netsim.Conditions{Delay: 25e6})
				w := lab.Host().World()
				s.horse, s.rider = s.at(w, home.X, home.Y), s.at(w, home.X, home.Y)
				c.before(s)
				lab.Steps(10)
				lab.Join()
				lab.Join()
				lab.Steps(100)
				began = true
				if placed {
					c.act(s)
				}
				must(s.noise.Send(s.rider, tendon.None{}))
				if !placed {
					c.act(s)
				}
				if *s.later != nil {
					(*s.later)()
				}
				lab.Steps(100)
				if heard["client 1"] != 1 || heard["client 2"] != 0 {
					t.Errorf("heard by %v", heard)
				}
			})
		}
	}
}
