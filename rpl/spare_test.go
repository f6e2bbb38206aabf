package rpl_test

import (
	"testing"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Of unreliable calls for which a send has no room those are not counted that a later one makes up for.
func TestSpareCallsAreNotMissed(t *testing.T) {
	for _, spare := range []bool{false, true} {
		s := rpl.NewSchema("spare")
		s.Build("dot").Int("x", 0, 100).Done()
		hint := s.RPC("hint", nil, rpl.Broadcast, rpl.Unreliable)
		hint.Spare = spare
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Budget: 2500}, 1, netsim.Conditions{})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := net.Join(2); err != nil {
			t.Fatal(err)
		}
		for range 60 {
			net.Tick(func(rpl.Tick) {
				for range 300 { // more than a send takes, and than the budget pays for
					if err := net.A.Call(rpl.SessionNode, hint, nil); err != nil {
						t.Fatal(err)
					}
				}
			})
		}
		c := net.A.Counters()
		if (c.CallsNoRoom == 0) != spare || (c.NoRoomRPC == "hint") == spare {
			t.Errorf("spare %v: %d calls are counted, the last of %q", spare, c.CallsNoRoom, c.NoRoomRPC)
		}
	}
}
