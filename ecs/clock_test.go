package ecs

// The clock of a client, by itself.

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
)

// The client's clock settles on the quickest packets, never goes back, and follows a change
// of the route without a jump, for round trips of 20 to 300 ms.
func TestClock(t *testing.T) {
	const seed = 1
	t.Logf("seed %d", seed)
	for _, first := range []time.Duration{10 * time.Millisecond, 50 * time.Millisecond, 100 * time.Millisecond} { // each way
		t.Run(first.String(), func(t *testing.T) {
			clockSettles(t, rand.New(rand.NewPCG(seed, seed)), first, first+50*time.Millisecond)
		})
	}
}

func clockSettles(t *testing.T, rng *rand.Rand, delay, later time.Duration) {
	step := time.Second / 60
	c := clock{step: step}
	var last, before time.Duration
	for tick := range rpl.Tick(60 * 12) {
		if tick == 60*4 {
			delay = later
		}
		sent := time.Duration(tick) * step
		at := sent + delay + time.Duration(rng.Int64N(int64(20*time.Millisecond)))
		c.sample(tick, at)
		now := max(before, at) + time.Millisecond
		s := c.server(now)
		if s < last {
			t.Fatalf("tick %d: from %v back to %v", tick, last, s)
		}
		if went := now - before; tick > 0 && s-last > went+went/20+1 {
			t.Errorf("tick %d: %v in %v", tick, s-last, went)
		}
		last, before = s, now
		settled := tick > 60*2 && tick < 60*4 || tick > 60*8
		if off := s - (now - delay); settled && (off > 4*time.Millisecond || off < -5*time.Millisecond) {
			t.Errorf("tick %d: %v off", tick, off)
		}
	}
	// A machine that has slept jumps forward.
	c.sample(60*100, 20*time.Second)
	if s := c.server(20 * time.Second); s < 99*time.Second {
		t.Errorf("after sleep: %v", s)
	}
}

// A clock that is ahead because the server has paused stands still until the server has
// caught up, and is right again. However long the pause was, that takes no more than a few
// seconds.
func TestClockWaits(t *testing.T) {
	const step, send = 10 * time.Millisecond, 30 * time.Millisecond
	for _, pause := range []time.Duration{300 * time.Millisecond, 3 * time.Second, 15 * time.Second, time.Hour} {
		c := clock{step: step}
		var at, last time.Duration
		play := func(long, paused time.Duration) {
			for end := at + long; at < end; at += send {
				c.sample(rpl.Tick((at-paused)/step), at)
				now := c.server(at)
				if now < last {
					t.Fatalf("after %v it goes back from %v to %v", pause, last, now)
				}
				last = now
			}
		}
		play(5*time.Second, 0)
		at += pause
		c.server(at)
		play(min(pause, clockWaits)+2*clockWindow, pause)
		if off := c.server(at) - (at - pause); off < -step || off > step {
			t.Errorf("after a pause of %v it is off by %v", pause, off)
		}
	}
}
