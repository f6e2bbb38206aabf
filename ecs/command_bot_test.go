package ecs_test

// A bot of the server drives by the command by which players drive (docs/guide/input.md).

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What nobody owns gets the zero command, from 0, on a dedicated server and on one with a player, and Sample is not
// asked for it: the rule asks the bot.
func TestBotDrivesByTheCommandOfPlayers(t *testing.T) {
	type pedals struct {
		Way gmath.Vec `rpl:"step=1/64"`
	}
	for _, dedicated := range []bool{true, false} {
		p := tendon.NewProtocol("karts")
		kart := tendon.Replicate(p, "kart", donburi.NewComponentType[bodyOfBot]())
		steer := tendon.NewCommand[pedals](p, "steer", kart)
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol:  p,
			Configure: func(n string, c *tendon.Config) { c.Dedicated = dedicated && n == "server" },
			Setup: func(m *tendontest.Machine) {
				steer.Sample(m.Replication, func(e *donburi.Entry) pedals {
					if kart.Get(e).Bot {
						t.Errorf("%s: Sample is asked for the bot", m.Name)
					}
					return pedals{gmath.Vec{Y: 1}}
				})
				steer.Apply(m.Replication, func(c tendon.Call, k pedals) {
					is := kart.Get(c.Entry)
					if is.Bot && (c.From != 0 || k != pedals{}) {
						t.Errorf("%s: the bot has %v of %d", m.Name, k, c.From)
					}
					if c.From == 0 && is.Bot && tendon.IsAuthority(c.Entry) {
						k.Way.X = 1
					}
					is.Pos = is.Pos.Add(k.Way)
				})
			},
			Step: func(m *tendontest.Machine) { steer.Run(m.Replication) },
		}, netsim.Conditions{Delay: 20 * time.Millisecond})
		server, client := lab.Host(), lab.Join()
		bot, own := server.Create(kart), server.Create(kart)
		kart.Get(bot).Bot = true
		tendon.Give(own, client.Me())
		lab.Steps(120)
		if at := kart.Get(bot).Pos; at.X != 120 || at.Y != 0 {
			t.Errorf("dedicated %t: the bot is at %v", dedicated, at)
		}
		if at := kart.Get(own).Pos; at.X != 0 || at.Y < 90 {
			t.Errorf("dedicated %t: the player's kart is at %v", dedicated, at)
		}
		if at := kart.Get(lab.Other(client, bot)).Pos; at.X < 100 {
			t.Errorf("dedicated %t: a client has the bot at %v", dedicated, at)
		}
	}
}

type bodyOfBot struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
	Bot bool      `rpl:""`
}
