package rpl_test

import (
	"errors"
	"testing"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A reliable call for which a peer has no room returns an error, whether the node is
// new, on its way or there, and still runs at the other peers. At the full peer exactly
// the calls without an error run, once each.
func TestFullLanesAreErrors(t *testing.T) {
	const most = 4096 // calls that may wait for a peer
	for name, before := range map[string]int{"on what was just made": 0, "on what is on its way": 1, "on what is here": 10} {
		t.Run(name, func(t *testing.T) {
			s := rpl.NewSchema("full")
			dot := s.Build("dot").Int("x", 0, 100).Done()
			report := s.RPC("tell", nil, rpl.Broadcast, rpl.Reliable)
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{})
			if err != nil {
				t.Fatal(err)
			}
			var clients [2]*rpltest.Client
			for i := range clients {
				if clients[i], err = net.Join(rpl.Peer(i + 2)); err != nil {
					t.Fatal(err)
				}
			}
			ticks := func(n int) {
				for range n {
					net.Tick(nil)
				}
			}
			ticks(10)
			full := clients[0]
			full.Clogged, full.Deaf = true, before == 1
			id := spawn(t, net, rpl.Spawn{Items: []*rpl.ItemType{dot}})
			ticks(before)
			good, bad := 0, 0
			for bad < 100 {
				for range 40 {
					if err := net.A.Call(id, report, nil); errors.Is(err, rpl.ErrLimit) {
						bad++
					} else if good++; err != nil || bad > 0 {
						t.Fatalf("call %d, after %d errors: %v", good, bad, err)
					}
				}
				ticks(1)
			}
			if err := net.A.CallPeer(id, report, nil, full.Peer); !errors.Is(err, rpl.ErrLimit) {
				t.Errorf("one for that peer alone: %v", err)
			}
			if good < most {
				t.Errorf("%d calls wait, at least %d may", good, most)
			}
			full.Clogged, full.Deaf = false, false
			ticks(300)
			if n, all := len(full.Log.Calls), len(clients[1].Log.Calls); n != good || all != good+bad {
				t.Errorf("%d calls ran there, %d elsewhere, want %d and %d", n, all, good, good+bad)
			}
		})
	}
}
