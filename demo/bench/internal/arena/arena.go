// Package arena simulates the synthetic workloads of the bench and records them as
// traces: players who run and often change direction, bullets that live for a second,
// walkers who walk and rest, and props that hardly ever change.
//
//	arena   1,000 slots, 4,096 units: every kind, about 910 alive, half of them changing
//	crowd  10,000 slots, 8,192 units: walkers and players, 84 % changing in a mean tick
//	still  10,000 slots, 8,192 units: props and a few walkers, 1.7 % changing
//	march   1,000 slots, 4,096 units: all of them move and turn at every tick
package arena

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/tendonengine/tendon/demo/bench/trace"
)

// Hz is the tick rate of the simulation.
const Hz = 60

// A Mix describes a world: its size, and how many slots each kind of entity has.
type Mix struct {
	Name  string
	Slots int
	Ticks int
	Edge  float64 // side of the square world, in units
	share []share // how the slots are shared out among kinds, in order
}

type share struct {
	of   float64
	kind kind
}

// Mixes returns the workloads in their usual sizes.
func Mixes() []Mix {
	return []Mix{
		{"arena", 1000, 600, 4096, []share{{0.064, player}, {0.2, bullet}, {0.4, walker}, {0.336, prop}}},
		{"crowd", 10_000, 240, 8192, []share{{0.9, walker}, {0.1, player}}},
		{"still", 10_000, 240, 8192, []share{{0.02, walker}, {0.98, prop}}},
		{"march", 1000, 240, 4096, []share{{1, marcher}}},
	}
}

// Named returns the mix with the given name.
func Named(name string) (Mix, error) {
	mixes := Mixes()
	if i := slices.IndexFunc(mixes, func(m Mix) bool { return m.Name == name }); i >= 0 {
		return mixes[i], nil
	}
	return Mix{}, fmt.Errorf("there is no mix %q: it is arena, crowd, still or march", name)
}

// Record simulates a mix from a seed and returns the trace.
func Record(m Mix, seed uint64) (*trace.Trace, error) {
	if m.Slots < 1 || m.Ticks < 1 || !(m.Edge > 0) || m.Edge > 1<<20 {
		return nil, fmt.Errorf("a world of %d slots, %d ticks and an edge of %v cannot be simulated", m.Slots, m.Ticks, m.Edge)
	}
	w := newWorld(m, seed)
	r := trace.NewRecorder(m.Name, Hz, m.Slots, []trace.Field{
		{Name: "alive", Role: trace.Alive},
		{Name: "kind"},
		{Name: "x", Role: trace.PosX},
		{Name: "y", Role: trace.PosY},
		{Name: "angle", Role: trace.Angle, Min: 0, Max: turn - 1},
		{Name: "vx", Role: trace.VelX},
		{Name: "vy", Role: trace.VelY},
		{Name: "hp"},
		{Name: "anim"},
		{Name: "team"},
	})
	for range m.Ticks {
		for i := range w.entities {
			e := &w.entities[i]
			w.step(e)
			if !e.alive {
				r.Add(nil)
				continue
			}
			r.Add([]int32{
				1, int32(min(e.kind, prop)), fixed(e.pos.x), fixed(e.pos.y), heading(e.facing), fixed(e.vel.x), fixed(e.vel.y),
				e.health, e.anim, e.team,
			})
		}
	}
	return r.Trace()
}

const (
	perUnit = 32   // positions are in 1/32 unit, velocities in 1/32 unit per second
	turn    = 4096 // angles are in 1/4096 turn
)

func fixed(v float64) int32 { return int32(math.Round(v * perUnit)) }

func heading(rad float64) int32 {
	return int32(math.Round(rad/(2*math.Pi)*turn)) & (turn - 1)
}

type vec struct{ x, y float64 }

func (v vec) add(o vec) vec       { return vec{v.x + o.x, v.y + o.y} }
func (v vec) sub(o vec) vec       { return vec{v.x - o.x, v.y - o.y} }
func (v vec) mul(f float64) vec   { return vec{v.x * f, v.y * f} }
func (v vec) len() float64        { return math.Hypot(v.x, v.y) }
func (v vec) clamp(m float64) vec { return vec{min(max(v.x, 0), m), min(max(v.y, 0), m)} }

// limit shortens v to at most m.
func (v vec) limit(m float64) vec {
	if l := v.len(); l > m {
		return v.mul(m / l)
	}
	return v
}

type world struct {
	edge     float64
	rng      *rand.Rand
	entities []entity
	players  int // how many of the first slots hold players, from whom bullets start; 0 until counted
}

func newWorld(m Mix, seed uint64) *world {
	w := &world{edge: m.Edge, rng: rand.New(rand.NewPCG(seed, 0x6172656e61))}
	upTo, next := 0.0, 0
	for _, s := range m.share {
		upTo += s.of
		end := int(math.Round(upTo * float64(m.Slots)))
		for ; next < end && next < m.Slots; next++ {
			w.entities = append(w.entities, w.newEntity(s.kind))
		}
	}
	for len(w.entities) < m.Slots {
		w.entities = append(w.entities, w.newEntity(m.share[len(m.share)-1].kind))
	}
	return w
}

// somewhere returns a random point of the world.
func (w *world) somewhere() vec { return vec{w.rng.Float64() * w.edge, w.rng.Float64() * w.edge} }

// near returns a random point about far units from p, clamped to the world.
func (w *world) near(p vec, far float64) vec {
	return p.add(vec{w.rng.NormFloat64() * far, w.rng.NormFloat64() * far}).clamp(w.edge)
}

// oneIn is true once in n times on average.
func (w *world) oneIn(n int) bool { return w.rng.IntN(n) == 0 }
