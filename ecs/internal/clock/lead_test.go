package clock

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// led is what came of the commands of a client on a line.
type led struct {
	late   float64 // % of the commands that came after their tick
	margin float64 // mean time before it, ms
	uneven float64 // ticks a minute that a step left out or made besides
}

// lead simulates the commands of some minutes on a line: a client that makes one in each step and
// sends all that the server has not acknowledged, and a server that reports with its sends.
func (l line) lead(seed uint64, minutes int) led {
	type packet struct {
		at       float64
		from, to uint32 // commands, or the report's …
		margin   float64
		got      uint32
	}
	const warm = 8.0
	rng := rand.New(rand.NewPCG(seed, 8))
	bad := false
	gone := func() bool {
		x := rng.Float64()
		if l.burst > 1 {
			if bad {
				bad = x >= 1/l.burst
			} else {
				bad = x < l.loss/(l.burst*(1-l.loss))
			}
			return bad
		}
		return x < l.loss
	}
	way := func() float64 {
		d := l.oneWay + rng.Float64()*l.jitter
		if rng.Float64() < l.late {
			d += 0.05
		}
		return d
	}
	lead := Lead{Hz: 60}
	var up, down []packet
	take := func(q *[]packet, now float64) (all []packet) {
		kept := (*q)[:0]
		for _, p := range *q {
			if p.at <= now {
				all = append(all, p)
			} else {
				kept = append(kept, p)
			}
		}
		*q = kept
		slices.SortFunc(all, func(a, b packet) int { return int((a.at - b.at) * 1e9) })
		return all
	}
	came := map[uint32]bool{}
	dt, phase := step.Seconds(), rng.Float64()*step.Seconds()
	clock := &Clock{step: dt, rate: 1, server: -(l.oneWay + l.jitter/2) / dt}
	got, heard, news, worst, worstAt, ran := uint32(0), uint32(0), false, 0.0, uint32(0), 0
	late, uneven, sum, n := 0, 0, 0.0, 0
	for tick := uint32(1); float64(tick)*dt < float64(minutes)*60; tick++ {
		now := float64(tick) * dt // the server's step
		for _, p := range take(&up, now) {
			for c := p.from; c <= p.to; c++ {
				if came[c] || c+200 < tick {
					continue
				}
				came[c] = true
				got = max(got, c)
				m := float64(c) - float64(tick) + (now-p.at)/dt
				if float64(c) >= float64(tick) {
					sum, n = sum+m, n+1
				}
				if !news || m < worst {
					worst, worstAt = m, c
				}
				news = true
			}
		}
		if now > warm {
			if ran++; !came[tick] {
				late++
			}
		}
		delete(came, tick-min(tick, 200))
		if tick%2 == 0 && news {
			news = false
			if !gone() {
				down = append(down, packet{at: now + way(), to: worstAt, margin: worst, got: got})
			}
		}
		client := now + phase // its step
		if l.skips > 0 && int(tick)%l.skips == 0 {
			continue
		}
		for _, p := range take(&down, client) {
			heard = max(heard, p.got)
			lead.Reported(clock, p.to, p.got, p.margin, time.Duration(client*float64(time.Second)))
		}
		at := time.Duration(client * float64(time.Second))
		makes := lead.Steps(clock.ServerRaw(client), 2*l.oneWay/dt+2, at)
		if makes != 1 && now > warm {
			uneven++
		}
		for range makes {
			lead.Made(at)
		}
		if newest := lead.Tick(); newest > heard && !gone() {
			up = append(up, packet{at: client + way(), from: max(heard+1, newest-min(newest, 31)), to: newest})
		}
	}
	return led{100 * float64(late) / float64(ran), sum / float64(n) * dt * 1000, float64(uneven) / (float64(ran) * dt / 60)}
}

// Hardly a command comes after its tick, none waits long for it, and ticks are seldom left out or doubled.
func TestLead(t *testing.T) {
	for name, c := range map[string]struct {
		line
		late, margin, uneven float64
	}{
		"localhost":       {line{}, 0, 25, 0.5},
		"usual":           {line{oneWay: 0.06, jitter: 0.01, loss: 0.03}, 0.04, 48, 5.5},
		"jitter of 80 ms": {line{oneWay: 0.05, jitter: 0.08, loss: 0.05}, 0.04, 80, 9},
		"late packets":    {line{oneWay: 0.03, late: 0.1}, 0.1, 65, 11},
		"54 steps":        {line{oneWay: 0.04, skips: 10}, 1, 60, 1300},
		"50 steps":        {line{oneWay: 0.04, jitter: 0.01, skips: 6}, 1, 60, 1300},
		"40 steps":        {line{oneWay: 0.04, jitter: 0.01, skips: 3}, 1, 60, 1300},
		"bursts of loss":  {line{oneWay: 0.15, loss: 0.2, burst: 3}, 1.2, 120, 62},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed <= 3; seed++ {
				got := c.lead(seed, 5)
				t.Logf("seed %d: %+v", seed, got)
				if got.late > c.late || got.margin > c.margin || got.uneven > c.uneven {
					t.Errorf("seed %d: want %v %% late, %v ms of margin, %v ticks a minute left out or doubled", seed, c.late, c.margin, c.uneven)
				}
			}
		})
	}
}

// A client that has slept for some seconds finds all at once what came meanwhile, or the first of it.
// Its commands are soon in time again, and not far ahead.
func TestLeadAfterASleep(t *testing.T) {
	const oneWay, every, ahead = 0.04, 3, 64 // the server takes commands that are so many ticks ahead
	dt := step.Seconds()
	for _, sleep := range []float64{0.4, 1, 3, 5, 15} {
		for _, kept := range []int{10_000, 30} { // packets that wait for it
			type packet struct {
				at     float64
				tick   uint32 // of state, or of a command
				report uint32
				margin float64
			}
			lead := Lead{Hz: 60}
			var up, down []packet
			clock := New(step, every)
			const falls, end = 10.0, 40.0
			wakes := falls + sleep
			report, worst, after := uint32(0), 0.0, 0
			for tick := uint32(1); float64(tick)*dt < end; tick++ {
				now := float64(tick) * dt
				for len(up) > 0 && up[0].at <= now {
					m := float64(up[0].tick) - float64(tick) + (now-up[0].at)/dt
					if report == 0 || m < worst {
						report, worst = up[0].tick, m
					}
					if now > wakes+1.5 && (m < 0 || m > 12) {
						if after++; after == 1 {
							t.Errorf("asleep for %v s, %d packets kept: %.1f s later a command comes %.1f ticks before its time", sleep, kept, now-wakes, m)
						}
					}
					up = up[1:]
				}
				if tick%every == 0 {
					down = append(down, packet{at: now + oneWay, tick: tick, report: report, margin: worst})
					report = 0
				}
				if now >= falls && now < wakes {
					continue
				}
				if first := len(down) > 0 && down[0].at < now-1.5*dt-oneWay; first && len(down) > kept {
					down = append(down[:kept], packet{at: now, tick: tick, report: down[len(down)-1].report, margin: down[len(down)-1].margin})
				}
				at := time.Duration(now * float64(time.Second))
				for len(down) > 0 && down[0].at <= now {
					p := down[0]
					down = down[1:]
					stamp := time.Duration(p.at * float64(time.Second))
					if p.at < now-1.5*dt { // it has waited
						stamp = at
					}
					clock.Hear(p.tick, stamp, at, 0)
					if p.report > 0 {
						lead.Reported(clock, p.report, p.report, p.margin, at)
					}
				}
				if !clock.Started() {
					continue
				}
				for range lead.Steps(clock.ServerNow(at), 2*oneWay/dt+2, at) {
					up = append(up, packet{at: now + oneWay, tick: lead.Made(at)})
				}
				if float64(lead.Tick()) > float64(tick)+ahead {
					t.Fatalf("asleep for %v s, %d packets kept: %.1f s later it is %d ticks ahead", sleep, kept, now-wakes, lead.Tick()-tick)
				}
			}
			if after > 0 {
				t.Logf("%d commands like this", after)
			}
		}
	}
}
