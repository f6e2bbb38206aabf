package tendontest_test

// Somebody steps aboard a ship that turns and sails, and off it again, and is drawn without a leap on every screen.

import (
	"cmp"
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	hullData   struct{}
	sailorData struct{}
	sailorKeys struct {
		Use bool `rpl:"edge"` // step aboard, or off
	}
)

// The first player predicts the ship, the second the own body, the others watch. The first is the host, or a client of a
// dedicated server. On the server nothing is faster than 5 units a tick. The ship is far from the origin, so that whoever
// is drawn by a place of the wrong parent is drawn far off.
func TestBoardingInPlace(t *testing.T) {
	for i := range uint64(3) {
		seed := cmp.Or(*cameraSeed, i+1)
		for _, dedicated := range []bool{false, true} {
			t.Run(fmt.Sprintf("seed %d, dedicated %v", seed, dedicated), func(t *testing.T) { boardShip(t, seed, dedicated) })
		}
	}
}

func boardShip(t *testing.T, seed uint64, dedicated bool) {
	p := tendon.NewProtocol("ships")
	at := tendon.Replicate(p, "transform", components.Transform)
	hull := tendon.Replicate(p, "hull", donburi.NewComponentType[hullData]())
	body := tendon.Replicate(p, "sailor", donburi.NewComponentType[sailorData]())
	steer := tendon.NewCommand[tendon.None](p, "steer", hull)
	walk := tendon.NewCommand[sailorKeys](p, "walk", body)
	var ship, sailor rpl.Node
	boarded := 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Seed: seed,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = dedicated && name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(q rpl.Peer) {
				switch {
				case ship == 0:
					e := m.Create(at, hull)
					at.Get(e).Pos = gmath.Vec{X: 3000, Y: 2000}
					ship = tendon.ID(e)
					tendon.Give(e, q)
				case sailor == 0:
					e := m.Create(at, body)
					up, _ := m.Find(ship)
					at.Get(e).Pos = at.Get(up).Pos.Add(gmath.Vec{X: 60})
					sailor = tendon.ID(e)
					tendon.Give(e, q)
				}
			})
			steer.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
				tr := at.Get(c.Entry)
				tr.Rot = (tr.Rot + 0.02).Normalized()
				tr.Pos = tr.Pos.Add(gmath.RadToVec(tr.Rot).Mulf(4))
			})
			walk.Sample(m.Replication, func(*donburi.Entry) sailorKeys { return sailorKeys{m.Tick() > 150 && m.Rand.IntN(40) == 0} })
			walk.Apply(m.Replication, func(c tendon.Call, k sailorKeys) {
				if tendon.Parent(c.Entry) != nil {
					tr := at.Get(c.Entry) // it walks on deck
					tr.Pos = tr.Pos.Sub(tr.Pos.Normalized().Mulf(0.5))
				}
				up, ok := m.Find(ship)
				if !k.Use || !ok || !tendon.IsAuthority(c.Entry) {
					return
				}
				to := up
				if tendon.Parent(c.Entry) != nil {
					to = nil
				}
				was := tendon.WorldTransform(c.Entry)
				if err := tendon.AttachInPlace(c.Entry, to); err != nil {
					t.Error(err)
				}
				now := tendon.WorldTransform(c.Entry)
				if now.Pos.DistanceTo(was.Pos) > 1e-6 || math.Abs(math.Remainder(float64(now.Rot-was.Rot), 2*math.Pi)) > 1e-6 {
					t.Errorf("it was at %v, and is at %v", was, now)
				}
				boarded++
			})
		},
		Step: func(m *tendontest.Machine) {
			steer.Run(m.Replication)
			walk.Run(m.Replication)
		},
	}, netsim.Conditions{Delay: 50 * time.Millisecond, Loss: 0.05})
	lab.Host()
	lab.Join()
	lab.Join()
	lab.Join()
	lab.Steps(60)
	before, most := map[*tendontest.Machine]gmath.Vec{}, map[*tendontest.Machine]float64{}
	lab.Play(20*time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
		e, ok := m.Find(sailor)
		if !ok || e.HasComponent(components.Hidden) {
			return
		}
		now := tendon.WorldView(e).Pos
		if was, ok := before[m]; ok {
			most[m] = max(most[m], now.DistanceTo(was))
		}
		before[m] = now
	})
	screens, far := 4, 8.0
	if dedicated { // a captain on a client has the ship ahead of the sailor, who goes over in a quarter of a second
		screens, far = 3, 20
	}
	if boarded < 10 || len(most) != screens {
		t.Errorf("it boarded %d times, seen on %d screens", boarded, len(most))
	}
	for i, m := range lab.Machines {
		t.Logf("machine %d draws it at most %.1f units from where it was a frame before", i, most[m])
		if most[m] > far {
			t.Errorf("machine %d draws it %.0f units from where it was a frame before", i, most[m])
		}
	}
}
