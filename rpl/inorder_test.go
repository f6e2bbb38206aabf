package rpl_test

import (
	"math/rand/v2"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Whichever packets are lost, a client can read all packets that arrive in the order in
// which they were sent, because the baselines that they name are there. In particular,
// an update against one copy of an arrival does not drop the baseline that later
// packets name after the ack of another copy.
func TestPacketsInOrderAreReadable(t *testing.T) {
	t.Parallel()
	seed := rand.Uint64()
	for run := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, run))
		sch := newRandomSchema()
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: sch.s, Hz: 60}, rng.Uint64(), netsim.Conditions{
			Loss: float64(rng.IntN(30)) / 100, Burst: float64(rng.IntN(4)), Delay: time.Duration(10+rng.IntN(90)) * time.Millisecond,
		})
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		var nodes []rpl.Node
		var items []rpl.Item
		for range 240 {
			net.Tick(func(rpl.Tick) {
				if n := len(nodes); n > 10 {
					net.A.Remove(nodes[0])
					nodes, items = nodes[1:], items[1:]
				} else if rng.IntN(3) == 0 {
					id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{sch.body}})
					if err != nil {
						t.Fatal(err)
					}
					it, _ := net.A.Item(id, 0)
					nodes, items = append(nodes, id), append(items, it)
				}
				for _, it := range items {
					b := bodyItem{Pos: xy{rng.Float64() * 400, rng.Float64() * 400}, HP: uint8(rng.IntN(256))}
					net.A.Set(it, unsafe.Pointer(&b))
				}
			})
			if n := c.P.Counters().Refused; n != 0 {
				t.Fatalf("seed %d, run %d: a packet is refused", seed, run)
			}
		}
	}
}
