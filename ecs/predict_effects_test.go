package ecs_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A gun that goes on firing while a key is held sounds once for each shot, also where a correction has
// moved its shots by a tick or two.
func TestEffectsThatACorrectionMoves(t *testing.T) {
	type gunData struct {
		Ready rpl.Tick `rpl:"to=owner"`
		Shots uint32   `rpl:""`
	}
	type trigger struct {
		Fire bool `rpl:""`
	}
	const seed = 1
	t.Logf("seed %d", seed)
	for _, delay := range []time.Duration{0, 15 * time.Millisecond, 60 * time.Millisecond, 150 * time.Millisecond} {
		for _, cooldown := range []rpl.Tick{3, 6, 10} {
			p := tendon.NewProtocol("gun")
			gun := tendon.Replicate(p, "gun", donburi.NewComponentType[gunData]())
			shoot := tendon.NewCommand[trigger](p, "shoot", gun)
			rng, net := rand.New(rand.NewPCG(seed, 0)), mem.NewNetwork(seed, netsim.Conditions{Delay: delay})
			held, bangs, corrections := false, 0, 0
			session := func(client bool) *tendon.Replication {
				r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: !client})
				if err != nil {
					t.Fatal(err)
				}
				shoot.Sample(r, func(*donburi.Entry) trigger { return trigger{held} })
				shoot.Apply(r, func(c tendon.Call, k trigger) {
					d := gun.Get(c.Entry)
					if !k.Fire || c.Tick < d.Ready {
						return
					}
					if d.Ready, d.Shots = c.Tick+cooldown, d.Shots+1; !client && rng.IntN(5) == 0 {
						d.Ready += rpl.Tick(1 + rng.IntN(2)) // it jams, which no client foresees
					}
					c.Once(0, func(time.Duration) {
						if client {
							bangs++
						}
					})
				})
				return r
			}
			server, client := session(false), session(true)
			server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(gun), q) })
			client.OnCorrection(func(tendon.Correction) { corrections++ })
			l := net.Listener()
			server.Host(l)
			client.Join(net.Dialer(l))
			for i := range 1800 {
				held = i > 120 && i%200 < 150
				net.Advance(time.Second / 60)
				for _, r := range []*tendon.Replication{server, client} {
					r.Receive()
					shoot.Run(r)
					r.Send()
				}
			}
			shots := int(gun.Get(gun.MustFirst(server.World())).Shots)
			t.Logf("%v, a shot in %d ticks: %d shots, %d sounds, %d corrections", delay, cooldown, shots, bangs, corrections)
			if corrections == 0 || bangs < shots || bangs > shots+shots/20 {
				t.Errorf("%v, a shot in %d ticks: %d shots, %d sounds, %d corrections", delay, cooldown, shots, bangs, corrections)
			}
		}
	}
}
