package rpl_test

import (
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// When forty nodes change their parent in one tick, a client never shows some of them
// under the old parent and some under the new one, though the send takes several
// packets on a bad network.
func TestParentsChangeTogether(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := newWorld(t, seed, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 40 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.3}, 400)
	var sides [2]rpl.Node
	for i := range sides {
		sides[i] = w.spawn(t).id
	}
	w.nodes = w.nodes[:400] // step does not move the sides
	riders := make([]rpl.Node, 40)
	for i := range riders {
		riders[i] = w.spawn(t).id
		w.nodes = w.nodes[:400]
		if err := w.net.A.SetParent(riders[i], sides[0]); err != nil {
			t.Fatal(err)
		}
	}
	c, err := w.net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	busiest, packets := 0, 0
	w.net.OnPacket = func(rpl.Peer, uint64, []byte) { packets++ }
	there, changes := 0, 0
	for tick := range 600 {
		packets = 0
		w.net.Tick(func(rpl.Tick) {
			w.step(t)
			if tick >= 200 && tick%50 == 0 {
				for i := range w.nodes { // all nodes change, so that one packet is not enough
					th := w.nodes[i]
					th.words[4], th.words[5] = int32(w.r.IntN(101)), int32(w.r.IntN(4096))
					w.net.A.SetWords(th.item, th.words)
				}
				for _, id := range riders {
					if err := w.net.A.SetParent(id, sides[tick/50%2]); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
		if busiest = max(busiest, packets); tick < 200 {
			continue
		}
		counts := map[rpl.Node]int{}
		for _, id := range riders {
			r, ok := c.P.Replica(id)
			if !ok {
				t.Fatalf("tick %d: %v is not here", tick, id)
			}
			counts[r.Parent]++
		}
		if counts[sides[0]] != 40 && counts[sides[1]] != 40 {
			t.Fatalf("tick %d: %d ride here, %d there", tick, counts[sides[0]], counts[sides[1]])
		}
		if counts[sides[1]] != there {
			there, changes = counts[sides[1]], changes+1
		}
	}
	if changes < 5 || busiest < 2 {
		t.Errorf("%d changes came, with at most %d packets a send", changes, busiest)
	}
}
