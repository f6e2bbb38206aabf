package rpl_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Promises 1 to 4, 6, 8 and 9 over random worlds, operations, peers and
// networks: whatever happens, when it is over every client has what it may see,
// was told of it in the promised order, was never sent what it may not see, and
// was sent no more than its budget.

func drawNetwork(t *rapid.T) netsim.Conditions {
	ms := func(name string, max int) time.Duration {
		return time.Duration(rapid.IntRange(0, max).Draw(t, name)) * time.Millisecond
	}
	c := netsim.Conditions{Delay: ms("delay", 100)}
	if rapid.Bool().Draw(t, "rough") {
		c.Loss = float64(rapid.IntRange(0, 40).Draw(t, "loss")) / 100
		c.Burst = float64(rapid.IntRange(0, 5).Draw(t, "burst"))
		c.Jitter = ms("jitter", 80)
		c.Duplicate = float64(rapid.IntRange(0, 20).Draw(t, "duplicate")) / 100
	}
	return c
}

func drawConfig(t *rapid.T) rpl.Config {
	var c rpl.Config
	if rapid.Bool().Draw(t, "grid") {
		c.Interest = rpl.Grid{Enter: 400, Exit: 440}
	}
	c.SendHz = rapid.SampledFrom([]int{60, 60, 30, 20}).Draw(t, "sends")
	if rapid.IntRange(0, 3).Draw(t, "budgeted") == 0 {
		c.Budget = rapid.IntRange(16<<10, 64<<10).Draw(t, "budget")
	}
	return c
}

// trouble changes the network or who is on it.
func (w *randomWorld) trouble() {
	t := w.t
	switch rapid.IntRange(0, 9).Draw(t, "trouble") {
	case 0:
		if len(w.net.Clients) < 5 {
			w.join()
		}
	case 1:
		if len(w.net.Clients) > 1 {
			w.leave(w.net.Clients[rapid.IntRange(0, len(w.net.Clients)-1).Draw(t, "leaver")])
		}
	case 2, 3, 4:
		c := w.net.Clients[rapid.IntRange(0, len(w.net.Clients)-1).Draw(t, "troubled")]
		c.Silent, c.Deaf, c.Mute = false, false, false
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			c.Silent = true
		case 1:
			c.Deaf = true
		case 2:
			c.Mute = true
		}
	case 6: // acks come a second late: what arrived is judged lost
		c := w.net.Clients[rapid.IntRange(0, len(w.net.Clients)-1).Draw(t, "laggard")]
		up := w.cond
		if rapid.Bool().Draw(t, "lag") {
			up.Delay = time.Second
		}
		c.SetConditions(w.cond, up)
	case 5:
		w.ticks(rapid.IntRange(30, 150).Draw(t, "pause"))
	}
}

func TestRandomWorlds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newRandomWorld(t, drawNetwork(t), drawConfig(t))
		w.play()
	})
}

// A lane that is seconds late loses last words, never brings them to the next
// tenant of a handle.
func TestLateLane(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newRandomWorld(t, drawNetwork(t), drawConfig(t))
		w.net.LaneDelay, w.late = 3*time.Second, true
		w.play()
	})
}

func (w *randomWorld) play() {
	t := w.t
	for range rapid.IntRange(1, 3).Draw(t, "peers") {
		w.join()
	}
	for range rapid.IntRange(1, 60).Draw(t, "rounds") {
		w.trouble()
		w.tick(func() {
			for range rapid.IntRange(0, 3).Draw(t, "ops") {
				w.operate()
			}
		})
		w.ticks(rapid.IntRange(0, 4).Draw(t, "ticks"))
	}
	for _, c := range w.net.Clients {
		c.Silent, c.Deaf, c.Mute = false, false, false
		c.SetConditions(w.cond, w.cond)
	}
	w.quiet(20 * time.Second)
}
