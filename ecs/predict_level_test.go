package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A rule of the session's node that a client predicts does not run on what the last level has left
// there: from the new level's OnWorld on it waits for the first state, and is right from that on.
func TestSessionRuleWaitsForTheLevel(t *testing.T) {
	const last = 500
	for _, delay := range []time.Duration{0, 20, 60, 120} {
		for _, building := range []int{0, 200} { // steps in which the client builds the level
			p := tendon.NewProtocol("rounds")
			match := tendon.Replicate(p, "match", donburi.NewComponentType[matchClock]())
			count := tendon.NewCommand[tendon.None](p, "count", match)
			loaded, early, fresh, woken, corrections := false, 0, 0, 0, 0
			ran := map[rpl.Tick]int{}
			var lab *tendontest.Lab
			var server *tendontest.Machine
			lab = tendontest.NewLab(t, tendontest.Game{
				Protocol: p,
				Setup: func(m *tendontest.Machine) {
					tendon.Predict(m.Session(), true)
					m.OnStart(func() {
						donburi.Add(m.Session(), match, &matchClock{Left: last})
						match.SetValue(m.Session(), matchClock{Left: last})
					})
					m.OnWorld(func(_ donburi.World, name string) {
						if loaded = loaded || m.Name != "server" && name != ""; loaded {
							for range building {
								lab.Net.Advance(time.Second / 60)
								server.Receive()
								count.Run(server.Replication)
								server.Send()
							}
						}
					})
					m.OnCorrection(func(tendon.Correction) { corrections++ })
					m.OnWake(match, func(tendon.Call) {
						if loaded {
							woken++
						}
					})
					count.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
						if match.Get(c.Entry).Left--; m.Name == "server" {
							return
						}
						if tendon.Wake(c.Entry, c.Tick+30); !loaded {
							return
						}
						if match.Get(c.Entry).Left < last-350 { // it was at some 90 before
							early++
						}
						if !c.Replay {
							fresh++
							ran[c.Tick]++
						}
					})
				},
				Step: func(m *tendontest.Machine) { count.Run(m.Replication) },
			}, netsim.Conditions{Delay: delay * time.Millisecond})
			server = lab.Host()
			client := lab.Join()
			lab.Steps(400)
			if corrections > 0 {
				t.Fatalf("%v ms: %d corrections before the level", int(delay), corrections)
			}
			server.Load("two")
			for !loaded {
				lab.Steps(1)
			}
			wait := 0
			for ; !tendon.Predicted(client.Session()); wait++ {
				if fresh+early+woken > 0 {
					t.Fatalf("%v ms: before the level's first state rules run", int(delay))
				}
				if client.PredictedTick() != client.Tick() {
					t.Fatalf("%v ms: it predicts nothing, and is at tick %d of %d", int(delay), client.PredictedTick(), client.Tick())
				}
				lab.Steps(1)
			}
			for i := range 60 {
				mine, theirs := match.Get(client.Session()).Left, match.Get(server.Session()).Left
				if ahead := int32(client.PredictedTick() - server.Tick()); theirs-mine != ahead {
					t.Errorf("%v ms, step %d: %d are left on the client, %d on the server, which is %d ticks behind", int(delay), i, mine, theirs, ahead)
				}
				lab.Steps(1)
			}
			for tick, n := range ran {
				if n > 1 {
					t.Errorf("%v ms: tick %d ran %d times", int(delay), tick, n)
				}
			}
			if early+corrections > 0 || fresh < 50 || fresh > 75 || wait == 0 && delay > 0 {
				t.Errorf("%v ms: %d runs on the old level's state, %d corrections, %d ticks, %d steps without the session's state", int(delay), early, corrections, fresh, wait)
			}
		}
	}
}
