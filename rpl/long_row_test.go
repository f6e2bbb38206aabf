package rpl_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A row of many words, as the path of a long body, of which one changes now and then, is told whole when its node
// comes, and by what has changed from then on, also before the arrival is acked on a line that loses packets.
func TestLongRowAfterItHasCome(t *testing.T) {
	const words, seeds = 120, 8
	bytes := map[float64]int{}
	for _, loss := range []float64{0, 0.05} {
		for seed := uint64(1); seed <= seeds; seed++ {
			s := rpl.NewSchema("bodies")
			b := s.Build("body")
			for i := range words {
				b = b.Int(fmt.Sprint("p", i), 0, 1<<30)
			}
			typ := b.Done()
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: 60, CheckEvery: -1}, seed, netsim.Conditions{Delay: 150 * time.Millisecond, Loss: loss})
			if err != nil {
				t.Fatal(err)
			}
			rng := rand.New(rand.NewPCG(seed, 0))
			path := make([]int32, words)
			for i := range path {
				path[i] = rng.Int32N(1 << 30)
			}
			c, err := net.Join(2)
			if err != nil {
				t.Fatal(err)
			}
			other, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
			if err != nil {
				t.Fatal(err)
			}
			ot, _ := net.A.Item(other, 0)
			for i := range 600 { // what is lost shows
				path[0] = int32(i)
				net.Tick(func(rpl.Tick) { net.A.SetWords(ot, path) })
			}
			id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
			if err != nil {
				t.Fatal(err)
			}
			it, _ := net.A.Item(id, 0)
			from := net.A.PeerStats(2).Bytes
			for i := range 60 {
				net.Tick(func(rpl.Tick) {
					if i%4 == 0 {
						path[1+i/4] = rng.Int32N(1 << 30)
					}
					net.A.SetWords(it, path)
				})
			}
			bytes[loss] += int(net.A.PeerStats(2).Bytes-from) / seeds
			if _, ok := c.P.Replica(id); !ok {
				t.Errorf("seed %d, loss %v: the node has not come", seed, loss)
			}
		}
	}
	if bytes[0.05] > 4*bytes[0] {
		t.Errorf("%d bytes in the second after it has come, and %d without loss", bytes[0.05], bytes[0])
	}
	t.Logf("%d bytes in the second after it has come, and %d without loss", bytes[0.05], bytes[0])
}
