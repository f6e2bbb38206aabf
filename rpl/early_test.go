package rpl_test

// Calls of one step on a node that its peers do not have yet run in the order in which they
// were made, whoever they are for.

import (
	"slices"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

func TestCallsOnANewNodeKeepTheirOrder(t *testing.T) {
	type step struct {
		net  *rpltest.Net
		sch  *randomSchema
		last byte
	}
	call := func(s *step, n rpl.Node, to rpl.Peer, rpc *rpl.RPCType) {
		s.last++
		args, err := []byte{s.last, 0, 0}, error(nil)
		if to != 0 {
			err = s.net.A.CallPeer(n, rpc, args, to)
		} else {
			err = s.net.A.Call(n, rpc, args)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	spawn := func(s *step, as rpl.Spawn) rpl.Node {
		as.Items = []*rpl.ItemType{s.sch.body}
		n, err := s.net.A.Spawn(as)
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	hang := func(s *step, n, up rpl.Node) {
		if err := s.net.A.SetParent(n, up); err != nil {
			t.Fatal(err)
		}
	}
	own := rpl.Streaming{Relevance: rpl.OwnerOnly}
	for what, play := range map[string]func(s *step, old rpl.Node){
		"to all, then to the owner": func(s *step, _ rpl.Node) {
			n := spawn(s, rpl.Spawn{Owner: 2})
			call(s, n, 0, s.sch.call)
			call(s, n, 0, s.sch.report)
			call(s, n, 2, s.sch.call)
		},
		"given in between": func(s *step, _ rpl.Node) {
			n := spawn(s, rpl.Spawn{Owner: 3})
			call(s, n, 0, s.sch.call)
			s.net.A.Give(n, 2)
			call(s, n, 0, s.sch.report)
		},
		"to who does not see it, then its owner": func(s *step, old rpl.Node) {
			if err := s.net.A.SetStreaming(old, own); err != nil {
				t.Fatal(err)
			}
			call(s, old, 2, s.sch.call)
			s.net.A.Give(old, 2)
			call(s, old, 0, s.sch.report)
		},
		"under a new vault and out of it": func(s *step, old rpl.Node) {
			hang(s, old, spawn(s, rpl.Spawn{Owner: 2, Streaming: own}))
			call(s, old, 0, s.sch.call)
			hang(s, old, 0)
			call(s, old, 0, s.sch.call)
		},
		"of the owner under a new vault": func(s *step, old rpl.Node) {
			s.net.A.Give(old, 2)
			hang(s, old, spawn(s, rpl.Spawn{Streaming: own}))
			call(s, old, 0, s.sch.call)
			call(s, old, 0, s.sch.report)
		},
	} {
		t.Run(what, func(t *testing.T) {
			sch := newRandomSchema()
			net, err := rpltest.New(rpl.AuthorityConfig{Schema: sch.s, Hz: 60}, 1, netsim.Conditions{Delay: 30 * time.Millisecond})
			if err != nil {
				t.Fatal(err)
			}
			s := &step{net: net, sch: sch}
			old := spawn(s, rpl.Spawn{})
			c, err := net.Join(2)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := net.Join(3); err != nil {
				t.Fatal(err)
			}
			var ran []byte
			c.Log.OnRun = func(call rpl.Call) { ran = append(ran, call.Args[0]) }
			for range 30 {
				net.Tick(nil)
			}
			net.Tick(func(rpl.Tick) { play(s, old) })
			for range 60 {
				net.Tick(nil)
			}
			if len(ran) != int(s.last) || !slices.IsSorted(ran) {
				t.Errorf("of %d calls these ran: %v", s.last, ran)
			}
		})
	}
}
