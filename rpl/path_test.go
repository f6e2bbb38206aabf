package rpl_test

// What a stream has measured of the line to its peer, and another one begins with.

import (
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What was measured of a line outlives a stream, as at a change of level, for who says so; nothing else of the
// stream does. What is sent again by Repeat in the end is not taken for lost.
func TestLineOutlivesAStream(t *testing.T) {
	for _, line := range []netsim.Conditions{{Delay: 100 * time.Millisecond}, {Delay: 50 * time.Millisecond, Loss: 0.1}, {Delay: 25 * time.Millisecond, Rate: 6000}} {
		seed := rand.Uint64()
		s := rpl.NewSchema("path")
		typ := s.Item("body", reflect.TypeFor[givenBody](), nil)
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Budget: 60_000}, seed, line)
		if err != nil {
			t.Fatal(err)
		}
		rng := rand.New(rand.NewPCG(seed, 1))
		var items []rpl.Item
		for range 20 {
			n, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
			if err != nil {
				t.Fatal(err)
			}
			it, _ := net.A.Item(n, 0)
			items = append(items, it)
		}
		ticks := func(n int) {
			for range n {
				net.Tick(func(rpl.Tick) {
					for _, it := range items {
						net.A.Set(it, unsafe.Pointer(&givenBody{rng.Float64() * 1000, rng.Float64() * 1000}))
					}
				})
			}
		}
		join := func() *rpltest.Client {
			c, err := net.Join(2)
			if err != nil {
				t.Fatal(err)
			}
			return c
		}
		c := join()
		ticks(600)
		was := net.A.PeerStats(2)
		net.A.Repeat(2)
		ticks(1)
		known := net.A.Disconnect(2)
		net.Leave(c)
		ticks(40)

		c = join()
		net.A.SetPath(2, known)
		now := net.A.PeerStats(2)
		if math.Abs(now.Loss-was.Loss) > 0.02 || (now.RTT-was.RTT).Abs() > was.RTT/8 || line.Rate > 0 && (now.SendLimit > 2*line.Rate || now.SendLimit < line.Rate/4) {
			t.Errorf("seed %d, %+v: the stream began with %+v, and the one before ended with %+v", seed, line, now, was)
		}
		if now.Packets != 0 || now.Held != 0 {
			t.Errorf("seed %d, %+v: it began with %d packets, and %d nodes", seed, line, now.Packets, now.Held)
		}
		lost := net.A.Counters().PacketsLost
		c.SetConditions(line, netsim.Conditions{Delay: 700 * time.Millisecond}) // it is about to begin
		ticks(40)
		if n := net.A.Counters().PacketsLost; n != lost {
			t.Errorf("seed %d, %+v: %d packets were taken for lost before the first could be acked", seed, line, n-lost)
		}
		c.SetConditions(line, line)
		ticks(300)
		if n := len(c.Log.Held); n < len(items) {
			t.Errorf("seed %d, %+v: the client has %d of %d nodes", seed, line, n, len(items))
		}

		net.Leave(c)
		join()
		if now := net.A.PeerStats(2); now.Loss != 0 || now.RTT != 0 || now.SendLimit != 60_000 {
			t.Errorf("seed %d, %+v: nothing is known of another connection's line, but %+v", seed, line, now)
		}
	}
}
