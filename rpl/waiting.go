package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Calls on nodes that their peers do not have yet. A node can be called from its
// creation on: a reliable call waits for the node's arrival, an unreliable one is
// dropped. At most maxHeld calls wait at the peer; the others wait here.

// undecided is whether Stream has yet to decide which peers get a node, other than its
// owner: the node is new, or hangs under a new node that not every peer may see.
func (a *Authority) undecided(n *node) bool {
	root := &a.nodes[a.root(n.id.Slot())]
	return n.born == a.send || root.born == a.send && (root.spawn.Relevance == OwnerOnly || root.spawn.Relevance == Grouped)
}

// An earlyCall is a call on a node on which Stream has not decided yet.
type earlyCall struct {
	node Node
	to   Peer // 0: every peer that will have the node …
	but  Peer // … except this one
	wait waitingCall
}

// A waitingCall is a call on a node that the peer shall have but was not told of.
type waitingCall struct {
	node Node
	rpc  *RPCType
	tick Tick
	args []byte
}

// callEarly keeps a reliable call until Stream has decided on the node; to is one peer,
// or 0 for all except but. An unreliable call is dropped. The result is false if there
// is no room for a reliable call.
func (a *Authority) callEarly(n *node, to, but Peer, rpc *RPCType, args []byte) bool {
	if rpc.Lane != Reliable || len(a.early) >= wire.MaxWaiting {
		a.counters.CallsDropped++
		return rpc.Lane != Reliable
	}
	n.earlyAll = to == 0 || n.earlyAll && n.early == a.send
	n.early = a.send
	a.early = append(a.early, earlyCall{n.id, to, but, waitingCall{node: n.id, rpc: rpc, tick: a.tick, args: append([]byte(nil), args...)}})
	return true
}

// overtakes is whether a reliable call that is sent to a holder at once, or waits for its
// handle, would come before an early one: it must then be early, too.
func (a *Authority) overtakes(n *node, hd *holder) bool {
	return n.early == a.send && (n.earlyAll || hd.handle == wire.NoHandle)
}

// routeEarly hands early calls to the peers to which Stream has given the node.
func (a *Authority) routeEarly() {
	for i := range a.early {
		c := &a.early[i]
		slot, ok := a.slot(c.node)
		if !ok {
			a.counters.CallsDropped++
			continue
		}
		n := &a.nodes[slot]
		found := c.to == 0
		for k := range n.holders {
			if p := a.peers[n.holders[k].peer]; c.to == p.id || c.to == 0 && c.but != p.id {
				a.callLater(p, c.wait)
				found = true
			}
		}
		if !found {
			a.counters.CallsDropped++
		}
		*c = earlyCall{}
	}
	a.early = a.early[:0]
}

// callLater keeps a call until its node has a handle and room at the peer. The result
// is false if there is no room here.
func (a *Authority) callLater(p *peer, c waitingCall) bool {
	if len(p.rpc.waiting) >= wire.MaxWaiting {
		a.counters.CallsDropped++
		return false
	}
	if h, _ := a.handleOf(p, c.node); h != wire.NoHandle {
		p.visits[h].waits = true
	}
	p.rpc.waiting, p.busy = append(p.rpc.waiting, c), true
	return true
}

// mayHold reports whether a reliable call on a handle can be sent now: the peer has the
// node or has room to hold the call, and no earlier call on the handle waits.
func (p *peer) mayHold(h uint32) bool {
	return !p.visits[h].waits && p.roomToHold(&p.entries[h])
}

func (p *peer) roomToHold(e *entry) bool {
	return e.state != entryComing || p.rpc.held < wire.MaxHeld
}

// heldNoMore notes that a peer holds no calls for a handle any more: the node has
// arrived, or was removed.
func (p *peer) heldNoMore(v *visit) {
	p.rpc.held -= int(v.calls)
	v.calls = 0
}

// handleOf returns the handle of a node at a peer, noHandle if the peer was not told of
// the node yet, and whether the peer shall have the node at all.
func (a *Authority) handleOf(p *peer, n Node) (h uint32, wanted bool) {
	if slot, ok := a.slot(n); ok {
		if hd := a.nodes[slot].holder(p.index); hd != nil {
			return hd.handle, true
		}
	}
	return wire.NoHandle, false
}

// callWaiting sends the waiting calls whose nodes have handles by now. The peer holds
// them until the arrival is there.
func (a *Authority) callWaiting(p *peer) {
	for _, c := range p.rpc.waiting {
		if h, _ := a.handleOf(p, c.node); h != wire.NoHandle {
			p.visits[h].waits = false
		}
	}
	kept := p.rpc.waiting[:0]
	for _, c := range p.rpc.waiting {
		h, wanted := a.handleOf(p, c.node)
		switch {
		case !wanted:
			a.counters.CallsDropped++
		case h == wire.NoHandle:
			kept = append(kept, c)
		case !p.roomToHold(&p.entries[h]):
			p.visits[h].waits = true
			kept = append(kept, c)
		default:
			a.sendCall(p, h, c.rpc, c.tick, c.args)
		}
	}
	clear(p.rpc.waiting[len(kept):])
	p.rpc.waiting = kept
}
