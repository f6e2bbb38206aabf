package rpl

import (
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// peerCalls are the calls on their way to a peer, and those of the peer that wait to
// run.
type peerCalls struct {
	ready      [][]byte // reliable messages that the lane has not taken yet
	bytes      int      // of ready
	given      int      // bytes of ready[0] already given to the lane, without its type; below 0 those parts are void
	scratch    []byte   // of a part
	waiting    []waitingCall
	held       int // the sum of visit.calls
	unreliable [][]byte
	paid       int // how many of unreliable leave in this send
	due        int // how many calls of the peer run in the turn dueTurn
	dueTurn    uint32
	later      []wire.WireCall // reliable calls of the peer that wait for the next tick
	laterBytes int
}

// callee returns the slot of a node that is called. It judges the node's tree first, so
// that the call reaches exactly the peers that may have the node now.
func (a *Authority) callee(n Node, rpc *RPCType, args []byte) (slot uint32, err error) {
	a.cfg.Schema.OwnRPC(rpc)
	if err := wire.CheckArgs(rpc, args); err != nil {
		return 0, err
	}
	slot, ok := a.slot(n)
	if !ok {
		a.counters.CallsDropped++
		return 0, fmt.Errorf("rpl: RPC %s on %v: %w", rpc.Name, n, ErrNoNode)
	}
	a.judge(slot)
	return slot, nil
}

// Call calls an RPC on a node from this machine; the RPC's target decides where it
// runs. An error wraps ErrArgs, ErrNoNode or ErrLimit. ErrLimit: too many reliable
// calls wait for some peers already, and the call is dropped for those.
func (a *Authority) Call(n Node, rpc *RPCType, args []byte) error {
	slot, err := a.callee(n, rpc, args)
	if err != nil {
		return err
	}
	nd, full := &a.nodes[slot], 0
	local := Call{Node: n, From: a.cfg.Local, Tick: a.tick, RPC: rpc}
	switch rpc.To {
	case ToServer:
		a.calls.Add(local, args)
	case ToOwner:
		if nd.owner == 0 || nd.owner == a.cfg.Local {
			a.calls.Add(local, args)
			return nil
		}
		if p := a.byID.find(nd.owner); p != nil {
			full += flag(!a.callHolder(p, nd, rpc, args))
		}
	case Broadcast, Everywhere:
		full = a.callHolders(nd, rpc, args, 0)
		if a.cfg.Local != 0 || rpc.To == Everywhere {
			a.calls.Add(local, args)
		}
	}
	return lanesFull(rpc, full)
}

// CallOthers hands on what a peer has called on a node: to all other peers that hold
// the node or are about to, and not to this machine. Errors are those of Call. A
// reliable call is also dropped for a peer whose lane has more than maxHandedOn bytes
// waiting, because what other peers call must not delay what this machine has to say
// any longer.
func (a *Authority) CallOthers(n Node, rpc *RPCType, args []byte, but Peer) error {
	slot, err := a.callee(n, rpc, args)
	if err != nil {
		return err
	}
	return lanesFull(rpc, a.callHolders(&a.nodes[slot], rpc, args, but))
}

// callHolders calls all peers that hold a node or are about to, except one, and returns
// how many of them have no room.
func (a *Authority) callHolders(n *node, rpc *RPCType, args []byte, but Peer) (full int) {
	if a.undecided(n) {
		return flag(!a.callEarly(n, 0, but, rpc, args))
	}
	for i := range n.holders {
		switch p := a.peers[n.holders[i].peer]; {
		case p.id == but:
		case but != 0 && but != a.cfg.Local && rpc.Lane == Reliable && p.rpc.bytes > wire.MaxHandedOn:
			a.counters.CallsDropped++
			full++
		default:
			full += flag(!a.callHolder(p, n, rpc, args))
		}
	}
	return full
}

// lanesFull is the error of a reliable call for which some peers have no room, nil for
// none.
func lanesFull(rpc *RPCType, peers int) error {
	if peers == 0 {
		return nil
	}
	return fmt.Errorf("rpl: RPC %s is dropped for %d of its peers, for which too much waits already (%d messages, or %d bytes where it is handed on): %w; call less often, or replicate it in a prop", rpc.Name, peers, wire.MaxWaiting, wire.MaxHandedOn, ErrLimit)
}

// CallPeer calls an RPC on a node at one peer, which must hold the node or be about to.
// An error is one of Call's, or wraps ErrNoPeer.
func (a *Authority) CallPeer(n Node, rpc *RPCType, args []byte, to Peer) error {
	slot, err := a.callee(n, rpc, args)
	if err != nil {
		return err
	}
	if to != 0 && to == a.cfg.Local {
		a.calls.Add(Call{Node: n, From: a.cfg.Local, Tick: a.tick, RPC: rpc}, args)
		return nil
	}
	p := a.byID.find(to)
	if p == nil {
		return fmt.Errorf("rpl: RPC %s to peer %d: %w", rpc.Name, to, ErrNoPeer)
	}
	return lanesFull(rpc, flag(!a.callHolder(p, &a.nodes[slot], rpc, args)))
}

// callHolder calls one peer. If the peer does not hold the node, Stream may not have
// decided on it yet, because the node was just made or given: a reliable call then
// waits. An unreliable call on a node that the peer was not told of is dropped and
// counted. The result is false if there is no room for a reliable call.
func (a *Authority) callHolder(p *peer, n *node, rpc *RPCType, args []byte) bool {
	hd := n.holder(p.index)
	switch {
	case hd == nil, n.owner != p.id && a.undecided(n), rpc.Lane == Reliable && a.overtakes(n, hd):
		return a.callEarly(n, p.id, 0, rpc, args)
	case hd.handle != wire.NoHandle && (rpc.Lane == Unreliable || p.mayHold(hd.handle)):
		return a.sendCall(p, hd.handle, rpc, a.tick, args)
	case rpc.Lane == Reliable:
		return a.callLater(p, waitingCall{node: n.id, rpc: rpc, tick: a.tick, args: append([]byte(nil), args...)})
	}
	a.counters.CallsDropped++
	return true
}

// sendCall queues a call to a peer. The result is false if it is reliable and there is
// no room.
func (a *Authority) sendCall(p *peer, h uint32, rpc *RPCType, tick Tick, args []byte) bool {
	e := &p.entries[h]
	if rpc.Lane == Unreliable {
		if len(p.rpc.unreliable) >= wire.MaxCalls {
			a.counters.CallsDropped++
			return true
		}
		a.counters.CallsOut++
		p.rpc.unreliable, p.busy = append(p.rpc.unreliable, wire.AppendCall(nil, h, e.gen, rpc, tick, args)), true
		return true
	}
	if len(p.rpc.ready) >= wire.MaxWaiting {
		a.counters.CallsDropped++ // the lane has been full for long
		return false
	}
	a.counters.CallsOut++
	msg := wire.AppendCall([]byte{wire.MsgCall}, h, e.gen, rpc, tick, args)
	p.say(msg)
	v := &p.visits[h]
	v.fence = p.link.sent
	if e.state == entryComing {
		v.calls++
		p.rpc.held++
	}
	return true
}

// say queues a message for the peer's reliable lane.
func (p *peer) say(msg []byte) {
	p.link.sent++
	p.rpc.ready, p.busy = append(p.rpc.ready, msg), true
	p.rpc.bytes += len(msg)
}

// Due runs the calls that wait for this machine: those that peers have made, and those
// that this machine has made and that run here. The adapter calls it in Receive, and
// again at the start of Send.
func (a *Authority) Due(run func(Call)) {
	if a.turnTick != a.tick {
		if a.heaped {
			a.runHeaped()
		}
		a.turn++
		a.turnTick = a.tick
	}
	a.calls.Run(run)
}

// mayCall reports whether a peer's call of tick t counts: the peer owned the node then,
// and if the node has changed hands since, t is at most a second ago (protocol rule
// 22). The clock of a client may be ahead of an authority that lost ticks; its calls
// are judged as of now.
func (a *Authority) mayCall(p *peer, n *node, t Tick) bool {
	t = min(t, a.tick)
	owner, since := n.ownerAt(t)
	return owner == p.id && (!since || a.tick-t <= Tick(a.cfg.Hz))
}

// called runs a call of a peer, if the peer may make it. Of reliable calls those beyond
// what one tick may run wait for the next tick, because a lane that was held up
// delivers all at once.
func (a *Authority) called(p *peer, c wire.WireCall) {
	switch reliable := c.Rpc.Lane == Reliable; {
	case p.mayRun(a.turn) && !(reliable && len(p.rpc.later) > 0):
		a.runCall(p, c)
	case reliable && p.rpc.laterBytes+c.Size() <= wire.MaxLater:
		c.Args = slices.Clone(c.Args)
		p.rpc.later, a.heaped = append(p.rpc.later, c), true
		p.rpc.laterBytes += c.Size()
	default:
		a.counters.CallsDropped++
	}
}

// mayRun reports whether one more call of the peer may run in a turn.
func (p *peer) mayRun(turn uint32) bool {
	if p.rpc.dueTurn != turn {
		p.rpc.dueTurn, p.rpc.due = turn, 0
	}
	return p.rpc.due < wire.MaxDue
}

// runHeaped runs the waiting calls of all peers.
func (a *Authority) runHeaped() {
	a.heaped = false
	for _, p := range a.peers {
		if p != nil && len(p.rpc.later) > 0 {
			a.runLater(p)
			a.heaped = a.heaped || len(p.rpc.later) > 0
		}
	}
}

// runLater runs the calls of a peer that have waited, in order, as many as one turn may
// run.
func (a *Authority) runLater(p *peer) {
	n := 0
	for n < len(p.rpc.later) && p.mayRun(a.turn) {
		c := p.rpc.later[n]
		p.rpc.laterBytes -= c.Size()
		a.runCall(p, c)
		n++
	}
	p.rpc.later = slices.Delete(p.rpc.later, 0, n)
}

// runCall queues a call to run on this machine, if the peer may make it.
func (a *Authority) runCall(p *peer, c wire.WireCall) {
	if c.Handle >= uint32(len(p.entries)) || c.Rpc.To != ToServer && c.Rpc.To != Everywhere {
		a.counters.CallsDropped++
		return
	}
	e := &p.entries[c.Handle]
	slot, ok := a.slot(e.node)
	if !ok || e.gen != c.Gen || e.state != entryIn && e.state != entryComing {
		a.counters.CallsDropped++
		return
	}
	if !c.Rpc.FromAnyone && !a.mayCall(p, &a.nodes[slot], c.Tick) {
		a.counters.CallsDropped++
		return
	}
	p.rpc.due++
	a.counters.CallsIn++
	a.calls.Add(Call{Node: e.node, From: p.id, Tick: c.Tick, RPC: c.Rpc}, c.Args)
}
