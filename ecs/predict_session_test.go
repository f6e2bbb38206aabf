package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type matchClock struct {
	Left int32 `rpl:""`
}

// A rule on the session's node runs ahead on a client that has asked for it once, before any
// session: in the first, after a Load and in the next session.
func TestRuleOnTheSessionsNode(t *testing.T) {
	p := tendon.NewProtocol("rule on the session's node")
	match := tendon.Replicate(p, "match", donburi.NewComponentType[matchClock]())
	count := tendon.NewCommand[tendon.None](p, "count", match)
	ran := map[string]int{}
	corrections := 0 // one is of the level, before which the server's clock stands
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p,
		Setup: func(m *tendontest.Machine) {
			tendon.Predict(m.Session(), true)
			m.OnStart(func() {
				if !m.Session().HasComponent(match) {
					donburi.Add(m.Session(), match, &matchClock{Left: 1000})
				}
			})
			m.OnCorrection(func(tendon.Correction) { corrections++ })
			count.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				if match.Get(c.Entry).Left--; !c.Replay {
					ran[m.Name]++
				}
			})
		},
		Step: func(m *tendontest.Machine) { count.Run(m.Replication) },
	}, netsim.Conditions{Delay: 40 * time.Millisecond})
	server := lab.Host()
	client := lab.Join()
	lab.Steps(240)
	for i, then := range []func(){func() { server.Load("next") }, func() { client.Close(""); client.Join(client.Dialer) }, func() {}} {
		if got := ran[client.Name]; got < 200 || corrections > 1 || !tendon.Predicted(client.Session()) {
			t.Errorf("part %d: it ran %d times on the client, with %d corrections, predicted %v", i, got, corrections, tendon.Predicted(client.Session()))
		}
		if ours, theirs := match.Get(client.Session()).Left, match.Get(server.Session()).Left; ours >= theirs || ours < theirs-20 {
			t.Errorf("part %d: %d are left on the client, %d on the server", i, ours, theirs)
		}
		clear(ran)
		then()
		lab.Steps(240)
	}
}
