package ecs_test

// Several commands in one step.

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Where a client whose lead is too long was about to leave a tick out, and a press of a later command
// has it made after all, the rules of the earlier commands run in that tick, too: Tick says so.
func TestEarlierCommandsOfAPress(t *testing.T) {
	p := tendon.NewProtocol("two")
	hero := tendon.Replicate(p, "hero", donburi.NewComponentType[runnerData]())
	walk, act := tendon.NewCommand[runKeys](p, "walk", hero), tendon.NewCommand[runKeys](p, "act", hero)
	n := mem.NewNetwork(1, netsim.Conditions{Delay: 140 * time.Millisecond})
	l, ran, step := n.Listener(), 0, 0
	session := func() *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{})
		if err != nil {
			t.Fatal(err)
		}
		rule := func(c tendon.Call, _ runKeys) {
			if ran++; r.Tick() != c.Tick {
				t.Fatalf("step %d: the rule of tick %d runs in tick %d", step, c.Tick, r.Tick())
			}
		}
		walk.Apply(r, rule)
		act.Apply(r, rule)
		return r
	}
	server, client := session(), session()
	server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(hero), q) })
	walk.Sample(client, func(*donburi.Entry) (k runKeys) { return k })
	act.Sample(client, func(*donburi.Entry) (k runKeys) { k.Dir.X = float64(step / 2 % 2); return k })
	server.Host(l)
	client.Join(n.Dialer(l))
	for step = range 900 {
		if step == 300 {
			n.SetConditions(netsim.Conditions{Delay: 5 * time.Millisecond})
		}
		n.Advance(time.Second / 60)
		for _, r := range []*tendon.Replication{server, client} {
			r.Receive()
			walk.Run(r)
			act.Run(r)
			r.Send()
		}
	}
	if ran < 1000 {
		t.Errorf("%d rules have run: that shows nothing", ran)
	}
}
