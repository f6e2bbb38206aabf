package ecs_test

// The bytes that a server may send to one peer, and what counts among them.

import (
	"strings"
	"testing"

	"github.com/quasilyte/gmath"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A budget covers all that a server sends to a peer: state, calls, and the reliable lane's
// resends and acks.
func TestBudgetIsForAll(t *testing.T) {
	const budget, seconds = 12_000, 20
	for name, c := range map[string]struct {
		network netsim.Conditions
		over    float64 // how far it may be exceeded for a moment, since lanes resend when they must
	}{
		"lan":   {lan, 0},
		"lossy": {netsim.Conditions{Delay: 40e6, Jitter: 20e6, Loss: 0.1}, budget / 4},
	} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, c.network)
			server := l.server(tendon.Config{Budget: budget})
			client := l.client(tendon.Config{})
			l.joined()
			for i := range 40 {
				Crate.Spawn(server.World(), CrateArgs{Pos: gmath.Vec{X: float64(i)}})
			}
			l.until("all are there", func() bool { return client.count(Body) == 40 })
			heard := 0
			Tell.Handle(client.Replication, func(tendon.Call, string) { heard++ })

			const burst = budget/4 + transport.MaxPacket // a full bucket and one packet
			begin := server.Stats(client.Me()).Conn.BytesOut
			level, worst, before := 0.0, 0.0, begin
			for i := range seconds * 60 {
				for e := range Body.Iter(server.World()) {
					Body.Get(e).Pos.Y = float64(i * int(e.Entity()) % 1000)
				}
				if err := Tell.Send(server.Session(), strings.Repeat("x", 60)); err != nil {
					t.Fatal(err)
				}
				if err := Chat.Send(client.Session(), "y"); err != nil {
					t.Fatal(err)
				}
				l.steps(1)
				now := server.Stats(client.Me()).Conn.BytesOut
				level = max(0, level-budget/60.) + float64(now-before)
				worst, before = max(worst, level), now
			}
			if client.ended != nil {
				t.Fatalf("the client was sent away: %v", client.ended)
			}
			t.Logf("%d bytes a second, at worst %.0f in a burst; %d calls heard", (before-begin)/seconds, worst, heard)
			if spent := float64(before - begin); spent > budget*seconds+burst+c.over {
				t.Errorf("%.0f bytes a second were sent, over a budget of %d", spent/seconds, budget)
			}
			if worst > burst+c.over {
				t.Errorf("at worst %.0f bytes in a burst, not %.0f", worst, burst+c.over)
			}
			if heard < seconds*30 {
				t.Errorf("%d calls were heard in %d s", heard, seconds)
			}
		})
	}
}
