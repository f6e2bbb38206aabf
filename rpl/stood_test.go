package rpl_test

// What a client refuses that has stood still, as a program whose window is dragged, and then takes all that has come
// meanwhile at once.

import (
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type stoodBody struct {
	N uint32  `rpl:""`
	X float64 `rpl:"step=1,interp"`
}

// A client has stood for up to the time after which it is sent nothing, at many sends a second. What it is sent
// meanwhile, of what changes in each send and of what it predicts and is told until it acks it, builds on what it has:
// it refuses nothing, and what it knows is as old as the way of a packet at once.
func TestClientThatHasStood(t *testing.T) {
	t.Parallel()
	for _, hz := range []int{60, 120} {
		for _, delay := range []int{50, 100, 150, 200, 400} { // ms
			for _, stands := range []int{800, 900, 1000} { // ms
				s := rpl.NewSchema("stood")
				typ := s.Item("body", reflect.TypeFor[stoodBody](), nil)
				typ.Commanded = true
				net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: hz}, 1, netsim.Conditions{Delay: time.Duration(delay) * time.Millisecond})
				if err != nil {
					t.Fatal(err)
				}
				c, err := net.Join(2)
				if err != nil {
					t.Fatal(err)
				}
				var ids [2]rpl.Node
				var items [2]rpl.Item
				for i := range ids {
					if ids[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
						t.Fatal(err)
					}
					items[i], _ = net.A.Item(ids[i], 0)
				}
				net.A.Give(ids[1], 2)
				net.A.SetPredicting(2, nil)
				var bodies [2]stoodBody
				play := func(n int, own bool) {
					for range n {
						net.Tick(func(now rpl.Tick) {
							for i := range bodies {
								if b := &bodies[i]; i == 0 || own {
									b.N, b.X = uint32(now), b.X+float64(now/20%3)
									net.A.Set(items[i], unsafe.Pointer(b))
								}
							}
						})
					}
				}
				play(3*hz, true)
				c.Stands = true
				play(hz/10, true) // then its commands are missing
				play(hz*stands/1000-hz/10, false)
				c.Stands = false
				oldest := 0
				for range hz {
					play(1, true)
					var got stoodBody
					c.P.Inject(c.Log.Held[ids[0]], 0, typ, unsafe.Pointer(&got))
					oldest = max(oldest, int(net.TickNumber())-int(got.N))
				}
				if n := c.P.Counters(); n.Refused > 0 || n.Resyncs > 0 || oldest > hz*delay/1000+2 {
					t.Errorf("%d Hz, %d ms, stood for %d ms: %d packets refused, %d resyncs, what changes was known up to %d ticks late", hz, delay, stands, n.Refused, n.Resyncs, oldest)
				}
				play(hz, false)
				for i, id := range ids {
					var got stoodBody
					if c.P.Inject(c.Log.Held[id], 0, typ, unsafe.Pointer(&got)); i == 1 && got != bodies[1] {
						t.Errorf("%d Hz, %d ms, stood for %d ms: in the end its own is %+v, not %+v", hz, delay, stands, got, bodies[1])
					}
				}
			}
		}
	}
}
