package ecs_test

import (
	"slices"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What is written in the step of the removal comes with it also where the node has been taken elsewhere within the last round trip, has got into something,
// out of it, has lost what carried it, or has got or lost a component.
func TestLastStateAfterOtherNews(t *testing.T) {
	type unitData struct {
		Pos gmath.Vec `rpl:"step=1/16,interp,pos"`
		HP  uint16    `rpl:"max=1000,notify"`
	}
	type burnData struct {
		Left uint8 `rpl:""`
	}
	for _, c := range []netsim.Conditions{{}, {Delay: 100 * time.Millisecond}} {
		for _, what := range []string{"teleport", "get in", "get out", "lose the carrier", "get a component", "lose a component"} {
			for gap := range 15 {
				p := tendon.NewProtocol("ends")
				unit := tendon.Replicate(p, "unit", donburi.NewComponentType[unitData]())
				burn := tendon.Replicate(p, "burn", donburi.NewComponentType[burnData]())
				var victim rpl.Node
				var ends, changes []uint16
				lab := tendontest.NewLab(t, tendontest.Game{
					Protocol: p, Config: tendon.Config{Sends: 60}, Step: func(*tendontest.Machine) {},
					Setup: func(m *tendontest.Machine) {
						m.OnStreamOut(unit, func(e *donburi.Entry, _ bool) {
							if !m.IsAuthority() && tendon.ID(e) == victim {
								ends = append(ends, unit.Get(e).HP)
							}
						})
						tendon.OnChange(m.Replication, unit, func(e *donburi.Entry, old unitData) {
							if !m.IsAuthority() && tendon.ID(e) == victim && unit.Get(e).HP != old.HP {
								changes = append(changes, unit.Get(e).HP)
							}
						})
					},
				}, c)
				server := lab.Host()
				lab.Join()
				carrier, e := server.Create(unit), server.Create(unit)
				unit.SetValue(e, unitData{gmath.Vec{X: 10, Y: 10}, 100})
				if what == "get out" || what == "lose the carrier" {
					_ = tendon.Attach(e, carrier)
				}
				if what == "lose a component" {
					donburi.Add(e, burn, &burnData{3})
				}
				lab.Steps(60)
				victim, changes = tendon.ID(e), nil
				switch what {
				case "teleport":
					tendon.Teleport(e)
					unit.Get(e).Pos.X = 500
				case "get in":
					_ = tendon.Attach(e, carrier)
				case "get out":
					_ = tendon.Attach(e, nil)
				case "lose the carrier":
					carrier.Remove()
				case "get a component":
					donburi.Add(e, burn, &burnData{3})
				case "lose a component":
					donburi.Remove[burnData](e, burn)
				}
				lab.Steps(gap)
				unit.Get(e).HP = 0
				e.Remove()
				lab.Steps(60)
				if !slices.Equal(ends, []uint16{0}) || !slices.Equal(changes, []uint16{0}) {
					t.Errorf("%v, %s %d steps before: OnStreamOut has HP %d, OnChange %d", c.Delay, what, gap, ends, changes)
				}
			}
		}
	}
}

// Where the packet with a new parent is lost, the place below that parent does not come either: the node
// goes where it was.
func TestLastPlaceBelowAParentThatHasNotCome(t *testing.T) {
	type unitData struct {
		Pos gmath.Vec `rpl:"step=1/16,interp,pos"`
		Rot gmath.Rad `rpl:"angle,bits=10,interp"`
		HP  uint16    `rpl:"max=1000"`
	}
	p := tendon.NewProtocol("ends below")
	unit := tendon.Replicate(p, "unit", donburi.NewComponentType[unitData]())
	for seed := range someRuns(uint64(40)) {
		var victim rpl.Node
		seen := 0
		lab := tendontest.NewLab(t, tendontest.Game{
			Protocol: p, Seed: seed + 1, Config: tendon.Config{Sends: 60}, Step: func(*tendontest.Machine) {},
			Setup: func(m *tendontest.Machine) {
				m.OnStreamOut(unit, func(e *donburi.Entry, _ bool) {
					if m.IsAuthority() || tendon.ID(e) != victim {
						return
					}
					seen++
					u, hung := unit.Get(e), tendon.Parent(e) != nil
					if x, turned := u.Pos.X, u.Rot > 1; hung != (x == 1) || hung == (x == 1500) || hung != turned || u.HP != 0 {
						t.Errorf("seed %d: it goes at %v, turned by %v, below its carrier: %v, with HP %d", seed+1, x, u.Rot, hung, u.HP)
					}
				})
			},
		}, netsim.Conditions{Delay: 60 * time.Millisecond, Loss: .2})
		server := lab.Host()
		lab.Join()
		carrier, e := server.Create(unit), server.Create(unit)
		unit.SetValue(carrier, unitData{gmath.Vec{X: 1000}, 0, 100})
		unit.SetValue(e, unitData{gmath.Vec{X: 1500}, 0, 100})
		lab.Steps(90)
		victim = tendon.ID(e)
		_ = tendon.Attach(e, carrier)
		unit.Get(e).Pos.X, unit.Get(e).Rot = 1, 2
		lab.Steps(int(seed % 10))
		unit.Get(e).HP = 0
		e.Remove()
		lab.Steps(90)
		if seen != 1 {
			t.Errorf("seed %d: OnStreamOut ran %d times", seed+1, seen)
		}
	}
}
