package rpl_test

import (
	"slices"
	"testing"

	"github.com/tendonengine/tendon/rpl"
)

// All 1,500 nodes change at every tick and the budget pays for thirty. At most one
// batch per tick is coded without being sent, no node waits much longer than its turn,
// nodes with more weight wait less, waiting does not cost nodes their baselines, and in
// the end the peer has the current state.
func TestOverloadedPeers(t *testing.T) {
	t.Parallel()
	const nodes, heavy = 1500, 4
	c := newCrowdOf(t, rpl.AuthorityConfig{Budget: 17_000}, nodes, 1, func(i int) float32 {
		if i%8 == 0 {
			return heavy
		}
		return 1
	})
	e := c.ends[0]
	for held := 0; held < nodes; {
		if c.tick > 10_000 {
			t.Fatalf("the peer has %d of %d nodes", held, nodes)
		}
		c.play(60, false)
		held = 0
		for range e.proxy.Replicas {
			held++
		}
	}
	c.play(600, false)

	const ticks = 600
	before := c.a.Counters()
	last := make([]rpl.Tick, nodes)
	var waits, times [2]rpl.Tick // sum and number of the waits, of light nodes and of heavy ones
	longest := rpl.Tick(0)
	for range ticks {
		was := c.a.Counters().Starved
		c.play(1, false)
		if n := c.a.Counters().Starved - was; n > 16 {
			t.Fatalf("%d updates were coded in one tick and not sent", n)
		}
		for i, n := range c.nodes {
			r, ok := e.proxy.Replica(n)
			if !ok {
				t.Fatalf("%v has gone", n)
			}
			at := r.Tick(0)
			if wait := at - last[i]; last[i] > 0 && wait > 0 {
				k := 0
				if i%8 == 0 {
					k = 1
				}
				waits[k], times[k] = waits[k]+wait, times[k]+1
			}
			last[i], longest = at, max(longest, c.tick-at)
		}
	}
	after := c.a.Counters()
	sent := after.Records - before.Records - (after.Starved - before.Starved)
	byPriority := rpl.Tick(nodes * ticks / sent)
	light, weighty := float64(waits[0])/float64(times[0]), float64(waits[1])/float64(times[1])
	t.Logf("%d updates sent: all in turn every %d ticks, light nodes every %.2f, heavy ones every %.2f, the longest wait %d",
		sent, byPriority, light, weighty, longest)
	if weighty*1.9 > light {
		t.Errorf("heavy nodes were told every %.2f ticks, light ones every %.2f", weighty, light)
	}
	if keys := after.Keyframes - before.Keyframes; keys > sent/10 {
		t.Errorf("%d of %d updates were keyframes", keys, sent)
	}
	if longest > 3*byPriority {
		t.Errorf("one has waited %d ticks, where all could be told every %d", longest, byPriority)
	}

	c.still = true
	c.play(int(4*byPriority), false) // what stops is told in more bits than what goes on
	for i, n := range c.nodes {
		r, _ := e.proxy.Replica(n)
		if got := r.Words(0, nil); !slices.Equal(got, c.words[i]) {
			t.Fatalf("%v is %v, should be %v", n, got, c.words[i])
		}
	}
}

// Where a budget lets a packet leave in every fourth or eighth send only, the turn comes
// to every node all the same.
func TestPriorityReachesAll(t *testing.T) {
	t.Parallel()
	const nodes = 600
	for _, budget := range some([]int{2_000, 4_000, 8_000}) {
		c := newCrowdOf(t, rpl.AuthorityConfig{Budget: budget}, nodes, 1, func(int) float32 { return 1 })
		e := c.ends[0]
		for held := 0; held < nodes; {
			if c.tick > 20_000 {
				t.Fatalf("at %d bytes a second the peer has %d of %d nodes", budget, held, nodes)
			}
			c.play(60, false)
			held = 0
			for range e.proxy.Replicas {
				held++
			}
		}
		before := c.a.Counters()
		const ticks = 1200
		c.play(ticks, false)
		after := c.a.Counters()
		byPriority := rpl.Tick(nodes * ticks / (after.Records - before.Records - (after.Starved - before.Starved)))
		longest := rpl.Tick(0)
		for _, n := range c.nodes {
			r, _ := e.proxy.Replica(n)
			longest = max(longest, c.tick-r.Tick(0))
		}
		if longest > 3*byPriority {
			t.Errorf("at %d bytes a second one has waited %d ticks, where all could be told every %d", budget, longest, byPriority)
		}
	}
}
