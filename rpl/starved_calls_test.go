package rpl_test

import (
	"reflect"
	"testing"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Unreliable calls on several nodes that are more than the budget pays for, as of several who speak, are dropped
// of each in turn, and not always of the same.
func TestDroppedCallsTakeTurns(t *testing.T) {
	s := rpl.NewSchema("speakers")
	typ := s.Build("speaker").Int("x", 0, 100).Done()
	talk := s.RPC("talk", reflect.TypeFor[[25]uint32](), rpl.Broadcast, rpl.Unreliable)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: 30, Budget: 10000}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	var speakers []rpl.Node
	for range 6 {
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
		if err != nil {
			t.Fatal(err)
		}
		speakers = append(speakers, id)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	const calls = 300
	for i := range 60 + 2*calls {
		net.Tick(func(now rpl.Tick) {
			for _, id := range speakers {
				if i >= 60 && i%2 == 0 {
					if err := net.A.Call(id, talk, make([]byte, 100)); err != nil {
						t.Fatal(err)
					}
				}
			}
		})
	}
	heard, all := map[rpl.Node]int{}, 0
	for _, call := range c.Log.Calls {
		heard[call.Node]++
		all++
	}
	for _, id := range speakers {
		if share := float64(heard[id]) * float64(len(speakers)) / float64(all); share < 0.8 || all < calls {
			t.Errorf("of %d calls %d were heard in all, and %d of %v: %.2f of its share", len(speakers)*calls, all, heard[id], id, share)
		}
	}
}
