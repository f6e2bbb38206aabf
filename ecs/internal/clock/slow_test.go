package clock

import (
	"testing"
	"time"
)

// A server that makes fewer steps than it should for a while, on a perfect line: the client's commands come no farther
// ahead as time goes on, without long waits in between, and soon as before when the server is fast again.
func TestLeadOfASlowServer(t *testing.T) {
	for _, slow := range []float64{60, 50, 40, 33, 30, 27, 25, 20} {
		lead, clock := Lead{Hz: 60}, New(step, 2)
		dt := step.Seconds()
		const oneWay = 0.001
		type packet struct {
			at                float64
			tick, report, got uint32
			margin            float64
		}
		var up, down []packet
		var margins [60]float64 // the most in each second, in seconds
		next, tick, report, worst, got := 0.0, uint32(0), uint32(0), 0.0, uint32(0)
		waits, longest := 0, 0
		for n := 1; n < 60*60; n++ {
			now := float64(n) * dt
			hostDt := dt
			if now >= 10 && now < 40 {
				hostDt = 1 / slow
			}
			for ; next <= now; next += hostDt {
				tick++
				for len(up) > 0 && up[0].at <= next {
					m := float64(up[0].tick) - float64(tick) + (next-up[0].at)/dt
					if report == 0 || m < worst {
						report, worst = up[0].tick, m
					}
					got = max(got, up[0].tick)
					up = up[1:]
					margins[int(now)] = max(margins[int(now)], m*hostDt)
				}
				if tick%2 == 0 {
					down = append(down, packet{at: next + oneWay, tick: tick, report: report, margin: worst, got: got})
					report = 0
				}
			}
			at := time.Duration(now * float64(time.Second))
			for len(down) > 0 && down[0].at <= now {
				p := down[0]
				down = down[1:]
				clock.Hear(p.tick, time.Duration(p.at*float64(time.Second)), at, 0)
				if p.report != 0 {
					lead.Reported(clock, p.report, p.got, p.margin, at)
				}
			}
			if !clock.Started() {
				continue
			}
			waits++
			for range lead.Steps(clock.ServerRaw(now), 2, at) {
				lead.Made(at)
				up = append(up, packet{at: now + oneWay, tick: lead.Tick()})
				waits = 0
			}
			longest = max(longest, waits)
		}
		for s, m := range margins {
			if s >= 18 && m > 0.3 && s < 40 || s >= 40 && m > 0.5 || s >= 50 && m > 0.05 {
				t.Errorf("%2.0f steps a second: in second %d a command comes %.2f s before its tick", slow, s, m)
			}
		}
		if longest > 12 {
			t.Errorf("%2.0f steps a second: no command in %d steps", slow, longest)
		}
	}
}
