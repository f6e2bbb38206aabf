package ecs_test

// What a client sends: what the server does not have, and needs.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type boxData struct {
	N int `rpl:"once"`
}

// newUplink is a client with a body of its own that predicts boxes of nobody, as predicts says.
func newUplink(t *testing.T, boxes int, predicts func(i int) bool, rewinds bool, cond netsim.Conditions) (lab *tendontest.Lab, box *donburi.ComponentType[boxData]) {
	p := tendon.NewProtocol("uplink")
	ant := tendon.Replicate(p, "ant", donburi.NewComponentType[passerData]())
	box = tendon.Replicate(p, "box", donburi.NewComponentType[boxData]())
	move := tendon.NewCommand[antKeys](p, "move", ant)
	rest := tendon.NewCommand[tendon.None](p, "rest", box)
	return tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Configure: func(name string, c *tendon.Config) {
			if c.Dedicated = name == "server"; c.Dedicated && rewinds {
				c.Rewind = []donburi.IComponentType{ant}
			}
		},
		Setup: func(m *tendontest.Machine) {
			m.OnStart(func() {
				for i := range boxes {
					box.Get(m.Create(box)).N = i
				}
			})
			m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(ant), p) })
			m.OnStreamIn(box, func(e *donburi.Entry) { tendon.Predict(e, predicts(box.Get(e).N)) })
			move.Sample(m.Replication, func(*donburi.Entry) antKeys { return antKeys{} })
			move.Apply(m.Replication, func(tendon.Call, antKeys) {})
			rest.Apply(m.Replication, func(tendon.Call, tendon.None) {})
		},
		Step: func(m *tendontest.Machine) { move.Run(m.Replication); rest.Run(m.Replication) },
	}, cond), box
}

// A player who stands still sends hardly more than packets: its commands go on, what the server has is
// not repeated, and what was drawn is said only where shots are judged by it.
func TestUplinkOfWhoStandsStill(t *testing.T) {
	for _, c := range []struct {
		boxes   int
		rewinds bool
		most    uint64 // bytes a second, with headers
	}{{0, false, 3300}, {12, false, 3400}, {12, true, 4300}} {
		t.Run(fmt.Sprint(c.boxes, c.rewinds), func(t *testing.T) {
			lab, _ := newUplink(t, c.boxes, func(int) bool { return true }, c.rewinds, netsim.Conditions{Delay: 75 * time.Millisecond})
			server, client := lab.Host(), lab.Join()
			lab.Steps(300)
			before := client.Stats(rpl.Server).Conn.BytesOut
			lab.Steps(600)
			if up := (client.Stats(rpl.Server).Conn.BytesOut - before) / 10; up > c.most {
				t.Errorf("it sends %d bytes a second, not %d at most", up, c.most)
			}
			if s := server.CommandStats(); s.Missed+s.Late > 5 {
				t.Errorf("%+v", s)
			}
		})
	}
}

// Who has nothing to steer, and predicts what is around, says so once and now and again.
func TestUplinkOfWhoWatches(t *testing.T) {
	lab, box := newUplink(t, 40, func(int) bool { return true }, false, netsim.Conditions{Delay: 75 * time.Millisecond})
	server, client := lab.Host(), lab.Join()
	lab.Steps(300)
	for e := range donburi.NewQuery(filter.Contains(components.Owner)).Iter(server.World()) {
		if tendon.Owner(e) == client.Me() {
			e.Remove()
		}
	}
	lab.Steps(100)
	for e := range box.Iter(client.World()) {
		tendon.Predict(e, box.Get(e).N > 0)
	}
	lab.Steps(100)
	before := client.Stats(rpl.Server).Conn.BytesOut
	lab.Steps(600)
	if up := (client.Stats(rpl.Server).Conn.BytesOut - before) / 10; up > 400 {
		t.Errorf("it sends %d bytes a second", up)
	}
	check(t, "known", len(server.Predicting(client.Me())), 39)
}

// Whatever is lost, the server knows in the end which nodes of others a client predicts.
func TestServerKnowsWhatIsPredicted(t *testing.T) {
	t.Logf("seed %d", *seedFlag)
	rnd := rand.New(rand.NewPCG(*seedFlag, 35))
	const boxes = 9
	lab, box := newUplink(t, boxes, func(i int) bool { return i%2 == 0 }, false, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 60 * time.Millisecond, Loss: 0.3})
	server, client := lab.Host(), lab.Join()
	on := map[int]bool{}
	for i := range boxes {
		on[i] = i%2 == 0
	}
	for round := range 12 {
		lab.Steps(90 + rnd.IntN(60))
		var want []rpl.Node
		for e := range box.Iter(client.World()) {
			if on[box.Get(e).N] {
				want = append(want, tendon.ID(e))
			}
		}
		slices.Sort(want)
		if got := slices.Sorted(slices.Values(server.Predicting(client.Me()))); !slices.Equal(got, want) {
			t.Errorf("round %d: the server knows of %v, not of %v", round, got, want)
		}
		for range 1 + rnd.IntN(3) {
			for e := range box.Iter(client.World()) {
				if n := box.Get(e).N; rnd.IntN(2) == 0 {
					on[n] = !on[n]
					tendon.Predict(e, on[n])
				}
			}
			lab.Steps(rnd.IntN(4))
		}
	}
}

// Of more nodes of others than the server keeps in mind the client says so, and the first are named.
func TestPredictsMoreThanTheServerKeepsInMind(t *testing.T) {
	lab, _ := newUplink(t, 70, func(int) bool { return true }, false, netsim.Conditions{Delay: 40 * time.Millisecond})
	server, client := lab.Host(), lab.Join()
	lab.Steps(120)
	check(t, "known", len(server.Predicting(client.Me())), 64)
	check(t, "said", *client.Counter("predicted unnamed") > 0, true)
}
