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
	var lead Lead
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
	late, sum, n := 0, 0.0, 0
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
		for _, p := range take(&down, client) {
			heard = max(heard, p.got)
			lead.Reported(clock, p.to, p.margin, time.Duration(client*float64(time.Second)))
		}
		at := time.Duration(client * float64(time.Second))
		for range lead.Steps(clock.ServerRaw(client), 2*l.oneWay/dt+2, at) {
			lead.Made(at)
		}
		if newest := lead.Tick(); newest > heard && !gone() {
			up = append(up, packet{at: client + way(), from: max(heard+1, newest-min(newest, 31)), to: newest})
		}
	}
	return led{100 * float64(late) / float64(ran), sum / float64(n) * dt * 1000}
}

// Hardly a command comes after its tick, and none waits long for it.
func TestLead(t *testing.T) {
	for name, c := range map[string]struct {
		line
		late, margin float64
	}{
		"localhost":       {line{}, 0, 25},
		"usual":           {line{oneWay: 0.06, jitter: 0.01, loss: 0.03}, 0.04, 48},
		"jitter of 80 ms": {line{oneWay: 0.05, jitter: 0.08, loss: 0.05}, 0.04, 80},
		"late packets":    {line{oneWay: 0.03, late: 0.1}, 0.1, 65},
		"bursts of loss":  {line{oneWay: 0.15, loss: 0.2, burst: 3}, 1.2, 120},
	} {
		t.Run(name, func(t *testing.T) {
			for seed := uint64(1); seed <= 3; seed++ {
				got := c.lead(seed, 5)
				t.Logf("seed %d: %+v", seed, got)
				if got.late > c.late || got.margin > c.margin {
					t.Errorf("seed %d: want %v %% late, %v ms of margin", seed, c.late, c.margin)
				}
			}
		})
	}
}
