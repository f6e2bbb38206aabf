package ecs_test

import (
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

// stampData has numbers that count evenly for a while, and then do not: the tick of the last hit, and
// what is left after it.
type stampData struct {
	Hit   uint32 `rpl:""`
	Armor int    `rpl:""`
}

// Clients have no number that the server never had: while packets are lost, however long the way is,
// where a budget does not pay for all, where nodes come into sight and go out of it, and while they
// get other components.
func TestNumbersAreThoseThatTheServerHad(t *testing.T) {
	p := tendon.NewProtocol("stamps")
	transform := tendon.Replicate(p, "transform", components.Transform)
	stamp := tendon.Replicate(p, "stamp", donburi.NewComponentType[stampData]())
	extra := tendon.Replicate(p, "extra", donburi.NewComponentType[struct {
		N int32 `rpl:""`
	}]())
	team := tendon.NewGroup(p, "team")
	for _, c := range []struct {
		ms     int
		loss   float64
		budget int
		fog    bool
	}{{50, 0.05, 0, false}, {50, 0.2, 0, false}, {150, 0.05, 0, false}, {150, 0.2, 0, false}, {0, 0, 0, true}, {100, 0.02, 0, true}, {50, 0, 6000, false}, {50, 0.05, 6000, true}, {50, 0, 2500, false}} {
		seen, wrong, first := 0, 0, uint64(0)
		for seed := uint64(1); seed <= 6; seed++ {
			had := map[rpl.Node]map[stampData]bool{}
			var server *tendontest.Machine
			r := rand.New(rand.NewPCG(seed, 2))
			note := func(m *tendontest.Machine, e *donburi.Entry) {
				if seen++; m != server && !m.Alone() && !had[tendon.ID(e)][*stamp.Get(e)] {
					if wrong++; first == 0 {
						first = seed
					}
				}
			}
			step := func(m *tendontest.Machine) {
				for e := range stamp.Iter(m.World()) {
					d, id := stamp.Get(e), tendon.ID(e)
					if m == server {
						at := transform.Get(e)
						at.Pos = at.Pos.Add(gmath.Vec{X: r.Float64() - 0.5, Y: r.Float64() - 0.5})
						if r.IntN(8) == 0 || r.IntN(2) == 0 && uint32(m.Tick())-d.Hit <= 2 {
							*d = stampData{uint32(m.Tick()), d.Armor - 12}
						}
						if had[id] == nil {
							had[id] = map[stampData]bool{}
						}
						had[id][*d] = true
						if c.fog && r.IntN(20) == 0 {
							if r.IntN(2) == 0 {
								team.Add(e)
							} else {
								team.Remove(e)
							}
						}
						if c.fog && r.IntN(60) == 0 {
							if e.HasComponent(extra) {
								e.RemoveComponent(extra)
							} else {
								e.AddComponent(extra)
							}
						}
					} else {
						note(m, e)
					}
				}
			}
			lab := tendontest.NewLab(t, tendontest.Game{Protocol: p, Seed: seed, Config: tendon.Config{Budget: c.budget}, Step: step, Setup: func(m *tendontest.Machine) {
				if server == nil {
					server = m
				}
				m.OnStreamOut(stamp, func(e *donburi.Entry, _ bool) { note(m, e) })
			}}, netsim.Conditions{Delay: time.Duration(c.ms) * time.Millisecond, Loss: c.loss})
			lab.Host()
			for range 40 {
				e := server.Create(transform, stamp)
				if c.fog {
					components.RplNode.Get(e).Relevance = rpl.Grouped
				}
				stamp.Get(e).Armor = 100_000
			}
			client := lab.Join()
			team.Put(server.Replication, client.Me(), true)
			lab.Steps(400)
		}
		if wrong > 0 || seen < 1000 {
			t.Errorf("%+v: of %d numbers %d are none that the server had, first with seed %d", c, seen, wrong, first)
		}
	}
}
