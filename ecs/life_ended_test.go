package ecs_test

// The rules of a game in the step in which a session ends.

import (
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// The rules of an authority find the world begun (OnStart has run) in every step, also in
// the step in which a client's session has ended, however it ends and whatever OnEnd does
// then.
func TestWorldHasBegunWhenRulesRun(t *testing.T) {
	ends := map[string]func(l *lab, server, client *machine){
		"kicked": func(_ *lab, server, client *machine) { server.Kick(client.Me(), "out") },
		"closed": func(_ *lab, server, _ *machine) { server.Close("enough") },
		"silent": func(l *lab, _, _ *machine) { l.net.SetConditions(netsim.Conditions{Loss: 1}) },
		"left in a call": func(_ *lab, server, client *machine) {
			calls[rpl.Broadcast][rpl.Reliable].Handle(client.Replication, func(tendon.Call, uint8) { client.Close("tired") })
			calls[rpl.Broadcast][rpl.Reliable].Send(server.Session(), 1)
		},
	}
	answers := map[string]func(l *lab, client *machine){
		"alone": func(*lab, *machine) {},
		"joins": func(l *lab, client *machine) { client.Join(l.net.Dialer(l.listener)) },
		"cannot join": func(_ *lab, client *machine) {
			client.OnEnd(func(error) { client.Join(refusing{}) })
		},
		"hosts": func(l *lab, client *machine) { client.Host(l.net.Listener()) },
	}
	for how, end := range ends {
		for what, answer := range answers {
			t.Run(how+", "+what, func(t *testing.T) {
				l := newLab(t, netsim.Conditions{Delay: 20 * time.Millisecond})
				server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
				first, ticks := true, 0
				client.OnEnd(func(error) {
					if first {
						answer(l, client)
					}
					first = false
				})
				for _, m := range l.machines {
					begun := false
					m.OnStart(func() { begun = true })
					m.OnEnd(func(error) { begun = false })
					m.step = func() {
						if !m.IsAuthority() {
							return
						}
						if !begun {
							t.Errorf("%s: the world has not begun in tick %d", m.name, m.Tick())
						}
						if m == client {
							ticks++
							check(t, "steps are counted", int(m.Tick()) >= ticks, true)
						}
						m.Create(Body).Remove()
					}
				}
				l.joined()
				end(l, server, client)
				l.until("it has ended", func() bool { return client.ended != nil })
				switch what {
				case "joins":
					check(t, "mode", client.Mode(), tendon.Client)
				case "hosts":
					check(t, "mode", client.Mode(), tendon.Listen)
				default:
					check(t, "mode", client.Mode(), tendon.Single)
				}
				l.steps(60)
			})
		}
	}
}
