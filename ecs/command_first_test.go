package ecs_test

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Who joins with a key held is not corrected: the first commands are made far enough ahead, although
// no round trip has been measured yet.
func TestFirstCommandsAreInTime(t *testing.T) {
	for _, delay := range []time.Duration{0, 5, 20, 50, 100, 200} {
		p := tendon.NewProtocol("knights")
		knight := tendon.Replicate(p, "knight", donburi.NewComponentType[knightData]())
		walk := tendon.NewCommand[int8](p, "walk", knight)
		line := netsim.Conditions{Delay: delay * time.Millisecond}
		server, client, steps := pairOfKnights(t, p, walk, line, tendon.Config{}, func(c tendon.Call, by int8) {
			knight.Get(c.Entry).X += float64(by) / 8
		})
		server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(knight), q) })
		corrections := 0
		client.OnCorrection(func(tendon.Correction) { corrections++ })
		steps(300)
		if s := server.CommandStats(); corrections > 0 || s.Late > 0 || s.Missed > 0 || s.Early > 0 || s.Margin > 100*time.Millisecond {
			t.Errorf("%d ms: %d corrections, %+v", int(delay), corrections, s)
		}
	}
}
