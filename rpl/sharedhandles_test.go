package rpl_test

// Handles in common.

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Nodes that enough peers have by the same handle are shared, and what changes reaches each
// of them: also while peers come and go, and where a node ceases to be shared between the
// change and the send.
func TestSharedHandles(t *testing.T) {
	const nodes = 100
	s := rpl.NewSchema("shares")
	typ := s.Item("walker", reflect.TypeFor[walker](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	walkers, at := [nodes]walker{}, [nodes]unsafe.Pointer{}
	column := net.A.NewColumn(typ, func(row int) unsafe.Pointer { return at[row] })
	column.Resize(nodes)
	ids := [nodes]rpl.Node{}
	spawn := func(i int) {
		at[i] = unsafe.Pointer(&walkers[i])
		if ids[i], err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
			t.Fatal(err)
		}
		item, _ := net.A.Item(ids[i], 0)
		column.Put(i, item)
	}
	for i := range nodes {
		spawn(i)
	}
	change := func(after func()) {
		t.Helper()
		net.Tick(func(rpl.Tick) {
			for i := range walkers {
				walkers[i].HP = (walkers[i].HP + 1) % 100
			}
			net.A.SetColumn(column, at[:])
			if after != nil {
				after()
			}
		})
		for _, c := range net.Clients {
			for i, id := range ids {
				if r := c.Log.Held[id]; r == nil || r.Words(0, nil)[5] != int32(walkers[i].HP) {
					t.Fatalf("client %d has not heard of node %d's change", c.Peer, i)
				}
			}
		}
	}
	shared := func(when string, want int) {
		t.Helper()
		n, fault := net.A.Shared()
		if fault != "" {
			t.Errorf("%s: %s", when, fault)
		}
		if n != want {
			t.Errorf("%s: %d nodes are shared, want %d", when, n, want)
		}
	}
	join := func(peers ...rpl.Peer) {
		for _, p := range peers {
			if _, err := net.Join(p); err != nil {
				t.Fatal(err)
			}
		}
		for range 5 {
			net.Tick(func(rpl.Tick) { net.A.SetColumn(column, at[:]) })
		}
	}
	const all = nodes + 1 // with the session's
	join(2, 3, 4)
	change(nil)
	shared("three peers", 0)
	join(5, 6)
	change(nil)
	shared("five peers", all)
	for i := 0; i < nodes; i += 2 {
		net.A.Remove(ids[i])
		spawn(i)
	}
	join(7) // its handles are other ones
	change(nil)
	if n, fault := net.A.Shared(); n < all/2 || fault != "" {
		t.Errorf("half of the nodes anew: %d are shared, want %d or more; %s", n, all/2, fault)
	}
	change(func() {
		net.Suspend(net.Clients[5])
		net.Suspend(net.Clients[4])
		net.Suspend(net.Clients[3])
	})
	shared("three peers left", 0)
	change(nil)
}
