package rpl_test

// Many peers that come at once.

import (
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// If many peers come at once to a large world, no send codes all of it for all of them,
// and none of them waits for long.
func TestManyJoinAtOnce(t *testing.T) {
	t.Parallel()
	const nodes, peers = 3000, 40
	for _, budget := range []int{0, 4_000_000} {
		w := newWorld(t, 5, rpl.AuthorityConfig{Budget: budget}, netsim.Conditions{Delay: 20 * time.Millisecond}, nodes)
		for _, th := range w.nodes {
			w.net.A.SetWords(th.item, th.words)
		}
		w.net.Tick(nil)
		for p := range peers {
			if _, err := w.net.Join(rpl.Peer(p + 2)); err != nil {
				t.Fatal(err)
			}
		}
		before, most, ticks := w.net.A.Counters().Arrivals, uint64(0), 0
		for before < nodes*peers {
			w.net.Tick(nil)
			now := w.net.A.Counters().Arrivals
			most = max(most, now-before)
			before = now
			if ticks++; ticks > 90 {
				t.Fatalf("budget %d: after %d ticks %d of %d arrivals have left", budget, ticks, before, nodes*peers)
			}
		}
		if most > nodes*peers/40 {
			t.Errorf("budget %d: %d of %d arrivals were coded for one send", budget, most, nodes*peers)
		}
	}
}

// A node that hangs elsewhere while a peer comes, and is a root again in the same step, reaches those
// who come later, too.
func TestJoinAfterAHangWhileAnotherJoins(t *testing.T) {
	w := newWorld(t, 5, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 20 * time.Millisecond}, 3)
	join := func(p rpl.Peer) {
		if _, err := w.net.Join(p); err != nil {
			t.Fatal(err)
		}
	}
	ticks := func() {
		for range 60 {
			w.net.Tick(nil)
		}
	}
	a, top, n := w.net.A, w.nodes[0].id, w.nodes[1].id
	hang := func(under rpl.Node) {
		if err := a.SetParent(n, under); err != nil {
			t.Fatal(err)
		}
	}
	ticks()
	hang(top)
	join(2)
	hang(0)
	ticks()
	join(3)
	ticks()
	if got := a.Holders(n, nil); len(got) != 2 {
		t.Errorf("these hold it: %v", got)
	}
}

// What is decided on for those who come goes in slices, for all together: two peers come at once,
// and neither a call on a node in the moment of the join, nor what is given to them, nor the
// total of their progress waits for its slice.
func TestJoinsGoInSlices(t *testing.T) {
	const nodes, slice, peers = 2000, 100, 2
	s := rpl.NewSchema("slices")
	typ := s.Build("body").Int("x", 0, 1000).Done()
	tell := s.RPC("tell", nil, rpl.Broadcast, rpl.Reliable)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{Delay: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	net.A.SetMaxWanted(slice)
	var ids []rpl.Node
	for range nodes {
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	net.Tick(nil)
	last := ids[nodes-1]
	for p := range peers {
		if _, err := net.Join(rpl.Peer(p + 2)); err != nil {
			t.Fatal(err)
		}
		if _, wanted, _ := net.A.Filling(rpl.Peer(p + 2)); wanted != nodes+1 {
			t.Errorf("at once peer %d shall have %d nodes, want %d with the session's", p+2, wanted, nodes+1)
		}
	}
	net.A.Give(ids[nodes-2], 3)
	if err := net.A.Call(last, tell, nil); err != nil {
		t.Fatal(err)
	}
	held := func() (n int) {
		for _, id := range ids {
			n += len(net.A.Holders(id, nil))
		}
		return n
	}
	for before, ticks := held(), 0; before < len(ids)*peers; {
		net.Tick(nil)
		now := held()
		if now-before > slice+2*peers {
			t.Fatalf("in send %d, %d nodes left, want %d at most, and those that were given or called", ticks, now-before, slice)
		}
		if ticks++; ticks == 5 {
			if got := net.A.Holders(ids[nodes-2], nil); !slices.Contains(got, 3) {
				t.Errorf("what was given to peer 3 is held by %v", got)
			}
			net.A.Remove(ids[nodes-3])
			ids = append(ids[:nodes-3], ids[nodes-2:]...)
		}
		if ticks == 3 { // what is new, and called at once, does not wait either
			id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
			if err != nil {
				t.Fatal(err)
			}
			if err := net.A.Call(id, tell, nil); err != nil {
				t.Fatal(err)
			}
			ids = append(ids, id)
		}
		if before = now; ticks > 2*nodes*peers/slice {
			t.Fatalf("after %d ticks %d of %d have left", ticks, now, nodes*peers)
		}
	}
	for range 120 {
		net.Tick(nil)
	}
	for _, c := range net.Clients {
		for _, id := range []rpl.Node{last, ids[len(ids)-1]} {
			if n := count(c.Log.Calls, id); n != 1 {
				t.Errorf("peer %d has had %d calls on %v, want one", c.Peer, n, id)
			}
		}
		if has, wanted, _ := net.A.Filling(c.Peer); has != wanted || wanted != len(ids)+1 {
			t.Errorf("peer %d has %d of %d nodes, want %d", c.Peer, has, wanted, len(ids)+1)
		}
	}
}

// count is how many calls are on a node.
func count(calls []rpl.Call, on rpl.Node) (n int) {
	for _, c := range calls {
		if c.Node == on {
			n++
		}
	}
	return n
}

// Where somebody comes in every step, those who came before come on all the same.
func TestWhoCameFirstIsNotKeptWaiting(t *testing.T) {
	const nodes, slice, peers = 2000, 200, 20
	w := newWorld(t, 5, rpl.AuthorityConfig{SendHz: 60}, netsim.Conditions{Delay: 20 * time.Millisecond}, nodes)
	w.net.A.SetMaxWanted(slice)
	w.net.Tick(nil)
	for p := range peers {
		if _, err := w.net.Join(rpl.Peer(p + 2)); err != nil {
			t.Fatal(err)
		}
		before := make([]int, p)
		for q := range before {
			before[q] = w.net.A.PeerStats(rpl.Peer(q + 2)).Held
		}
		w.net.Tick(nil)
		for q, was := range before {
			if now := w.net.A.PeerStats(rpl.Peer(q + 2)).Held; now <= was && now < nodes {
				t.Fatalf("while peer %d comes, peer %d stays at %d of %d nodes", p+2, q+2, now, nodes)
			}
		}
	}
}
