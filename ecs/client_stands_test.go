package ecs_test

// What a client is sent that has stood, and goes on.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type herdData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
}

// A client that has stood, as while it loads or its window is dragged, is sent as much as before at once: what went
// unanswered meanwhile says nothing of its line.
func TestWhatAClientIsSentAfterItStood(t *testing.T) {
	for seed, c := range []netsim.Conditions{
		{Delay: 50 * time.Millisecond},
		{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .02},
		{Delay: 25 * time.Millisecond, Loss: .05},
	} {
		for _, stands := range []int{60, 120} { // steps
			p := tendon.NewProtocol("herd")
			herd := tendon.Replicate(p, "herd", donburi.NewComponentType[herdData]())
			net := mem.NewNetwork(uint64(seed), c)
			session := func(dedicated bool) *tendon.Replication {
				r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
				if err != nil {
					t.Fatal(err)
				}
				return r
			}
			server, client := session(true), session(false)
			var peer rpl.Peer
			server.OnJoin(func(q rpl.Peer) { peer = q })
			l := net.Listener()
			server.Host(l)
			client.Join(net.Dialer(l))
			for range 400 {
				server.Create(herd)
			}
			const before, after = 360, 300
			needs, held := 0, 0
			for i := range before + stands + after {
				net.Advance(time.Second / 60)
				turned := 0
				for e := range herd.Iter(server.World()) {
					turned++
					d := herd.Get(e)
					d.Pos = d.Pos.Add(gmath.RadToVec(gmath.Rad(turned*7 + i/20*13)).Mulf(2))
				}
				server.Receive()
				server.Send()
				switch {
				case i < before:
					needs = server.Stats(peer).BytesOut
				case i < before+stands:
					continue
				case server.Stats(peer).SendLimit < needs*5/4:
					held++
				}
				client.Receive()
				client.Send()
			}
			if held > 20 || needs < 10_000 {
				t.Errorf("seed %d, %+v: after it stood for %d steps a client that is sent %d bytes a second could be sent less than a quarter more in %d steps", seed, c, stands, needs, held)
			}
		}
	}
}
