package tendontest_test

// The guide's recipe of trailers: a chain that its driver predicts.

import (
	"fmt"
	"math/rand/v2"
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
	trailerData struct {
		Lead donburi.Entity `rpl:""`
	}
	wheelInput struct {
		Turn float64 `rpl:"min=-1,max=1,step=1/64"`
	}
	truckData struct {
		Heading float64 `rpl:"step=1/256"`
	}
)

// On the driver's screen three trailers stay hitched to their truck, and nothing is corrected.
func TestTrailers(t *testing.T) {
	const hitch, pole = 30.0, 40.0
	for seed, loss := range []float64{0, 0.03} {
		t.Run(fmt.Sprintf("seed %d, loss %v", seed, loss), func(t *testing.T) {
			p := tendon.NewProtocol("trailers")
			at := tendon.Replicate(p, "transform", components.Transform)
			truck := tendon.Replicate(p, "truck", donburi.NewComponentType[truckData]())
			trailer := tendon.Replicate(p, "trailer", donburi.NewComponentType[trailerData]())
			drive := tendon.NewCommand[wheelInput](p, "drive", truck)
			follow := tendon.NewCommand[tendon.None](p, "follow", trailer)
			dice, turn, corrections := rand.New(rand.NewPCG(uint64(seed), 0)), 0.0, 0
			hitchOf := func(tr components.TransformData) gmath.Vec {
				return tr.Pos.Sub(gmath.RadToVec(tr.Rot).Mulf(hitch))
			}
			lab := tendontest.NewLab(t, tendontest.Game{
				Protocol: p, Seed: uint64(seed),
				Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
				Setup: func(m *tendontest.Machine) {
					m.OnJoin(func(q rpl.Peer) {
						lead := m.Create(at, truck)
						tendon.Give(lead, q)
						for i := range 3 {
							e := m.Create(at, trailer)
							at.Get(e).Pos.X = -(hitch + pole) * float64(i+1)
							trailer.Get(e).Lead = lead.Entity()
							tendon.Give(e, q)
							lead = e
						}
					})
					m.OnCorrection(func(tendon.Correction) { corrections++ })
					drive.Sample(m.Replication, func(*donburi.Entry) wheelInput {
						if dice.IntN(30) == 0 {
							turn = 2*dice.Float64() - 1
						}
						return wheelInput{turn}
					})
					drive.Apply(m.Replication, func(c tendon.Call, w wheelInput) {
						d, tr := truck.Get(c.Entry), at.Get(c.Entry)
						d.Heading += w.Turn / 32
						tr.Rot = gmath.Rad(d.Heading).Normalized()
						tr.Pos = tr.Pos.Add(gmath.RadToVec(tr.Rot).Mulf(3))
					})
					follow.Apply(m.Replication, func(c tendon.Call, _ tendon.None) {
						lead := trailer.Get(c.Entry).Lead
						if !c.Entry.World.Valid(lead) {
							return
						}
						own, hook := at.Get(c.Entry), hitchOf(*at.Get(c.Entry.World.Entry(lead)))
						if d := hook.Sub(own.Pos); d.Len() > 1 {
							own.Rot = d.Angle().Normalized()
							own.Pos = hook.Sub(gmath.RadToVec(own.Rot).Mulf(pole))
						}
					})
				},
				Step: func(m *tendontest.Machine) {
					drive.Run(m.Replication)
					follow.Run(m.Replication)
				},
			}, netsim.Conditions{Delay: 50 * time.Millisecond, Loss: loss})
			lab.Host()
			driver := lab.Join()
			lab.Steps(120)
			corrections = 0
			worst, frames := 0.0, 0
			lab.Play(15*time.Second, tendontest.FPS(144), func(m *tendontest.Machine) {
				if m != driver {
					return
				}
				for e := range trailer.Iter(m.World()) {
					own := tendon.WorldView(e)
					front := own.Pos.Add(gmath.RadToVec(own.Rot).Mulf(pole))
					frames++
					worst = max(worst, front.DistanceTo(hitchOf(tendon.WorldView(m.World().Entry(trailer.Get(e).Lead)))))
				}
			})
			t.Logf("%d frames of trailers, the widest gap %.2f units, %d corrections", frames, worst, corrections)
			if frames < 2000 || worst > 0.1 || corrections > 0 {
				t.Errorf("%d frames of trailers, a gap of %.2f units, %d corrections", frames, worst, corrections)
			}
		})
	}
}
