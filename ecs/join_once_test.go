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

// Where all that leaves in the step is lost in which a player is let in, whether it has just come, is back, or
// is in the next level, it has its body a round trip and two sends later than otherwise, at most. The packets
// with the body and with the end of the server's names are the first, and nothing follows them by itself.
func TestLossRightAfterAJoin(t *testing.T) {
	p := tendon.NewProtocol("lonely")
	body := tendon.Replicate(p, "body", donburi.NewComponentType[passerData]())
	for _, delay := range []time.Duration{20 * time.Millisecond, 50 * time.Millisecond, 150 * time.Millisecond} {
		good := netsim.Conditions{Delay: delay}
		for _, when := range []string{"join", "level", "back"} {
			took := func(down netsim.Conditions) (steps int) {
				in := false
				var lab *tendontest.Lab
				let := func() {
					in = true
					lab.Machines[1].Dialer.SetConditions(good, down)
				}
				lab = tendontest.NewLab(t, tendontest.Game{
					Protocol:  p,
					Configure: func(name string, c *tendon.Config) { c.Dedicated, c.Hello = name == "server", []byte("ann") },
					Setup: func(m *tendontest.Machine) {
						level := ""
						m.OnWorld(func(_ donburi.World, name string) { level = name })
						m.OnJoin(func(p rpl.Peer) {
							tendon.Give(m.Create(body), p)
							if when == "join" || level == "next" {
								let()
							}
						})
						m.OnBack(func(rpl.Peer) { let() })
						m.OnEnd(func(error) {
							m.Dialer.SetConditions(good, good)
							m.Join(m.Dialer)
						})
					},
					Step: func(*tendontest.Machine) {},
				}, good)
				server := lab.Host()
				client, err := lab.TryJoin()
				if err != nil {
					t.Fatal(err)
				}
				switch when {
				case "level":
					lab.Steps(60)
					server.Load("next")
				case "back":
					lab.Steps(60)
					client.Dialer.SetConditions(netsim.Conditions{Loss: 1}, netsim.Conditions{Loss: 1})
				}
				for n := 0; !in; n++ {
					if lab.Steps(1); n > 60*12 {
						t.Fatalf("%v, %s: the player was not let in", delay, when)
					}
				}
				client.Dialer.SetConditions(good, good)
				for {
					if _, ok := tendon.Mine(client.Replication, body); ok {
						return steps
					}
					lab.Steps(1)
					if steps++; steps > 600 {
						t.Fatalf("%v, %s: the body does not come", delay, when)
					}
				}
			}
			usual, lost := took(good), took(netsim.Conditions{Loss: 1})
			t.Logf("%v, %s: the body comes after %d steps, %d where its packet is lost", delay, when, usual, lost)
			if most := usual + int(2*delay*60/time.Second) + 2*2 + 1; lost > most {
				t.Errorf("%v, %s: the body comes after %d steps, want %d at most", delay, when, lost, most)
			}
		}
	}
}
