package ecs_test

import (
	"fmt"
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

// A tree that goes is there as a whole until the last of it has gone: in its OnStreamOut, what hangs below
// another is where it was in the world, whether the tree is out of sight, its level or the session ends, or it
// is removed. OnParent tells of none of that.
func TestTreeGoesAsAWhole(t *testing.T) {
	for name, end := range map[string]func(server, client *machine, mast *donburi.Entry){
		"out of sight": func(_, client *machine, mast *donburi.Entry) { tendon.Hide(mast, client.Me()) },
		"removed":      func(_, _ *machine, mast *donburi.Entry) { tendon.RemoveTree(mast, tendon.Removed) },
		"level":        func(server, _ *machine, _ *donburi.Entry) { server.Load("next") },
		"left":         func(_, client *machine, _ *donburi.Entry) { client.Close("that was all") },
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, lan)
			server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
			l.joined()
			mast, arm, lamp := server.Create(Transform), server.Create(Transform), server.Create(Transform)
			for e, pos := range map[*donburi.Entry]gmath.Vec{mast: {X: 150}, arm: {Y: 10}, lamp: {Y: 5}} {
				components.Transform.Get(e).Pos = pos
			}
			for child, up := range map[*donburi.Entry]*donburi.Entry{arm: mast, lamp: arm} {
				if err := tendon.Attach(child, up); err != nil {
					t.Fatal(err)
				}
			}
			l.until("the tree is there", func() bool { return client.count(Transform) == 3 })
			l.steps(60)
			gone, moved := map[gmath.Vec]bool{}, 0
			client.OnStreamOut(Transform, func(e *donburi.Entry, _ bool) {
				at := tendon.WorldView(e).Pos
				if gone[at] = true; at != tendon.WorldTransform(e).Pos {
					t.Errorf("it is drawn at %v, and it is at %v", at, tendon.WorldTransform(e).Pos)
				}
			})
			client.OnParent(Transform, func(*donburi.Entry, donburi.Entity) { moved++ })
			end(server, client, mast)
			l.steps(60)
			for _, at := range []gmath.Vec{{X: 150}, {X: 150, Y: 10}, {X: 150, Y: 15}} {
				if !gone[at] {
					t.Errorf("nothing went at %v: %v", at, gone)
				}
			}
			check(t, "OnParent", moved, 0)
		})
	}
}

// A tree that is removed in one step vanishes in one frame: nothing floats without what it hung on.
func TestTreeVanishesInOneFrame(t *testing.T) {
	for _, loss := range []float64{0, 0.05, 0.2} {
		t.Run(fmt.Sprint("loss ", loss), func(t *testing.T) {
			l := newLab(t, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: loss})
			server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
			l.joined()
			ended := 0
			client.OnStreamOut(Transform, func(e *donburi.Entry, _ bool) { // the gun ends first
				if hangs := tendon.Parent(e) != nil; hangs != (ended%2 == 0) {
					t.Errorf("end %d: what ends hangs on something: %v", ended, hangs)
				}
				ended++
			})
			for life := range 20 {
				hull, gun := server.Create(Transform), server.Create(Transform)
				if err := tendon.Attach(gun, hull); err != nil {
					t.Fatal(err)
				}
				ids := [2]rpl.Node{tendon.ID(hull), tendon.ID(gun)}
				server.step = func() {
					if e, ok := server.Find(ids[0]); ok {
						Transform.Get(e).Pos.X += 5
					}
				}
				drawn := [2]*donburi.Entry{}
				l.until("both are drawn", func() bool {
					if client.has(ids[0]) && client.has(ids[1]) {
						drawn = [2]*donburi.Entry{client.find(ids[0]), client.find(ids[1])}
					}
					client.Frame()
					return drawn[0] != nil && !hidden(drawn[0]) && !hidden(drawn[1])
				})
				l.steps(life)
				tendon.RemoveTree(server.find(ids[0]), tendon.Removed)
				for range 40 {
					l.steps(1)
					client.Frame()
					if hull, gun := drawn[0].Valid() && !hidden(drawn[0]), drawn[1].Valid() && !hidden(drawn[1]); hull != gun {
						t.Errorf("tree %d: the hull is drawn: %v; what hangs on it: %v", life, hull, gun)
					} else if hull {
						up, down := tendon.Parent(drawn[1]), slices.Collect(tendon.Children(drawn[0]))
						if up == nil || up.Entity() != drawn[0].Entity() || len(down) != 1 || down[0].Entity() != drawn[1].Entity() {
							t.Errorf("tree %d: both are drawn; the gun's parent is %v, the hull's children %v", life, up, down)
						}
					}
				}
			}
		})
	}
}
