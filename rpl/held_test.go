package rpl_test

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Calls on many new nodes all run, in order for each node, although the reliable calls
// overtake the lost arrivals.
func TestCallsOnManyNewNodes(t *testing.T) {
	sch := newRandomSchema()
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: sch.s, Hz: 60}, 1, netsim.Conditions{Delay: 30 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	ran := map[rpl.Node]byte{}
	c.Log.OnRun = func(call rpl.Call) {
		if ran[call.Node]++; call.Args[0] != ran[call.Node] {
			t.Errorf("call %d on %v ran as number %d", call.Args[0], call.Node, ran[call.Node])
		}
	}
	for range 30 {
		net.Tick(nil)
	}
	var nodes []rpl.Node
	call := func(n byte) {
		for _, id := range nodes {
			if err := net.A.Call(id, sch.call, []byte{n, 0}); err != nil {
				t.Fatal(err)
			}
		}
	}
	c.Deaf = true
	net.Tick(func(rpl.Tick) {
		for range 150 {
			id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{sch.body}})
			if err != nil {
				t.Fatal(err)
			}
			nodes = append(nodes, id)
		}
		call(1)
	})
	net.Tick(func(rpl.Tick) { call(2) })
	for range 20 {
		net.Tick(nil)
	}
	c.Deaf = false
	for k := range 120 {
		net.Tick(func(rpl.Tick) {
			if k == 1 {
				call(3)
			}
		})
	}
	for _, id := range nodes {
		if ran[id] != 3 {
			t.Fatalf("%d of 3 calls ran on %v: %+v", ran[id], id, c.P.Counters())
		}
	}
}
