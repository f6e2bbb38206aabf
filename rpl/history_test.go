package rpl_test

import (
	"slices"
	"testing"

	"github.com/tendonengine/tendon/rpl"
)

// Only rows that have left their predicted course get room for older versions, and new
// nodes take over the room of removed ones. The client shows the current state
// throughout.
func TestWhatStandsHasNoHistory(t *testing.T) {
	const nodes, moving = 3000, 1100
	c := newCrowd(t, nodes, 1)
	for i, w := range c.words {
		w[4], w[5] = 0, 0
		c.a.SetWords(c.items[i], w)
	}
	standing := c.words[moving:]
	c.words = c.words[:moving]
	play := func() {
		t.Helper()
		c.play(90, false)
		c.still = true
		c.play(30, false)
		c.still = false
		if n := c.a.Histories(); n != moving {
			t.Fatalf("%d rows of %d have room for older versions, where %d have moved", n, nodes, moving)
		}
		for i, w := range slices.Concat(c.words, standing) {
			r, ok := c.ends[0].proxy.Replica(c.nodes[i])
			if !ok {
				t.Fatalf("node %d is not there", i)
			}
			if got := r.Words(0, nil); !slices.Equal(got, w) {
				t.Fatalf("node %d has %v, want %v", i, got, w)
			}
		}
	}
	play()
	for i := range moving {
		c.a.Remove(c.nodes[i])
	}
	c.send()
	c.deliver(c.ends[0])
	for i := range moving {
		n, err := c.a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{c.body}})
		if err != nil {
			t.Fatal(err)
		}
		c.nodes[i] = n
		c.items[i], _ = c.a.Item(n, 0)
	}
	play()
}
