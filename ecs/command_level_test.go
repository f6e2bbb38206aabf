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

// After a change of level a client's commands are as far ahead as before, whatever the line was like when it
// joined.
func TestLeadOverALevel(t *testing.T) {
	p := tendon.NewProtocol("lead")
	ant := tendon.Replicate(p, "ant", donburi.NewComponentType[passerData]())
	move := tendon.NewCommand[antKeys](p, "move", ant)
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			m.OnWorld(func(donburi.World, string) {})
			m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(ant), p) })
			move.Sample(m.Replication, func(*donburi.Entry) antKeys { return antKeys{} })
			move.Apply(m.Replication, func(tendon.Call, antKeys) {})
		},
		Step: func(m *tendontest.Machine) { move.Run(m.Replication) },
	}, netsim.Conditions{Delay: 300 * time.Millisecond})
	server, client := lab.Host(), lab.Join()
	lab.Steps(60)
	lab.Net.SetConditions(netsim.Conditions{Delay: 20 * time.Millisecond})
	lab.Steps(1200)
	ahead := func() int { return int(client.PredictedTick()) - int(server.Tick()) }
	was := ahead()
	server.Load("two")
	for i := range 200 {
		lab.Steps(1)
		if now := ahead(); now > was+2 {
			t.Fatalf("%d steps after Load commands are %d ticks ahead, before it %d", i, now, was)
		}
	}
}

// newRounds makes a lab with a clock on the session's node, which clients predict. built runs as a client
// builds a level; step makes a step of one machine.
func newRounds(t *testing.T, c netsim.Conditions, config tendon.Config, built func(m *tendontest.Machine, level string)) (lab *tendontest.Lab, match *donburi.ComponentType[matchClock], step func(*tendontest.Machine)) {
	p := tendon.NewProtocol("rounds")
	match = tendon.Replicate(p, "match", donburi.NewComponentType[matchClock]())
	count := tendon.NewCommand[tendon.None](p, "count", match)
	run := func(m *tendontest.Machine) { count.Run(m.Replication) }
	lab = tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Config: config,
		Setup: func(m *tendontest.Machine) {
			tendon.Predict(m.Session(), true)
			m.OnStart(func() {
				donburi.Add(m.Session(), match, &matchClock{Left: 5000})
				match.SetValue(m.Session(), matchClock{Left: 5000})
			})
			m.OnWorld(func(_ donburi.World, level string) {
				if !m.IsAuthority() {
					built(m, level)
				}
			})
			count.Apply(m.Replication, func(c tendon.Call, _ tendon.None) { match.Get(c.Entry).Left-- })
		},
		Step: run,
	}, c)
	return lab, match, func(m *tendontest.Machine) {
		m.Receive()
		run(m)
		m.Send()
	}
}

// Some steps after a change of level the server knows anew what a client predicts.
func TestServerKnowsWhatIsPredictedInALevel(t *testing.T) {
	for _, steps := range []int{20, 60, 120} {
		lab, _, _ := newRounds(t, netsim.Conditions{Delay: 30 * time.Millisecond}, tendon.Config{Steps: steps, Sends: 20}, func(*tendontest.Machine, string) {})
		server, client := lab.Host(), lab.Join()
		lab.Steps(400)
		check(t, "known", len(server.Predicting(client.Me())), 1)
		server.Load("two")
		lab.Steps(3)
		for _, want := range []bool{false, true} {
			for tendon.Predicted(client.Session()) != want {
				lab.Steps(1)
			}
		}
		lab.Steps(steps / 10)
		check(t, "known in the next level", len(server.Predicting(client.Me())), 1)
	}
}

// A server that gets quicker with a level has its clients run no tick that its state has already.
func TestServerThatGetsQuickerWithALevel(t *testing.T) {
	for _, building := range []int{0, 20, 40} {
		var lab *tendontest.Lab
		var server, client *tendontest.Machine
		var match *donburi.ComponentType[matchClock]
		var step func(*tendontest.Machine)
		lab, match, step = newRounds(t, netsim.Conditions{Delay: 20 * time.Millisecond}, tendon.Config{}, func(_ *tendontest.Machine, level string) {
			if level == "two" {
				for range building {
					lab.Net.Advance(time.Second / 60)
					step(server)
				}
			}
		})
		server, client = lab.Host(), lab.Join()
		lab.Steps(200)
		for i := range 600 {
			lab.Net.Advance(time.Second / 60)
			if i%2 == 0 {
				step(server)
			}
			step(client)
		}
		server.Load("two")
		lab.Steps(5)
		for !tendon.Predicted(client.Session()) {
			lab.Steps(1)
		}
		for range 60 {
			mine, theirs := match.Get(client.Session()).Left, match.Get(server.Session()).Left
			if ahead := int32(client.PredictedTick() - server.Tick()); theirs-mine != ahead {
				t.Fatalf("built in %d steps: %d ticks of the clock ahead, where %d are predicted", building, theirs-mine, ahead)
			}
			lab.Steps(1)
		}
	}
}
