package rpl_test

import (
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What has just arrived is told of before its arrival is acked, whichever copy of that has come: also
// what has a short list, on a line that loses packets.
func TestNewsOfAListBeforeTheArrivalIsAcked(t *testing.T) {
	type bag struct {
		At   int32  `rpl:"min=0,max=1000000"`
		List []byte `rpl:"max=200"`
	}
	const life, old = 120, 8                                                // ticks
	for loss, most := range map[float64]int{0.02: 45, 0.05: 45, 0.2: 180} { // of 90,000
		for _, length := range []int{6, 30} {
			for seed := uint64(1); seed <= 3; seed++ {
				s := rpl.NewSchema("bags")
				typ := s.Item("bag", reflect.TypeFor[bag](), nil)
				net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: 30}, seed, netsim.Conditions{Delay: 150 * time.Millisecond, Loss: loss})
				if err != nil {
					t.Fatal(err)
				}
				c, err := net.Join(2)
				if err != nil {
					t.Fatal(err)
				}
				type made struct {
					id rpl.Node
					bag
				}
				var bags []*made
				late, all := 0, 0
				for tick := range 3600 {
					net.Tick(func(rpl.Tick) {
						if tick%4 == 0 {
							id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
							if err != nil {
								t.Fatal(err)
							}
							bags = append(bags, &made{id, bag{List: make([]byte, length)}})
						}
						if len(bags) > life/4 {
							net.A.Remove(bags[0].id)
							bags = bags[1:]
						}
						for _, b := range bags {
							b.At += int32(tick % 5) // never as before
							it, _ := net.A.Item(b.id, 0)
							net.A.Set(it, unsafe.Pointer(&b.bag))
						}
					})
					if tick < 600 {
						continue // until loss is measured
					}
					for id, r := range c.Log.Held {
						if id == rpl.SessionNode {
							continue
						}
						all++
						if r.Tick(0)+old < c.P.Newest() {
							late++
						}
					}
				}
				if late > most {
					t.Errorf("loss %v, a list of %d, seed %d: %d of %d are more than %d ticks old", loss, length, seed, late, all, old)
				}
			}
		}
	}
}
