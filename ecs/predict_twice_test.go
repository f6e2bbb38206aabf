package ecs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	cannonData struct {
		Fired uint16 `rpl:""`
	}
	cannonBall struct {
		Pos  gmath.Vec `rpl:"step=1/32,interp,pos"`
		Ends rpl.Tick  `rpl:""`
		Nr   uint32    `rpl:""` // one for each shot
	}
	cannonShot struct {
		Ends rpl.Tick `rpl:""`
		Nr   uint32   `rpl:""`
	}
)

// A battery is a cannon that fires by a rule which every machine knows, and whose balls burst into two.
type battery struct {
	dedicated bool
	owner     rpl.Peer // 0: nobody
	foresee   bool     // clients predict the cannon, whosever it is …
	balls     bool     // … and what it fires
	spawns    bool     // the rule spawns on the authority alone
	late      bool     // the server gives the cannon away and takes it back, again and again
}

// play returns how many frames were drawn by the clients, how often one of them drew a ball twice, and
// how many bytes the server has sent.
func (b battery) play(t *testing.T, seed uint64, line netsim.Conditions) (drawn, twice int, bytes uint64) {
	p := tendon.NewProtocol("battery")
	cannon := tendon.Replicate(p, "cannon", donburi.NewComponentType[cannonData]())
	ball := tendon.Replicate(p, "ball", donburi.NewComponentType[cannonBall]())
	balls := tendon.NewPrefab(p, "ball", func(w donburi.World, a cannonShot) *donburi.Entry {
		e := w.Entry(w.Create(ball))
		ball.SetValue(e, cannonBall{Ends: a.Ends, Nr: a.Nr})
		return e
	})
	fire := tendon.NewCommand[tendon.None](p, "fire", cannon)
	fly := tendon.NewCommand[tendon.None](p, "fly", ball)
	foresee := func(e *donburi.Entry) { tendon.Predict(e, true) }
	makes := func(c tendon.Call, key int, a cannonShot) {
		if !b.spawns {
			balls.Predict(c, key, a)
		} else if tendon.IsAuthority(c.Entry) {
			balls.Spawn(c.Entry.World, a)
		}
	}
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Seed:      seed,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = b.dedicated && name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) {
				if m.Name == "server" && q == 2 {
					tendon.Give(m.Create(cannon), b.owner)
				}
			})
			if b.foresee {
				m.OnStreamIn(cannon, foresee)
				m.OnOwner(cannon, func(e *donburi.Entry, _ rpl.Peer) { foresee(e) })
			}
			if b.balls {
				m.OnStreamIn(ball, foresee)
				m.OnOwner(ball, func(e *donburi.Entry, _ rpl.Peer) { foresee(e) })
			}
			fire.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				if c.Tick%20 == 0 {
					cannon.Get(c.Entry).Fired++
					makes(c, 0, cannonShot{c.Tick + 80, uint32(c.Tick) * 4})
				}
			})
			fly.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				d := ball.Get(c.Entry)
				d.Pos.X += 4
				if d.Nr%4 == 0 && c.Tick+40 == d.Ends {
					makes(c, 1, cannonShot{c.Tick + 30, d.Nr + 1})
					makes(c, 2, cannonShot{c.Tick + 30, d.Nr + 2})
				}
				if c.Tick >= d.Ends && tendon.IsAuthority(c.Entry) {
					c.Entry.Remove()
				}
			})
		},
		Step: func(m *tendontest.Machine) {
			fire.Run(m.Replication)
			fly.Run(m.Replication)
			if b.late && m.IsAuthority() && m.Tick()%50 == 0 {
				for e := range cannon.Iter(m.World()) {
					tendon.Give(e, b.owner-tendon.Owner(e))
				}
			}
		},
	}, line)
	server := lab.Host()
	lab.Join()
	lab.Join()
	lab.Play(2*time.Second, tendontest.FPS(60), nil)
	q := donburi.NewQuery(filter.And(filter.Contains(ball), tendon.Drawn))
	lab.Play(6*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
		if m == server {
			return
		}
		drawn++
		seen := map[uint32]int{}
		for e := range q.Iter(m.World()) {
			nr := ball.Get(e).Nr
			if seen[nr]++; seen[nr] > 1 {
				twice++
			}
		}
	})
	for peer := range server.Peers() {
		bytes += server.Stats(peer).Conn.BytesOut
	}
	return drawn, twice, bytes
}

// What a predicted rule makes is one thing on each machine that predicts the rule, whosever the node is
// which the rule moves: the server's takes over the client's.
func TestPredictedSpawnIsOneForAllWhoPredict(t *testing.T) {
	for n := range 24 {
		if raceEnabled && n%5 != 0 {
			continue
		}
		b := battery{dedicated: n&1 != 0, foresee: true, balls: n&2 != 0, owner: rpl.Peer(n / 4 % 3)}
		if b.late = n >= 12; b.late && b.owner == 0 {
			continue
		}
		if b.dedicated && b.owner == 1 {
			b.owner = 3
		}
		for seed := uint64(1); seed <= 3; seed++ {
			line := netsim.Conditions{Delay: 50 * time.Millisecond}
			if seed > 1 {
				line.Loss, line.Jitter = 0.05, 40*time.Millisecond
			}
			t.Run(fmt.Sprintf("%+v seed %d", b, seed), func(t *testing.T) {
				if drawn, twice, _ := b.play(t, seed, line); twice > 0 {
					t.Errorf("in %d frames a ball was drawn twice %d times", drawn, twice)
				}
			})
		}
	}
}

// The name by which a client knows its own costs nothing where nobody predicts what is not its own.
func TestPredictedSpawnOfTheServerAloneIsASpawn(t *testing.T) {
	for _, dedicated := range []bool{false, true} {
		line := netsim.Conditions{Delay: 50 * time.Millisecond}
		_, _, predicted := battery{dedicated: dedicated}.play(t, 1, line)
		_, _, spawned := battery{dedicated: dedicated, spawns: true}.play(t, 1, line)
		if predicted != spawned {
			t.Errorf("dedicated %v: %d bytes were sent, %d with Spawn", dedicated, predicted, spawned)
		}
	}
}
