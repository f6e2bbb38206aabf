package rpl

// Calls on nodes that their peers do not have yet: a node can be called from
// its creation on. A reliable call waits for the node's arrival, an unreliable
// one is dropped.

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

// callEarly keeps a call until Stream has decided, 0 being everyone.
func (a *Authority) callEarly(n *node, to Peer, rpc *RPCType, args []byte) {
	if rpc.Lane != Reliable || len(a.early) >= maxCalls {
		a.counters.CallsDropped++
		return
	}
	a.early = append(a.early, earlyCall{n.id, to, waitingCall{n.id, rpc, a.tick, append([]byte(nil), args...)}})
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

func (a *Authority) callLater(p *peer, c waitingCall) {
	if len(p.rpc.waiting) >= maxCalls {
		a.counters.CallsDropped++
		return
	}
	p.rpc.waiting = append(p.rpc.waiting, c)
}

// callWaiting sends the calls whose nodes have handles now: the peer holds them
// until the arrival is there.
func (a *Authority) callWaiting(p *peer) {
	if len(p.rpc.waiting) == 0 {
		return
	}
	kept := p.rpc.waiting[:0]
	for _, c := range p.rpc.waiting {
		var hd *holder
		if slot, ok := a.slot(c.node); ok {
			hd = a.nodes[slot].holder(p.index)
		}
		switch {
		case hd == nil:
			a.counters.CallsDropped++
		case hd.handle == noHandle:
			kept = append(kept, c)
		default:
			a.sendCall(p, hd.handle, c.rpc, c.tick, c.args)
		}
	}
	clear(p.rpc.waiting[len(kept):])
	p.rpc.waiting = kept
}
