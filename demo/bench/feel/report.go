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
	f["rollback_us"], f["rewind_us"] = rollback(), rewind()
	f["allocs_per_step"] = g.allocations()
	return f
}

// reportDrawing reports how others were drawn.
func (g *game) reportDrawing(f figures) {
	type proxy struct {
		by *machine
		id rpl.Node
	}
	moved, stood, leaps := 0, 0, 0
	frozen := map[proxy]time.Duration{}
	var freeze, freezeLate, over time.Duration
	var errors []float64
	for i := range g.frames {
		d := &g.frames[i]
		steps := d.dt.Seconds() * 60
		way := d.at.DistanceTo(d.was)
		_, on := g.motion(d.id, d.view, 3)
		on = on && d.dt > 0
		if on {
			moved++
		}
		if of := (proxy{d.by, d.id}); !on || way >= 0.05*steps {
			delete(frozen, of)
		} else {
			stood++
			frozen[of] += d.dt
			if freeze = max(freeze, frozen[of]); g.late(d.by) {
				freezeLate = max(freezeLate, frozen[of])
			}
			for k := len(g.stalls) - 1; k >= 0; k-- {
				if g.stalls[k] <= d.now {
					over = max(over, d.now-g.stalls[k]-g.opt.stall)
					break
				}
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
	f["freeze_ms_max"], f["freeze_ms_max_late"] = ms(freeze), ms(freezeLate)
	f["stall_over_ms"] = ms(over)
	f["view_delay_ms_mean"] = g.delay.mean()
	f["view_delay_ms_others"] = g.delayOthers.mean()
	lateLine := bin{g.delay.sum - g.delayOthers.sum, g.delay.n - g.delayOthers.n}
	f["view_delay_ms_late"] = lateLine.mean()
	f["view_delay_back_s"] = g.delayBack()
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
	f["correction_p99"], f["correction_halves_ms_p99"] = quantile(sizes, 0.99), quantile(g.halves, 0.99)
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

// delayBack returns how many seconds after the end of the jitter the view's delay has come within
// 10 ms of what it is from ten seconds after it on; 0 if the run is not that long.
func (g *game) delayBack() float64 {
	const near = 10
	end, last := int(g.calmed/binTime), len(g.delayBins)-1
	later := end + int(10*time.Second/binTime)
	if g.calmed == 0 || later >= last {
		return 0
	}
	var usual bin
	for _, b := range g.delayBins[later:last] {
		usual.add(b.mean())
	}
	back := end
	for back < last && g.delayBins[back].mean() > usual.mean()+near {
		back++
	}
	return round((time.Duration(back)*binTime - g.calmed).Seconds())
}

func ms(d time.Duration) float64 { return round(float64(d) / float64(time.Millisecond)) }

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
