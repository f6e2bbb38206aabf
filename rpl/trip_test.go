package rpl_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A packet that was lost, and comes seconds after its time, says nothing of the round trip, at either end: a few
// of them leave it what it is. Where the path becomes longer, also one that packets overtake each other on, that is
// seen as soon as ever.
func TestRoundTripOfAFewLatePackets(t *testing.T) {
	for _, jitter := range []time.Duration{0, 20 * time.Millisecond, 100 * time.Millisecond} {
		for _, busy := range []bool{false, true} {
			seed := rand.Uint64()
			s := rpl.NewSchema("trip")
			typ := s.Item("body", reflect.TypeFor[givenBody](), nil)
			late := netsim.Conditions{Delay: 20 * time.Millisecond, Jitter: jitter, Late: 0.02, LateBy: 3 * time.Second}
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, seed, late)
			if err != nil {
				t.Fatal(err)
			}
			c, err := net.Join(2)
			if err != nil {
				t.Fatal(err)
			}
			n, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
			if err != nil {
				t.Fatal(err)
			}
			it, _ := net.A.Item(n, 0)
			rng := rand.New(rand.NewPCG(seed, 1))
			ticks := func(n int, each func(client, server, spread time.Duration)) {
				for range n {
					net.Tick(func(rpl.Tick) {
						if busy {
							net.A.Set(it, unsafe.Pointer(&givenBody{rng.Float64() * 1000, rng.Float64() * 1000}))
						}
					})
					trip, spread := c.P.RTT()
					each(trip, net.A.PeerStats(2).RTT, spread)
				}
			}
			ticks(900, func(_, _, _ time.Duration) {}) // at first half of it is taken for jitter
			const tick = time.Second / 60
			longest := 2*late.Delay + 2*jitter
			var most, mostSpread time.Duration
			ticks(3600, func(client, server, spread time.Duration) {
				most, mostSpread = max(most, client, server), max(mostSpread, spread)
			})
			if most > longest+tick || mostSpread > jitter+tick {
				t.Errorf("seed %d, jitter %v, busy %v: a round trip of %v was measured where the longest is %v, and a jitter of %v", seed, jitter, busy, most, longest, mostSpread)
			}
			longer := netsim.Conditions{Delay: 200 * time.Millisecond, Jitter: jitter}
			c.SetConditions(longer, longer)
			ticks(240, func(client, server, _ time.Duration) { most = min(client, server) })
			if shortest := 2 * longer.Delay; most < shortest*3/4 {
				t.Errorf("seed %d, jitter %v, busy %v: 4 s after the shortest became %v, the round trip is %v", seed, jitter, busy, shortest, most)
			}
		}
	}
}
