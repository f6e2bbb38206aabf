package rpl

// Calls on nodes that their peers do not have yet: a node can be called from
// its creation on. A reliable call waits for the node's arrival, an unreliable
// one is dropped. The peer holds maxHeld at most, the others wait here.

// An earlyCall is one on a node of which Stream has not decided yet.
type earlyCall struct {
	node Node
	to   Peer // 0: whoever shall have the node
	wait waitingCall
}

// A waitingCall is one on a node that the peer shall have but was not told of.
type waitingCall struct {
	node Node
	rpc  *RPCType
	tick Tick
	args []byte
}

// callEarly keeps a reliable call until Stream has decided, 0 being everyone, unless
// there is no room.
func (a *Authority) callEarly(n *node, to Peer, rpc *RPCType, args []byte) bool {
	if rpc.Lane != Reliable || len(a.early) >= maxWaiting {
		a.counters.CallsDropped++
		return rpc.Lane != Reliable
	}
	a.early = append(a.early, earlyCall{n.id, to, waitingCall{node: n.id, rpc: rpc, tick: a.tick, args: append([]byte(nil), args...)}})
	return true
}

// routeEarly hands early calls to the peers that Stream has found.
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
			if p := a.peers[n.holders[k].peer]; c.to == 0 || c.to == p.id {
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

// callLater keeps a call until its node has a handle, unless there is no room.
func (a *Authority) callLater(p *peer, c waitingCall) bool {
	if len(p.rpc.waiting) >= maxWaiting {
		a.counters.CallsDropped++
		return false
	}
	if h, _ := a.handleOf(p, c.node); h != noHandle {
		p.visits[h].waits = true
	}
	p.rpc.waiting, p.busy = append(p.rpc.waiting, c), true
	return true
}

// mayHold is whether a reliable call on a handle can leave now: the peer has the
// node or may hold the call, and no earlier one waits.
func (p *peer) mayHold(h uint32) bool {
	return !p.visits[h].waits && p.roomToHold(&p.entries[h])
}

func (p *peer) roomToHold(e *entry) bool {
	return e.state != entryComing || p.rpc.held < maxHeld
}

// heldNoMore notes that a peer holds no calls for a handle: its node is there, or
// was and is gone.
func (p *peer) heldNoMore(v *visit) {
	p.rpc.held -= int(v.calls)
	v.calls = 0
}

// handleOf is the handle of a node that a peer shall have, noHandle where it was
// not told of it yet.
func (a *Authority) handleOf(p *peer, n Node) (h uint32, wanted bool) {
	if slot, ok := a.slot(n); ok {
		if hd := a.nodes[slot].holder(p.index); hd != nil {
			return hd.handle, true
		}
	}
	return noHandle, false
}

// callWaiting sends the calls whose nodes have handles now: the peer holds them
// until the arrival is there.
func (a *Authority) callWaiting(p *peer) {
	for _, c := range p.rpc.waiting {
		if h, _ := a.handleOf(p, c.node); h != noHandle {
			p.visits[h].waits = false
		}
	}
	kept := p.rpc.waiting[:0]
	for _, c := range p.rpc.waiting {
		h, wanted := a.handleOf(p, c.node)
		switch {
		case !wanted:
			a.counters.CallsDropped++
		case h == noHandle:
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
