package ecs_test

// Load-time nodes that come back before their former life has been drawn to its end: they keep their entities, and
// nothing else.

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

// What hangs under another node goes out of sight with it, is drawn where it was as that ends before it, and is back
// soon after. It stays drawn from then on: that it once stood for want of a parent is not held against it.
func TestNamedIsBackBeforeItHasGone(t *testing.T) {
	p := tendon.NewProtocol("doors")
	place := tendon.Replicate(p, "transform", components.Transform)
	backs := map[string]func(client rpl.Peer, door, truck *donburi.Entry){
		"alone":    func(client rpl.Peer, door, _ *donburi.Entry) { tendon.Give(door, client) },
		"with it":  func(_ rpl.Peer, _, truck *donburi.Entry) { components.RplNode.Get(truck).Relevance = rpl.Always },
		"under it": func(client rpl.Peer, _, truck *donburi.Entry) { tendon.Give(truck, client) },
		"detached": func(client rpl.Peer, door, _ *donburi.Entry) { tendon.Detach(door); tendon.Give(door, client) },
	}
	for how, back := range backs {
		for _, c := range []netsim.Conditions{{Delay: 20 * time.Millisecond}, {Delay: 48 * time.Millisecond}} {
			for _, gap := range []int{3, 6, 9} { // steps
				named := func(w donburi.World, name string, x float64) {
					e := w.Entry(w.Create(place))
					place.Get(e).Pos.X = x
					tendon.Named(e, name)
				}
				lab := tendontest.NewLab(t, tendontest.Game{
					Protocol:  p,
					Configure: func(machine string, c *tendon.Config) { c.Dedicated = machine == "server" },
					Setup: func(m *tendontest.Machine) {
						m.OnWorld(func(w donburi.World, _ string) {
							named(w, "door", 1)
							named(w, "truck", 2)
						})
					},
					Step: func(*tendontest.Machine) {},
				}, c)
				server, client := lab.Host(), lab.Join()
				steps := func(n int) {
					for range n {
						lab.Steps(1)
						client.Frame()
					}
				}
				steps(60)
				at := map[float64]*donburi.Entry{}
				for e := range place.Iter(server.World()) {
					at[place.Get(e).Pos.X] = server.World().Entry(e.Entity())
				}
				door, truck := at[1], at[2]
				if err := tendon.Attach(door, truck); err != nil {
					t.Fatal(err)
				}
				steps(60)
				components.RplNode.Get(truck).Relevance = rpl.OwnerOnly
				steps(gap)
				back(client.Me(), door, truck)
				unseen := 0
				for range 180 {
					steps(1)
					if e, ok := client.Find(tendon.ID(door)); !ok || hidden(e) {
						unseen++
					}
				}
				if unseen > 30 {
					t.Errorf("%+v, back %s after %d steps: in the next 180 the door is not drawn in %d", c, how, gap, unseen)
				}
			}
		}
	}
}

// The next node of a name is told before the end of the one before. What that was predicted to be is no prediction of
// it: its player sees it where it is at once, and nothing was mended.
func TestNameThatIsTakenAnewWhilePredicted(t *testing.T) {
	p := tendon.NewProtocol("carts")
	place := tendon.Replicate(p, "transform", components.Transform)
	push := tendon.NewCommand[int8](p, "push", place)
	begin := func(m *tendontest.Machine, x float64) *donburi.Entry {
		e := m.World().Entry(m.World().Create(place))
		place.Get(e).Pos.X = x
		tendon.Named(e, "cart")
		return e
	}
	var cart, theirs *donburi.Entry
	corrections := 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Configure: func(machine string, c *tendon.Config) { c.Dedicated = machine == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnWorld(func(donburi.World, string) {
				if e := begin(m, 0); m.Name == "server" {
					cart = e
				} else {
					theirs = e
				}
			})
			m.OnJoin(func(p rpl.Peer) { tendon.Give(cart, p) })
			m.OnCorrection(func(tendon.Correction) { corrections++ })
			push.Sample(m.Replication, func(*donburi.Entry) int8 { return 0 })
			push.Apply(m.Replication, func(tendon.Call, int8) {})
		},
		Step: func(m *tendontest.Machine) { push.Run(m.Replication) },
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	_, client := lab.Host(), lab.Join()
	lab.Steps(90)
	check(t, "predicted", tendon.Predicted(theirs), true)
	cart.Remove()
	cart = begin(lab.Machines[0], 20)
	tendon.Give(cart, client.Me())
	for range 30 {
		lab.Steps(1)
		client.Frame()
		if at := tendon.WorldView(theirs).Pos; !hidden(theirs) && at != (gmath.Vec{}) && at != (gmath.Vec{X: 20}) {
			t.Errorf("it is drawn at %v", at)
		}
	}
	check(t, "drawn in the end", tendon.WorldView(theirs).Pos, gmath.Vec{X: 20})
	check(t, "predicted again", tendon.Predicted(theirs), true)
	check(t, "corrections", corrections, 0)
}
