package main

import (
	"testing"
	"time"
)

// What players feel holds on a usual line and on localhost; the bounds are those of the
// whole runs with room for a short one. make soak has those.
func TestFeel(t *testing.T) {
	for name, c := range map[string]struct {
		opt  options
		most figures
	}{
		"usual line": {
			options{rtt: 120 * time.Millisecond, jitter: 10 * time.Millisecond, loss: 0.03},
			figures{
				"own_input_ms_p99": 0., "standing_pct": 0.2, "commands_late_pct": 0.2, "corrections_pct": 0.15, // one of the few steps without touch

				"correction_halves_ms_p99": 300., // of those that follow one another

				"misses_pct": 0.5, "view_delay_ms_mean": 70., "rewind_error_p50": 0.01,
			},
		},
		"localhost":        {options{}, figures{"commands_late_pct": 0., "command_margin_ms_mean": 25., "view_delay_ms_mean": 44., "corrections_pct": 0., "rewind_error_p50": 0.}},
		"host at 50 steps": {options{rtt: 60 * time.Millisecond, stepsHost: 50}, figures{"standing_pct": 0.2}},
		"the host plays":   {options{rtt: 60 * time.Millisecond, listen: true}, figures{"standing_pct": 0.2, "corrections_pct": 0.}},
	} {
		t.Run(name, func(t *testing.T) {
			o := c.opt
			o.seconds, o.seed, o.sends, o.fps = 16, 3, 30, "60"
			if o.stepsHost == 0 {
				o.stepsHost = 60
			}
			g, err := newGame(o)
			if err != nil {
				t.Fatal(err)
			}
			g.play(time.Duration(o.seconds) * time.Second)
			f := g.report()
			t.Logf("seed %d: %v", o.seed, f)
			for _, none := range []string{"backwards", "commands_lost", "commands_doubled", "spawns_doubled", "spawns_orphaned", "effects_doubled", "effects_lost", "mismatches"} {
				if f[none] != 0 {
					t.Errorf("%s: %v", none, f[none])
				}
			}
			for what, most := range c.most {
				if f[what].(float64) > most.(float64) {
					t.Errorf("%s: %v, at most %v", what, f[what], most)
				}
			}
		})
	}
}
