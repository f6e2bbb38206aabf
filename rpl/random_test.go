package rpl_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Property tests of promises 1 to 4, 6, 8 and 9 with random worlds, operations, peers
// and networks. At the end every client holds exactly what it may see, its callbacks
// came in the promised order, and it was never sent what it may not see nor more than
// its budget. The model and its checks are in the other random_*_test.go files.

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

func drawConfig(t *rapid.T) (c rpl.AuthorityConfig, r rules) {
	switch rapid.SampledFrom([]string{"all", "grid", "grid", "asked"}).Draw(t, "interest") {
	case "grid":
		r.grid = &rpl.Grid{Enter: 400, Exit: 440}
		c.Interest = *r.grid
	case "asked":
		r.grid = &rpl.Grid{Enter: 400, Exit: 440}
		c.Interest = asked{*r.grid}
	}
	c.SendHz = rapid.SampledFrom([]int{60, 60, 30, 20, 6}).Draw(t, "sends")
	if !r.calm && rapid.IntRange(0, 3).Draw(t, "budgeted") == 0 {
		c.Budget = rapid.IntRange(8<<10, 64<<10).Draw(t, "budget")
	}
	c.CheckEvery = rapid.SampledFrom([]time.Duration{0, -1, 10 * time.Millisecond}).Draw(t, "checks")
	r.local = rapid.SampledFrom([]rpl.Peer{0, rpl.Server}).Draw(t, "local")
	r.columns = rapid.Bool().Draw(t, "columns")
	r.crowded = rapid.IntRange(0, 15).Draw(t, "crowded") == 15
	r.first = rapid.SampledFrom([]uint64{0, 0, 1<<16 - 20, 1<<16 - 100, 1<<32 - 50}).Draw(t, "first")
	r.begin = rapid.SampledFrom([]rpl.Tick{0, 0, 1<<24 - 300, rpl.MaxTick - 200_000}).Draw(t, "begin")
	if rapid.IntRange(0, 3).Draw(t, "recorded") == 0 {
		r.tables = recordedTables()[0]
	}
	return c, r
}

// trouble does one random thing to the network or its clients, or nothing.
func (w *randomWorld) trouble() {
	t := w.t
	names := []string{"", "", "", "join", "leave", "pause", "away", "back", "over", "silent", "silent", "haunt", "lag", "weather", "tables", "tables"}
	if w.rules.calm {
		names = names[:9]
	}
	most := 5
	if w.rules.crowded {
		most = 20
	}
	switch rapid.SampledFrom(names).Draw(t, "trouble") {
	case "join":
		for range rapid.IntRange(1, most).Draw(t, "joining") {
			if len(w.net.Clients) < most {
				w.join()
			}
		}
	case "leave":
		if len(w.net.Clients) > 1 {
			w.leave(w.client("leaver"))
		}
	case "away":
		if len(w.net.Clients) > 1 {
			w.suspend(w.client("suspended"))
		}
	case "back":
		if n := len(w.away); n > 0 {
			w.back(rapid.IntRange(0, n-1).Draw(t, "who"))
		}
	case "over":
		if n := len(w.away); n > 0 {
			w.over(rapid.IntRange(0, n-1).Draw(t, "who"))
		}
	case "silent":
		c := w.client("troubled")
		c.Silent, c.Deaf, c.Mute = false, false, false
		switch rapid.IntRange(0, 3).Draw(t, "how") {
		case 0:
			c.Silent = true
		case 1:
			c.Deaf = true
		case 2:
			c.Mute = true
		}
	case "haunt":
		w.haunt(w.client("haunted"))
	case "lag": // acks arrive a second late, so that packets that arrived are judged lost
		c, up := w.client("laggard"), w.cond
		if rapid.Bool().Draw(t, "lag") {
			up.Delay = time.Second
		}
		c.SetConditions(w.cond, up)
	case "weather":
		w.client("weathered").SetConditions(drawNetwork(t), drawNetwork(t))
	case "tables":
		w.net.A.Reship(recordedTables()[rapid.IntRange(0, 1).Draw(t, "which")])
	case "pause":
		w.ticks(rapid.IntRange(30, 200).Draw(t, "pause"))
	}
}

// The promises hold under random operations on random networks.
func TestRandomWorlds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, r := drawConfig(t)
		w := newRandomWorld(t, drawNetwork(t), c, r)
		w.play(60)
	})
}

// Without loss, jitter and budget, clients also show at each tick the state that the
// authority had at that tick.
func TestRandomWorldsWithoutLoss(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c, r := drawConfig(t)
		c.Budget, r.calm = 0, true
		w := newRandomWorld(t, netsim.Conditions{Delay: time.Duration(rapid.IntRange(0, 100).Draw(t, "delay")) * time.Millisecond}, c, r)
		w.play(40)
	})
}

// A reliable lane that is seconds late may lose the calls made just before a removal,
// but never delivers them to the next node with the same handle.
func TestLateLane(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, r := drawConfig(t)
		w := newRandomWorld(t, drawNetwork(t), c, r)
		w.net.LaneDelay, w.late = 3*time.Second, true
		w.play(20)
	})
}

// play makes peers join, plays up to most rounds of trouble and operations, and then
// waits until all clients are equal.
func (w *randomWorld) play(most int) {
	t := w.t
	for range rapid.IntRange(1, 3).Draw(t, "peers") {
		w.join()
	}
	if w.rules.crowded {
		w.tick(func() {
			for range rapid.IntRange(20, 150).Draw(t, "crowd") {
				w.spawnRandom(nil)
			}
		}, nil)
	}
	of := [][]string{shows, shakes}
	for range rapid.IntRange(1, most).Draw(t, "rounds") {
		if rapid.IntRange(0, 7).Draw(t, "turn") == 0 { // for some rounds operations are of one kind or of both
			of = rapid.SampledFrom([][][]string{{shows}, {shows, shakes}, {shakes}}).Draw(t, "kinds")
		}
		w.trouble()
		w.tick(func() { w.some("ops", 3, of) }, func() {
			if rapid.IntRange(0, 3).Draw(t, "late") == 0 {
				w.some("later", 2, [][]string{shakes})
			}
		})
		w.ticks(rapid.IntRange(0, 4).Draw(t, "ticks"))
	}
	w.calmDown()
}

// calmDown ends all trouble, and waits until all clients are equal.
func (w *randomWorld) calmDown() {
	for _, c := range w.net.Clients {
		c.Silent, c.Deaf, c.Mute = false, false, false
		c.SetConditions(w.cond, w.cond)
	}
	w.quiet(20 * time.Second)
}

// some does up to most random operations of the given kinds.
func (w *randomWorld) some(name string, most int, of [][]string) {
	for range rapid.IntRange(0, most).Draw(w.t, name) {
		w.operate(of...)
	}
}
