package rpl_test

// Random worlds of few nodes, of which much changes within every round trip: owners, rights,
// parents, items, what is near, and the nodes themselves.

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/transport/netsim"
)

// themes are kinds of change that meet each other on the way. A hot world plays one to three
// of them at a time.
var themes = [][]string{
	{"give", "again", "ask", "call", "hint", "conceal"},
	{"squad", "team", "watch", "node", "call", "conceal", "bag"},
	{"look", "look", "jump", "call", "hint", "edge"},
	{"parent", "parent", "give", "look", "jump", "node"},
	{"add", "drop", "add", "drop", "bag", "plate", "hulk"},
	{"replace", "die", "remove", "spawn", "call", "hint"},
	{"pace", "busy", "change", "write", "bag", "hulk", "plate"},
	{"check", "rate", "lone"},
}

func TestHotWorlds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, r := drawConfig(t)
		c.Budget, r.crowded = 0, false
		cond := netsim.Conditions{Delay: time.Duration(rapid.IntRange(0, 400).Draw(t, "delay")) * time.Millisecond}
		if rapid.Bool().Draw(t, "rough") {
			cond.Loss = float64(rapid.IntRange(0, 40).Draw(t, "loss")) / 100
			cond.Jitter = time.Duration(rapid.IntRange(0, 120).Draw(t, "jitter")) * time.Millisecond
			cond.Duplicate = float64(rapid.IntRange(0, 20).Draw(t, "duplicate")) / 100
		} else {
			r.calm = rapid.Bool().Draw(t, "calm")
		}
		w := newRandomWorld(t, cond, c, r)
		few := rapid.IntRange(1, 6).Draw(t, "nodes")
		for range rapid.IntRange(1, 3).Draw(t, "peers") {
			w.join()
		}
		var of [][]string
		for range rapid.IntRange(150, 400).Draw(t, "rounds") {
			if of == nil || rapid.IntRange(0, 29).Draw(t, "turn") == 0 {
				of = nil
				for range rapid.IntRange(1, 3).Draw(t, "themes") {
					of = append(of, rapid.SampledFrom(themes).Draw(t, "theme"))
				}
			}
			if rapid.IntRange(0, 9).Draw(t, "troubled") == 0 {
				w.trouble()
			}
			w.tick(func() {
				for len(w.nodes) < few {
					w.spawnRandom(w.pick("parent"))
				}
				w.some("ops", 3, of)
			}, func() {
				if rapid.IntRange(0, 3).Draw(t, "late") == 0 {
					w.some("later", 2, [][]string{shakes})
				}
			})
			for len(w.nodes) > 2*few {
				w.shake("remove", w.pick("excess"))
				w.ungreet()
				w.unask()
			}
		}
		w.calmDown()
	})
}
