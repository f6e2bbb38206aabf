package ecs_test

import (
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Commands come in time on a machine whose window takes several steps in an update, and on one that makes
// fewer steps than it should, as on one whose server does, at any rate of steps.
func TestCommandsAtAnyRate(t *testing.T) {
	const seconds = 15
	for i, x := range []struct {
		hz, frames     int
		server, client float64 // of the steps that they should make
	}{
		{60, 60, 1, 1},
		{60, 30, 1, 1},
		{60, 20, 1, 1},
		{60, 12, 1, 1},
		{120, 60, 1, 1},
		{120, 30, 1, 1},
		{240, 60, 1, 1},
		{240, 48, 1, 1},
		{60, 60, 1, .96},
		{60, 60, 1, .955},
		{120, 120, 1, .955},
		{240, 240, 1, .955},
		{240, 240, 1, .9},
		{60, 60, .7, 1},
		{120, 120, .6, 1},
		{240, 240, .7, 1},
	} {
		if raceEnabled && i > 0 {
			break
		}
		r := newRace(t, netsim.Conditions{}, func(c *tendon.Config) { c.Steps = x.hz })
		const tenth = time.Millisecond / 10
		presses := 0
		var server, client, due float64
		before := r.server.CommandStats()
		for at := range int(seconds * time.Second / tenth) {
			if at == 5*int(time.Second/tenth) { // it has settled
				before, presses = r.server.CommandStats(), int(r.onServer().Jumps)
			}
			if at%2000 == 0 && at < (seconds-2)*int(time.Second/tenth) {
				r.input.Jump = true
			}
			r.net.Advance(tenth)
			step := float64(x.hz) * tenth.Seconds()
			if server += step * x.server; server >= 1 {
				server--
				r.stepOf(r.server)
			}
			client += step * x.client
			if due += float64(x.frames) * tenth.Seconds(); due >= 1 {
				for due--; client >= 1; client-- {
					r.stepOf(r.client)
				}
			}
		}
		s := r.server.CommandStats()
		if missed := s.Missed - before.Missed; missed > (s.InTime-before.InTime)/100 {
			t.Errorf("%+v: %d commands missed, %d in time", x, missed, s.InTime-before.InTime)
		}
		if got := int(r.onServer().Jumps) - presses; got < 38 || got > 41 {
			t.Errorf("%+v: %d of 40 presses ran", x, got)
		}
	}
}
