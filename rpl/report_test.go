package rpl_test

// Of the changes that one Apply takes in, an adapter is told the sum.

import (
	"slices"
	"testing"

	"github.com/tendonengine/tendon/rpl"
)

// Owners that change several times between two Applies are told as one change, from the
// owner that was told before. A node that is its former owner's again is not told. (The
// Recorder checks it.)
func TestOwnersOfOneApplyAreReportedOnce(t *testing.T) {
	for _, owners := range [][]rpl.Peer{{2, 0}, {2, rpl.Server}} {
		w := still(t, rpl.AuthorityConfig{}, 2)
		c, n := w.net.Clients[0], w.nodes[0].id
		type packet struct {
			seq uint64
			b   []byte
		}
		var kept []packet
		w.net.OnPacket = func(_ rpl.Peer, seq uint64, b []byte) { kept = append(kept, packet{seq, slices.Clone(b)}) }
		c.Deaf = true
		for _, p := range owners {
			w.net.Tick(func(rpl.Tick) { w.net.A.Give(n, p) })
		}
		for range 6 {
			w.net.Tick(nil)
		}
		for _, p := range kept {
			c.P.Receive(p.seq, w.net.Now, p.b)
		}
		c.Deaf = false
		for range 30 {
			w.net.Tick(nil)
		}
		if r, ok := c.P.Replica(n); !ok || r.Owner != owners[1] || len(c.Log.Errors) > 0 {
			t.Errorf("owners %v: %v, %v", owners, ok, c.Log.Errors)
		}
	}
}
