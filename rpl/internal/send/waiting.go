package send

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Calls on nodes that their peers do not have yet. A node can be called from its
// creation on: a reliable call waits for the node's arrival, an unreliable one is
// dropped. At most maxHeld calls wait at the peer; the others wait here.

// undecided is whether Stream has yet to decide which peers get a node, other than its
// owner: the node is new, or hangs under a new node that not every peer may see.
func (cs *calls) undecided(n *store.Node) bool {
	root := &cs.store.Nodes[cs.store.Root(n.ID.Slot())]
	return n.Born == cs.store.Send || root.Born == cs.store.Send && (root.Spawn.Relevance == ids.OwnerOnly || root.Spawn.Relevance == ids.Grouped)
}

// An earlyCall is a call on a node on which Stream has not decided yet.
type earlyCall struct {
	node ids.Node
	to   ids.Peer // 0: every peer that will have the node …
	but  ids.Peer // … except this one
	wait waitingCall
}

// A waitingCall is a call on a node that the peer shall have but was not sent.
type waitingCall struct {
	node ids.Node
	rpc  *schema.RPCType
	tick ids.Tick
	args []byte
}

// callEarly keeps a reliable call until Stream has decided on the node; to is one peer,
// or 0 for all except but. An unreliable call is dropped. The result is false if there
// is no room for a reliable call.
func (cs *calls) callEarly(n *store.Node, to, but ids.Peer, rpc *schema.RPCType, args []byte) bool {
	if rpc.Lane != ids.Reliable || len(cs.early) >= wire.MaxWaiting {
		cs.sender.Accounts.Counters.CallsDropped++
		return rpc.Lane != ids.Reliable
	}
	r := n.RareToWrite()
	r.EarlyAll = to == 0 || r.EarlyAll && r.Early == cs.store.Send
	r.Early = cs.store.Send
	cs.early = append(cs.early, earlyCall{n.ID, to, but, waitingCall{node: n.ID, rpc: rpc, tick: cs.store.Tick, args: append([]byte(nil), args...)}})
	return true
}

// overtakes is whether a reliable call that is sent to a holder at once, or waits for its
// handle, would come before an early one: it must then be early, too.
func (cs *calls) overtakes(n *store.Node, hd *store.Holder) bool {
	return n.RareView().Early == cs.store.Send && (n.RareView().EarlyAll || hd.Handle() == wire.NoHandle)
}

// RouteEarly hands early calls to the peers to which Stream has given the node.
func (cs *calls) RouteEarly() {
	for i := range cs.early {
		c := &cs.early[i]
		slot, ok := cs.store.Slot(c.node)
		if !ok {
			cs.sender.Accounts.Counters.CallsDropped++
			continue
		}
		n := &cs.store.Nodes[slot]
		found := c.to == 0
		for k := range n.Holders {
			if p := cs.sender.All[n.Holders[k].Peer()]; c.to == p.ID || c.to == 0 && c.but != p.ID {
				cs.callLater(p, c.wait)
				found = true
			}
		}
		if !found {
			cs.sender.Accounts.Counters.CallsDropped++
		}
		*c = earlyCall{}
	}
	cs.early = cs.early[:0]
}

// callLater keeps a call until its node has a handle and room at the peer. The result
// is false if there is no room here.
func (cs *calls) callLater(p *Peer, c waitingCall) bool {
	if len(p.RPC.Waiting) >= wire.MaxWaiting {
		cs.sender.Accounts.Counters.CallsDropped++
		return false
	}
	if h, _ := cs.handleOf(p, c.node); h != wire.NoHandle {
		p.life(h).waits = true
	}
	p.RPC.Waiting, p.busy = append(p.RPC.Waiting, c), true
	return true
}

// mayHold reports whether a reliable call on a handle can be sent now: the peer has the
// node or has room to hold the call, and no earlier call on the handle waits.
func (p *Peer) mayHold(h uint32) bool {
	return !p.lifeAt(h).waits && p.roomToHold(&p.States[h])
}

func (p *Peer) roomToHold(e *handleState) bool {
	return e.State != HandleComing || p.RPC.held < wire.MaxHeld
}

// heldNoMore notes that a peer holds no calls for a handle any more: the node has
// arrived, or was removed.
func (p *Peer) heldNoMore(v *lifecycle) {
	p.RPC.held -= int32(v.calls)
	v.calls = 0
}

// handleOf returns the handle of a node at a peer, NoHandle if the peer was not sent
// the node yet, and whether the peer shall have the node at all.
func (cs *calls) handleOf(p *Peer, n ids.Node) (h uint32, wanted bool) {
	if slot, ok := cs.store.Slot(n); ok {
		if hd := cs.store.Nodes[slot].Holder(p.Index); hd != nil {
			return hd.Handle(), true
		}
	}
	return wire.NoHandle, false
}

// callWaiting sends the waiting calls whose nodes have handles by now. The peer holds
// them until the arrival is there.
func (cs *calls) callWaiting(p *Peer) {
	for _, c := range p.RPC.Waiting {
		if h, _ := cs.handleOf(p, c.node); h != wire.NoHandle {
			if v := p.lifeAt(h); v.waits {
				v.waits = false
			}
		}
	}
	kept := p.RPC.Waiting[:0]
	for _, c := range p.RPC.Waiting {
		h, wanted := cs.handleOf(p, c.node)
		switch {
		case !wanted:
			cs.sender.Accounts.Counters.CallsDropped++
		case h == wire.NoHandle:
			kept = append(kept, c)
		case !p.roomToHold(&p.States[h]):
			p.life(h).waits = true
			kept = append(kept, c)
		default:
			cs.sendCall(p, h, c.rpc, c.tick, c.args)
		}
	}
	clear(p.RPC.Waiting[len(kept):])
	p.RPC.Waiting = kept
}
