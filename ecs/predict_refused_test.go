package ecs_test

// What becomes of a predicted spawn that the server refuses, and of one that it accepts on a bad line.

import (
	"cmp"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	builderData struct {
		Placed uint16 `rpl:"to=owner"`
	}
	towerData struct {
		Cell uint16 `rpl:""`
	}
	placing struct {
		Place bool   `rpl:"edge"`
		Cell  uint16 `rpl:""`
	}
	pelletData struct {
		Shot, Nr uint16 `rpl:""`
		Paint    string `rpl:"max=200"`
	}
)

// Two players place a tower on one cell in the same tick. With the state that tells the second that it has not
// placed any, its tower is gone: there are never two on the cell, and no rule finds it taken by what is not there.
func TestRefusedSpawnGoesWithItsCorrection(t *testing.T) {
	p := tendon.NewProtocol("cells")
	builder := tendon.Replicate(p, "builder", donburi.NewComponentType[builderData]())
	tower := tendon.Replicate(p, "tower", donburi.NewComponentType[towerData]())
	towers := tendon.NewPrefab(p, "tower", func(w donburi.World, cell uint16) *donburi.Entry {
		e := w.Entry(w.Create(tower))
		tower.Get(e).Cell = cell
		return e
	})
	place := tendon.NewCommand[placing](p, "place", builder)
	stand := tendon.NewCommand[tendon.None](p, "stand", tower)
	drawn := donburi.NewQuery(filter.And(filter.Contains(tower), tendon.Drawn))
	for _, d := range []time.Duration{0, 10, 25, 50, 75, 150} {
		for k := range 3 {
			all, given := k == 0, k == 2
			var press map[string]bool
			refused := map[string]bool{}
			lab := tendontest.NewLab(t, tendontest.Game{
				Protocol: p, Seed: 1,
				Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
				Setup: func(m *tendontest.Machine) {
					m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(builder), p) })
					if all {
						m.OnStreamIn(tower, func(e *donburi.Entry) { tendon.Predict(e, true) })
					}
					m.OnCorrection(func(c tendon.Correction) { refused[m.Name] = c.Field == "builder.Placed" })
					place.Sample(m.Replication, func(*donburi.Entry) (a placing) {
						a.Place, a.Cell = press[m.Name], 7
						delete(press, m.Name)
						return a
					})
					place.Apply(m.Replication, func(c tendon.Call, a placing) {
						if !a.Place {
							return
						}
						for e := range tower.Iter(m.World()) {
							if tower.Get(e).Cell == a.Cell && c.Saw(e) {
								return
							}
						}
						builder.Get(c.Entry).Placed++
						if e := towers.Predict(c, 0, a.Cell); given && tendon.IsAuthority(e) {
							tendon.Give(e, 0)
						}
					})
					stand.Apply(m.Replication, func(tendon.Call, tendon.None) {})
				},
				Step: func(m *tendontest.Machine) { place.Run(m.Replication); stand.Run(m.Replication) },
			}, netsim.Conditions{Delay: d * time.Millisecond})
			lab.Host()
			a, b := lab.Join(), lab.Join()
			lab.Steps(120)
			press = map[string]bool{a.Name: true, b.Name: true}
			lab.Play(time.Second, tendontest.FPS(60), func(m *tendontest.Machine) {
				there, waits := 0, 0
				for e := range drawn.Iter(m.World()) {
					if there++; tendon.ID(e) == 0 {
						waits++
					}
				}
				if there > 1 || waits > 0 && refused[m.Name] {
					t.Errorf("%v one way, others predicted %v, given away %v: %s draws %d towers, of which %d wait for the server, and has been refused %v", d*time.Millisecond, all, given, m.Name, there, waits, refused[m.Name])
				}
			})
			if !refused[b.Name] && !refused[a.Name] {
				t.Errorf("%v one way: nobody was refused", d*time.Millisecond)
			}
		}
	}
}

// On bad lines the stand-in of a shot that the server has taken stays until the server's shell takes its place, and
// is not away and there again. That of one that the server has not taken goes before it is given up by the time.
func TestPredictedSpawnsDoNotFlicker(t *testing.T) {
	for _, c := range []struct {
		cond   netsim.Conditions
		most   int     // of a hundred shots
		linger float64 // steps beyond the round trip that a refused one lasts, in the mean
	}{
		{netsim.Conditions{Delay: 60 * time.Millisecond}, 0, 5},
		{netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 30 * time.Millisecond}, 0, 8},
		{netsim.Conditions{Delay: 75 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05}, 3, 8},
		{netsim.Conditions{Delay: 75 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.2}, 4, 12},
	} {
		seed := cmp.Or(*seedFlag, rand.Uint64())
		var sum flickering
		for k := range uint64(3) {
			sum.play(t, c.cond, seed+k, components.NodeData{Transient: k%2 == 1})
		}
		lasts := float64(sum.lasted)/float64(sum.refused) - 2*c.cond.Delay.Seconds()*60
		t.Logf("seed %d, %+v: of %d shots %d were away and came again; %d others lasted %.1f steps and a round trip", seed, c.cond, sum.shots, sum.away, sum.refused, lasts)
		if sum.away*100 > sum.shots*c.most || lasts > c.linger {
			t.Errorf("seed %d, %+v", seed, c.cond)
		}
	}
}

// A flickering is how many shots the server has taken, how many of these were away for some steps before the server's
// shell came, how many shots it has not taken, and for how many steps those were there.
type flickering struct{ shots, away, refused, lasted int }

func (f *flickering) play(t *testing.T, c netsim.Conditions, seed uint64, node components.NodeData) {
	t.Helper()
	x := newRange(t, c, seed, node)
	x.jams = func(nr uint16) bool { return nr%3 == 0 }
	rng := rand.New(rand.NewPCG(seed, 1))
	nr, next := uint16(0), 0
	seen, told := map[uint16]int{}, map[uint16]bool{} // the last step with it; it has an id
	for i := range 900 {
		if i == next && i < 800 {
			nr++
			x.input.Fire, x.input.Nr = true, nr
			next += 6 + rng.IntN(12)
		}
		if i%40 == 0 { // something that the client does not foresee
			for e := range x.gun.Iter(x.server.World()) {
				x.gun.Get(e).Pos.Y += 7
			}
		}
		x.steps(1)
		es, _ := x.all(x.client)
		for _, e := range es {
			nr := x.shell.Get(e).Nr
			if x.jams(nr) {
				f.lasted++
			}
			if told[nr] {
				continue
			}
			told[nr] = tendon.ID(e) != 0
			if was, ok := seen[nr]; ok && was < i-1 {
				f.away++
			}
			seen[nr] = i
		}
	}
	for n := uint16(1); n <= nr; n++ {
		if x.jams(n) {
			f.refused++
		} else {
			f.shots++
		}
	}
}

// Where the budget does not pay for what a player has spawned, or where that goes by the reliable lane, the stand-ins
// wait for it.
func TestPredictedSpawnsWaitForTheBudget(t *testing.T) {
	for _, budget := range []int{0, 12000} {
		for _, long := range []bool{false, true} {
			p := tendon.NewProtocol("shotguns")
			gun := tendon.Replicate(p, "gun", donburi.NewComponentType[builderData]())
			pellet := tendon.Replicate(p, "pellet", donburi.NewComponentType[pelletData]())
			type pelletArgs struct {
				Shot, Nr uint16 `rpl:""`
			}
			pellets := tendon.NewPrefab(p, "pellet", func(w donburi.World, a pelletArgs) *donburi.Entry {
				e := w.Entry(w.Create(pellet))
				d := pellet.Get(e)
				d.Shot, d.Nr = a.Shot, a.Nr
				return e
			})
			fire := tendon.NewCommand[placing](p, "fire", gun)
			fly := tendon.NewCommand[tendon.None](p, "fly", pellet)
			press := uint16(0)
			lab := tendontest.NewLab(t, tendontest.Game{
				Protocol: p, Seed: 1,
				Configure: func(n string, c *tendon.Config) { c.Dedicated, c.Budget = n == "server", budget },
				Setup: func(m *tendontest.Machine) {
					m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(gun), p) })
					fire.Sample(m.Replication, func(*donburi.Entry) (a placing) {
						a.Place, a.Cell = press != 0, press
						press = 0
						return a
					})
					fire.Apply(m.Replication, func(c tendon.Call, a placing) {
						for i := range uint16(16) {
							if !a.Place {
								break
							}
							d := pellet.Get(pellets.Predict(c, int(i), pelletArgs{a.Cell, i}))
							if long {
								d.Paint = noise(200, uint64(i))
							}
						}
					})
					fly.Apply(m.Replication, func(tendon.Call, tendon.None) {})
				},
				Step: func(m *tendontest.Machine) { fire.Run(m.Replication); fly.Run(m.Replication) },
			}, netsim.Conditions{Delay: 40 * time.Millisecond})
			lab.Host()
			client := lab.Join()
			lab.Steps(240)
			seen := map[pelletData]int{}
			for i := range 200 {
				if i%40 == 0 {
					press = uint16(i + 1)
				}
				lab.Steps(1)
				for e := range pellet.Iter(client.World()) {
					d := *pellet.Get(e)
					d.Paint = ""
					if was, ok := seen[d]; ok && was < i-1 {
						t.Errorf("budget %d, long %v: pellet %v was away for %d steps", budget, long, d, i-1-was)
					}
					seen[d] = i
				}
			}
			if len(seen) != 80 {
				t.Errorf("budget %d, long %v: %d pellets", budget, long, len(seen))
			}
		}
	}
}

// Where packets are lost, the stand-in of what the server has accepted, and given away, stays as long as that may be on
// its way: a round trip and 250 ms. A packet does not pass for one that tells all while some of it waits for room.
func TestGivenAwayIsNotTakenForRefused(t *testing.T) {
	seed := cmp.Or(*seedFlag, rand.Uint64())
	p := tendon.NewProtocol("blueprints")
	type rowData struct {
		Row, At uint8 `rpl:""`
	}
	type planning struct {
		Go  bool  `rpl:"edge"`
		Row uint8 `rpl:""`
	}
	planner := tendon.Replicate(p, "planner", donburi.NewComponentType[builderData]())
	belt := tendon.Replicate(p, "belt", donburi.NewComponentType[rowData]())
	belts := tendon.NewPrefab(p, "belt", func(w donburi.World, a rowData) *donburi.Entry {
		e := w.Entry(w.Create(belt))
		belt.SetValue(e, a)
		return e
	})
	plan := tendon.NewCommand[planning](p, "plan", planner)
	press := uint8(0)
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol: p, Seed: seed,
		Configure: func(n string, c *tendon.Config) { c.Dedicated = n == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(planner), p) })
			plan.Sample(m.Replication, func(*donburi.Entry) planning { k := planning{press > 0, press}; press = 0; return k })
			plan.Apply(m.Replication, func(c tendon.Call, k planning) {
				for i := range uint8(200) {
					if !k.Go {
						break
					}
					if e := belts.Predict(c, int(i), rowData{k.Row, i}); tendon.IsAuthority(e) {
						tendon.Give(e, 0)
					}
				}
			})
		},
		Step: func(m *tendontest.Machine) { plan.Run(m.Replication) },
	}, netsim.Conditions{Delay: 75 * time.Millisecond, Loss: 0.1})
	lab.Host()
	client := lab.Join()
	lab.Steps(180)
	for row := uint8(1); row <= 20; row++ {
		press = row
		for i := range 50 {
			lab.Steps(1)
			if i == 0 || i > 20 { // by then it is given up
				continue
			}
			there := 0
			for e := range belt.Iter(client.World()) {
				if belt.Get(e).Row == row {
					there++
				}
			}
			if there != 200 {
				t.Errorf("seed %d: %d of the 200 of row %d are there after %d steps", seed, there, row, i)
				break
			}
		}
	}
}

// noise is text that does not get shorter on the way.
func noise(n int, seed uint64) string {
	rng := rand.New(rand.NewPCG(seed, 2))
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(' ' + rng.IntN(90))
	}
	return string(b)
}
