package rpl_test

import (
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
)

// RPCs in random worlds: each call runs where it must, nowhere else, and once.

// A request is a call that a client made and that runs on the authority.
type request struct {
	node rpl.Node
	from rpl.Peer
	sure bool // it must run
	ran  int
}

// number returns a new call's number and the arguments that carry it.
func (w *randomWorld) number() (id uint32, args []byte) {
	w.next++
	id = uint32(w.next)
	return id, []byte{byte(id), byte(id >> 8), byte(id >> 16)}
}

func numberOf(args []byte) uint32 {
	return uint32(args[0]) | uint32(args[1])<<8 | uint32(args[2])<<16
}

// onRun checks a call that runs at a client: on the right node, for that client, once,
// and in order if it is reliable.
func (w *randomWorld) onRun(c *rpltest.Client, call rpl.Call) {
	if c.Peer == w.villain {
		return
	}
	id := numberOf(call.Args)
	if w.said[id] != call.Node {
		w.t.Fatalf("client %d: call %d on %v ran on %v", c.Peer, id, w.said[id], call.Node)
	}
	if to, ok := w.to[id]; ok && to != c.Peer {
		w.t.Fatalf("client %d: call %d on %v, for %d, ran", c.Peer, id, call.Node, to)
	}
	w.ran[c][id]++
	if w.ran[c][id] > 1 {
		w.t.Fatalf("client %d: call %d on %v ran twice", c.Peer, id, call.Node)
	}
	if call.RPC.Lane == rpl.Unreliable {
		return
	}
	if last := w.order[c][call.Node]; id < last {
		w.t.Fatalf("client %d: call %d on %v ran after %d", c.Peer, id, call.Node, last)
	}
	w.order[c][call.Node] = id
}

// onServer checks a call that runs on the authority.
func (w *randomWorld) onServer(call rpl.Call) {
	if call.From <= rpl.Server || call.From == w.villain {
		return // the authority's own call, or the villain's, of which the model knows nothing
	}
	id := numberOf(call.Args)
	r := w.asked[id]
	if r == nil || r.node != call.Node || r.from != call.From {
		w.t.Fatalf("call %d of %d on %v ran on the authority, which was %+v", id, call.From, call.Node, r)
	}
	if r.ran++; r.ran > 1 && call.RPC.Lane == rpl.Reliable {
		w.t.Fatalf("call %d of %d on %v ran twice on the authority", id, call.From, call.Node)
	}
}

// ungreet stops expecting that greetings run: a node may stream out for a peer before
// it has arrived there and stream in again, and the greeting is then lost with its
// first arrival.
func (w *randomWorld) ungreet() {
	for _, n := range w.nodes {
		n.greeted = nil
	}
}

// unask stops expecting that requests run, though they may: owners or peers have
// changed.
func (w *randomWorld) unask() {
	for _, r := range w.asked {
		r.sure = false
	}
}

// greet makes a call on a node that was just spawned. The call must run at every client
// that gets the node.
func (w *randomWorld) greet(n *thingy) {
	id, args := w.number()
	w.said[id] = n.id
	if err := w.net.A.Call(n.id, w.sch.call, args); err != nil {
		w.t.Fatal(err)
	}
	n.greeting = id
	n.greeted = append(n.greeted, w.net.Clients...)
}

// mostApart is the most ticks between two sends.
const mostApart = 10

// say makes a reliable call on a node, to all clients that hold it or to one peer. It
// must run at those of them that hold the node.
func (w *randomWorld) say(n *thingy) {
	id, args := w.number()
	w.said[id] = n.id
	var err error
	only := rpl.Peer(0)
	switch rapid.SampledFrom([]string{"call", "call", "shout", "peer", "owner"}).Draw(w.t, "how") {
	case "call":
		err = w.net.A.Call(n.id, w.sch.call, args)
	case "shout":
		err = w.net.A.Call(n.id, w.sch.shout, args)
	case "peer":
		c := w.client("whom")
		only = c.Peer
		err = w.net.A.CallPeer(n.id, w.sch.call, args, only)
	case "owner":
		only = n.owner
		err = w.net.A.Call(n.id, w.sch.report, args)
		if only == 0 || only == rpl.Server {
			return // the call runs on the authority
		}
	}
	if err != nil {
		w.t.Fatal(err)
	}
	if only != 0 {
		w.to[id] = only
	}
	holders := w.net.A.Holders(n.id, nil) // the call has updated which peers hold the node
	if n.root().born+mostApart > w.net.TickNumber() {
		return // its root is new: Stream has yet to decide who has it
	}
	for _, c := range w.net.Clients {
		if slices.Contains(holders, c.Peer) && c.Log.Held[n.id] != nil && (only == 0 || only == c.Peer) {
			w.expect = append(w.expect, expected{c, id, n.id})
		}
	}
}

// hint makes an unreliable call.
func (w *randomWorld) hint(n *thingy) {
	id, args := w.number()
	w.said[id] = n.id
	if err := w.net.A.Call(n.id, w.sch.hint, args); err != nil {
		w.t.Fatal(err)
	}
}

// ask makes every client call the authority: on a node, where the call must run if the
// client owns the node and neither its owner nor its place in a hierarchy has changed
// since the client's newest tick, and on the session's node, where it must always run.
func (w *randomWorld) ask(n *thingy) {
	for _, c := range w.net.Clients {
		c.P.Step(c.P.Newest())
		for _, q := range []struct {
			rpc  *rpl.RPCType
			node rpl.Node
			sure bool
		}{{w.sch.ask, n.id, n.owner == c.Peer && n.shaken < c.P.Newest()}, {w.sch.chat, rpl.SessionNode, true}, {w.sch.nudge, n.id, false}} {
			r, has := c.P.Replica(q.node)
			if !has {
				continue
			}
			id, args := w.number()
			if err := c.P.Call(q.node, q.rpc, args); err != nil {
				w.t.Fatal(err)
			}
			w.asked[id] = &request{q.node, c.Peer, q.sure && (q.rpc.FromAnyone || r.Owner == c.Peer), 0}
		}
	}
}

// allRan returns an error if a call that must have run has not.
func (w *randomWorld) allRan() error {
	const thin = 16 << 10 // bytes per second: with less the lane is at times more than 2 s late, and calls may be lost (rule 3)
	if w.late || w.budget > 0 && w.budget < thin {
		return nil
	}
	for _, n := range w.nodes {
		for _, c := range n.greeted {
			if slices.Contains(w.net.Clients, c) && c.Peer != w.villain && w.ran[c][n.greeting] == 0 && !n.moved {
				return fmt.Errorf("client %d never ran call %d, made with %v", c.Peer, n.greeting, n.id)
			}
		}
	}
	for _, e := range w.expect {
		if e.c.Peer != w.villain && w.ran[e.c][e.id] == 0 {
			return fmt.Errorf("client %d never ran call %d on %v, which it had: %+v", e.c.Peer, e.id, e.n, e.c.P.Counters())
		}
	}
	for id, r := range w.asked {
		if r.sure && r.ran == 0 && r.from != w.villain {
			return fmt.Errorf("call %d of client %d on %v, which it owns, never ran: %+v", id, r.from, r.node, w.net.A.Counters())
		}
	}
	return nil
}
