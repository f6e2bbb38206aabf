package main

// The figures, judged after the run: live, the truth at the drawn tick is not known yet.

import (
	"maps"
	"math"
	"slices"
	"time"

	"github.com/quasilyte/gmath"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// figures are what is reported, by name.
type figures map[string]any

func (f figures) names() []string { return slices.Sorted(maps.Keys(f)) }

// path returns where a body truly was at a tick with its fraction.
func (g *game) path(id rpl.Node, t float64) (gmath.Vec, bool) {
	a, ok := g.paths[id][rpl.Tick(t)]
	b, ok2 := g.paths[id][rpl.Tick(t)+1]
	if !ok || !ok2 {
		return a, false
	}
	return a.Add(b.Sub(a).Mulf(t - math.Floor(t))), true
}

// motion returns the greatest way of a body in a tick, and whether it moved on, within so
// many ticks either side of one.
func (g *game) motion(id rpl.Node, t float64, ticks int) (fastest float64, on bool) {
	on = true
	first := gmath.Vec{}
	for k := -ticks; k < ticks; k++ {
		a, ok := g.path(id, t+float64(k))
		b, ok2 := g.path(id, t+float64(k+1))
		if !ok || !ok2 {
			on = false
			continue
		}
		w := b.Sub(a)
		fastest = math.Max(fastest, w.Len())
		if k == -ticks {
			first = w
		}
		if w.Len() < 0.4*topSpeed || w.X*first.X+w.Y*first.Y < 0 {
			on = false
		}
	}
	return fastest, on
}

func (g *game) report() figures {
	f := figures{}
	g.reportDrawing(f)
	g.reportCommands(f)
	g.reportShots(f)
	f["own_input_ms_p50"], f["own_input_ms_p99"] = quantile(g.own, 0.5), quantile(g.own, 0.99)
	f["mismatches"] = g.mismatches()
	f["rollback_us"] = rollback()
	f["allocs_per_step"] = g.allocations()
	return f
}

// reportDrawing reports how others were drawn.
func (g *game) reportDrawing(f figures) {
	moved, stood, leaps := 0, 0, 0
	var errors []float64
	for i := range g.frames {
		d := &g.frames[i]
		steps := d.dt * 60
		way := d.at.DistanceTo(d.was)
		if _, on := g.motion(d.id, d.view, 3); on && d.dt > 0 {
			moved++
			if way < 0.05*steps {
				stood++
			}
		}
		if fastest, _ := g.motion(d.id, d.view, 20); way > 2.5*math.Max(fastest*steps, 0.3)+1./32 {
			leaps++
		}
		if p, ok := g.path(d.id, d.view); ok {
			errors = append(errors, p.DistanceTo(d.at))
		}
	}
	f["standing_pct"] = share(100*float64(stood), float64(moved))
	f["leaps"] = share(1e5*float64(leaps), float64(len(g.frames)))
	f["backwards"] = g.backwards
	f["view_delay_ms_mean"] = share(g.delay, float64(g.delayCount))
	f["view_delay_ms_others"] = share(g.delayOthers, float64(g.othersCount))
	f["proxy_error_p50"], f["proxy_error_p99"] = quantile(errors, 0.5), quantile(errors, 0.99)
}

// reportCommands reports what became of input.
func (g *game) reportCommands(f figures) {
	s, was := g.server.CommandStats(), g.serverWas
	missed := float64(s.Missed - was.Missed)
	f["commands_late_pct"] = share(100*missed, missed+float64(s.InTime-was.InTime))
	f["command_margin_ms_mean"] = round(float64(s.Margin.Microseconds()) / 1000)
	const flying = 8 // presses on their way at the beginning and the end
	f["commands_lost"] = max(0, g.pressed-g.fired-flying)
	f["commands_doubled"] = max(0, g.fired-g.pressed-flying)
	touching, untouched := 0, 0
	var sizes []float64
	for _, c := range g.corrections {
		sizes = append(sizes, c.size)
		if c.touched {
			touching++
		} else {
			untouched++
		}
	}
	f["corrections_pct"] = share(100*float64(untouched), float64(g.steps-g.stepsTouching))
	f["corrections_touching_pct"] = share(100*float64(touching), float64(g.stepsTouching))
	f["correction_p99"] = quantile(sizes, 0.99)
}

// reportShots reports whether shots hit what was seen.
func (g *game) reportShots(f figures) {
	var off []float64
	var all, misses [2]float64
	doubled, lost, twice, orphans := 0, 0, 0, 0
	for _, s := range g.shots {
		if !s.judged || s.when < warmup {
			continue
		}
		i := 0
		if s.touched {
			i = 1
		}
		all[i]++
		if s.flashes > 1 {
			doubled++
		} else if s.flashes == 0 && !g.opt.noPredict {
			lost++
		}
		if s.doubled {
			twice++
		}
		if s.orphan {
			orphans++
		}
		if !s.hit {
			misses[i]++
		}
		off = append(off, s.off*32)
	}
	f["misses_pct"], f["misses_touching_pct"] = share(100*misses[0], all[0]), share(100*misses[1], all[1])
	f["rewind_error_p50"], f["rewind_error_p99"] = quantile(off, 0.5), quantile(off, 0.99)
	f["shots"], f["effects_doubled"], f["effects_lost"] = len(off), doubled, lost
	f["spawns_doubled"], f["spawns_orphaned"] = twice, orphans
}

// mismatches has the game stand still, and counts the bodies that a machine has otherwise
// than the server.
func (g *game) mismatches() (n int) {
	g.over = true
	g.play(g.net.Now() + 4*time.Second)
	for e := range everyBody.Iter(g.server.World()) {
		at := body.Get(e).Pos
		for _, m := range g.players {
			o, ok := m.Find(tendon.ID(e))
			if !ok || tendon.Confirmed(o, body).Pos.DistanceTo(at) > 1./32 || body.Get(o).Pos.DistanceTo(at) > 2./32 {
				n++
			}
		}
	}
	return n
}

func share(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return round(a / b)
}

func round(x float64) float64 { return math.Round(x*1e4) / 1e4 }

func quantile(v []float64, q float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return round(v[min(len(v)-1, int(q*float64(len(v))))])
}
