package ecs_test

import (
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type verdict struct {
	Of     donburi.Entity   `rpl:""`
	Others []donburi.Entity `rpl:"max=4"`
}

// A call that waits until it is drawn refers to what is there by then: what has gone meanwhile is null, also in
// lists, what is still drawn is not, and what has come is told of.
func TestReferencesOfCallsWhenDrawn(t *testing.T) {
	p := tendon.NewProtocol("verdicts")
	body := tendon.Replicate(p, "body", donburi.NewComponentType[passerData]())
	judge := tendon.NewRPC[verdict](p, "judge", rpl.Broadcast, rpl.Reliable).WhenDrawn().On(body)
	var came []verdict
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			judge.Handle(m.Replication, func(_ tendon.Call, v verdict) {
				if m.Name == "server" {
					return
				}
				came = append(came, v)
				for _, e := range append(slices.Clone(v.Others), v.Of) {
					if e != donburi.Null && !m.World().Valid(e) {
						t.Errorf("the call refers to %v, which is no entity any more", e)
					}
				}
			})
		},
		Step: func(*tendontest.Machine) {},
	}, netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 50 * time.Millisecond})
	server, client := lab.Host(), lab.Join()
	lab.Steps(60)
	both := func(fn func(e *donburi.Entry, p rpl.Peer), of ...*donburi.Entry) {
		for _, e := range of {
			fn(e, client.Me())
		}
	}
	for _, c := range []struct {
		name         string
		before, then func(a, b *donburi.Entry)
		here         bool
	}{
		{"stays", nil, nil, true},
		{"goes, and is still drawn", nil, func(a, b *donburi.Entry) { a.Remove(); b.Remove() }, true},
		{"goes and comes again", nil, func(a, b *donburi.Entry) {
			lab.Steps(1)
			both(tendon.Hide, a, b)
			lab.Steps(1)
			both(tendon.Show, a, b)
		}, true},
		{"comes later", func(a, b *donburi.Entry) { both(tendon.Hide, a, b) }, func(a, b *donburi.Entry) {
			lab.Steps(2)
			both(tendon.Show, a, b)
		}, true},
		{"comes too late", func(a, b *donburi.Entry) { both(tendon.Hide, a, b) }, nil, false},
	} {
		at, a, b := server.Create(body), server.Create(body), server.Create(body)
		if c.before != nil {
			c.before(a, b)
		}
		lab.Steps(40)
		if err := judge.Send(at, verdict{a.Entity(), []donburi.Entity{b.Entity()}}); err != nil {
			t.Fatal(err)
		}
		if c.then != nil {
			c.then(a, b)
		}
		lab.Steps(40)
		if len(came) != 1 {
			t.Fatalf("%s: %d calls come", c.name, len(came))
		}
		check(t, c.name+": here", came[0].Of != donburi.Null, c.here)
		check(t, c.name+": here in the list", came[0].Others[0] != donburi.Null, c.here)
		came = nil
	}
}
