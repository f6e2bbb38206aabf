package send

import (
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// peerCalls are the calls on their way to a peer, and those of the peer that wait to
// run.
type peerCalls struct {
	Ready      [][]byte // reliable messages that the lane has not taken yet
	Bytes      int      // of ready
	given      int      // bytes of ready[0] already given to the lane, without its type; below 0 those parts are void
	scratch    []byte   // of a part
	Waiting    []waitingCall
	held       int // the sum of lifecycle.calls
	Unreliable [][]byte
	spares     wire.Spares // of Unreliable
	paid       int         // how many of unreliable leave in this send
	due        uint32      // how many calls of the peer run in the round dueRound
	dueRound   uint32
	later      []wire.WireCall // reliable calls of the peer that wait for the next tick
	laterBytes int
	latest     wire.Latest // of the peer's unreliable calls
}

// callee returns the slot of a node that is called. It judges the node's tree first, so
// that the call reaches exactly the peers that may have the node now.
func (a *calls) callee(n ids.Node, rpc *schema.RPCType, args []byte) (slot uint32, err error) {
	a.store.Schema.OwnRPC(rpc)
	if err := wire.CheckArgs(rpc, args); err != nil {
		return 0, err
	}
	slot, ok := a.store.Slot(n)
	if !ok {
		a.sender.Accounts.Counters.CallsDropped++
		return 0, fmt.Errorf("rpl: RPC %s on %v: %w", rpc.Name, n, ids.ErrNoNode)
	}
	a.sender.interest.Judge(slot)
	a.sender.Apply()
	return slot, nil
}

// Call is Authority.Call.
func (a *calls) Call(n ids.Node, rpc *schema.RPCType, args []byte) error {
	slot, err := a.callee(n, rpc, args)
	if err != nil {
		return err
	}
	nd, full := &a.store.Nodes[slot], 0
	local := wire.Call{Node: n, From: a.sender.Setup.Local, Tick: a.store.Tick, RPC: rpc}
	switch rpc.To {
	case ids.ToServer:
		a.queue.Add(local, args)
	case ids.ToOwner:
		if nd.Owner == 0 || nd.Owner == a.sender.Setup.Local {
			a.queue.Add(local, args)
			return nil
		}
		if p := a.sender.ByID.Find(nd.Owner); p != nil {
			full += flag(!a.callHolder(p, nd, rpc, args))
		}
	case ids.Broadcast, ids.Everywhere:
		full = a.callHolders(nd, rpc, args, 0)
		if a.sender.Setup.Local != 0 || rpc.To == ids.Everywhere {
			a.queue.Add(local, args)
		}
	}
	return lanesFull(rpc, full)
}

// CallOthers is Authority.CallOthers.
func (a *calls) CallOthers(n ids.Node, rpc *schema.RPCType, args []byte, but ids.Peer) error {
	slot, err := a.callee(n, rpc, args)
	if err != nil {
		return err
	}
	return lanesFull(rpc, a.callHolders(&a.store.Nodes[slot], rpc, args, but))
}

// callHolders calls all peers that hold a node or are about to, except one, and returns
// how many of them have no room.
func (a *calls) callHolders(n *store.Node, rpc *schema.RPCType, args []byte, but ids.Peer) (full int) {
	if a.undecided(n) {
		return flag(!a.callEarly(n, 0, but, rpc, args))
	}
	for i := range n.Holders {
		switch p := a.sender.All[n.Holders[i].Peer()]; {
		case p.ID == but:
		case but != 0 && but != a.sender.Setup.Local && rpc.Lane == ids.Reliable && p.RPC.Bytes > wire.MaxHandedOn:
			a.sender.Accounts.Counters.CallsDropped++
			full++
		default:
			full += flag(!a.callHolder(p, n, rpc, args))
		}
	}
	return full
}

// lanesFull is the error of a reliable call for which some peers have no room, nil for
// none.
func lanesFull(rpc *schema.RPCType, peers int) error {
	if peers == 0 {
		return nil
	}
	return fmt.Errorf("rpl: RPC %s is dropped for %d of its peers, for which too much waits already (%d messages, or %d bytes where it is handed on): %w; call less often, or replicate it in a prop", rpc.Name, peers, wire.MaxWaiting, wire.MaxHandedOn, ids.ErrLimit)
}

// CallPeer is Authority.CallPeer.
func (a *calls) CallPeer(n ids.Node, rpc *schema.RPCType, args []byte, to ids.Peer) error {
	slot, err := a.callee(n, rpc, args)
	if err != nil {
		return err
	}
	if to != 0 && to == a.sender.Setup.Local {
		a.queue.Add(wire.Call{Node: n, From: a.sender.Setup.Local, Tick: a.store.Tick, RPC: rpc}, args)
		return nil
	}
	p := a.sender.ByID.Find(to)
	if p == nil {
		return fmt.Errorf("rpl: RPC %s to peer %d: %w", rpc.Name, to, ids.ErrNoPeer)
	}
	return lanesFull(rpc, flag(!a.callHolder(p, &a.store.Nodes[slot], rpc, args)))
}

// callHolder calls one peer. If the peer does not hold the node, Stream may not have
// decided on it yet, because the node was just made or given: a reliable call then
// waits. An unreliable call on a node that the peer was not sent is dropped and
// counted. The result is false if there is no room for a reliable call.
func (a *calls) callHolder(p *Peer, n *store.Node, rpc *schema.RPCType, args []byte) bool {
	hd := n.Holder(p.Index)
	switch {
	case hd == nil, n.Owner != p.ID && a.undecided(n), rpc.Lane == ids.Reliable && a.overtakes(n, hd):
		return a.callEarly(n, p.ID, 0, rpc, args)
	case hd.Handle() != wire.NoHandle && (rpc.Lane == ids.Unreliable || p.mayHold(hd.Handle())):
		return a.sendCall(p, hd.Handle(), rpc, a.store.Tick, args)
	case rpc.Lane == ids.Reliable:
		return a.callLater(p, waitingCall{node: n.ID, rpc: rpc, tick: a.store.Tick, args: append([]byte(nil), args...)})
	}
	a.sender.Accounts.Counters.CallsDropped++
	return true
}

// sendCall queues a call to a peer. The result is false if it is reliable and there is
// no room.
func (a *calls) sendCall(p *Peer, h uint32, rpc *schema.RPCType, tick ids.Tick, args []byte) bool {
	e := &p.States[h]
	if rpc.Lane == ids.Unreliable {
		if len(p.RPC.Unreliable) >= wire.MaxCalls {
			a.sender.Accounts.Counters.CallsDropped++
			return true
		}
		a.sender.Accounts.Counters.CallsOut++
		p.RPC.Unreliable, p.busy = append(p.RPC.Unreliable, wire.AppendCall(p.RPC.spares.Take(), h, e.gen, rpc, tick, args)), true
		return true
	}
	if len(p.RPC.Ready) >= wire.MaxWaiting {
		a.sender.Accounts.Counters.CallsDropped++ // the lane has been full for long
		return false
	}
	a.sender.Accounts.Counters.CallsOut++
	msg := wire.AppendCall([]byte{wire.MsgCall}, h, e.gen, rpc, tick, args)
	p.queueMessage(msg)
	v := p.life(h)
	v.fence = p.Link.Sent
	if e.State == HandleComing {
		v.calls++
		p.RPC.held++
	}
	return true
}

// queueMessage queues a message for the peer's reliable lane.
func (p *Peer) queueMessage(msg []byte) {
	p.Link.Sent++
	p.RPC.Ready, p.busy = append(p.RPC.Ready, msg), true
	p.RPC.Bytes += len(msg)
}

// Due is Authority.Due.
func (a *calls) Due(run func(wire.Call)) {
	if a.roundTick != a.store.Tick {
		if a.heaped {
			a.runHeaped()
		}
		a.round++
		a.roundTick = a.store.Tick
	}
	a.queue.Run(run)
}

// mayCall reports whether a peer's call of tick t counts: the peer owned the node then,
// and if the node has changed hands since, t is at most a second ago (protocol rule
// 22). The clock of a client may be ahead of an authority that lost ticks; its calls
// are judged as of now.
func (a *calls) mayCall(p *Peer, n *store.Node, t ids.Tick) bool {
	t = min(t, a.store.Tick)
	owner, since := n.OwnerAt(t)
	return owner == p.ID && (!since || a.store.Tick-t <= ids.Tick(a.sender.Setup.Hz))
}

// called runs a call of a peer, if the peer may make it. Of reliable calls those beyond
// what one tick may run wait for the next tick, because a lane that was held up
// delivers all at once. seq is the number of the packet that brought an unreliable one.
func (a *calls) called(p *Peer, c wire.WireCall, seq uint64) {
	p.traffic.calls++
	switch reliable := c.Rpc.Lane == ids.Reliable; {
	case p.mayRun(a.round) && !(reliable && len(p.RPC.later) > 0):
		a.runCall(p, c, seq)
	case reliable && p.RPC.laterBytes+c.Size() <= wire.MaxLater:
		c.Args = slices.Clone(c.Args)
		p.RPC.later, a.heaped = append(p.RPC.later, c), true
		p.RPC.laterBytes += c.Size()
	default:
		a.sender.Accounts.Counters.CallsDropped++
	}
}

// mayRun reports whether one more call of the peer may run in a round.
func (p *Peer) mayRun(round uint32) bool {
	if p.RPC.dueRound != round {
		p.RPC.dueRound, p.RPC.due = round, 0
	}
	return p.RPC.due < wire.MaxDue
}

// runHeaped runs the waiting calls of all peers.
func (a *calls) runHeaped() {
	a.heaped = false
	for _, p := range a.sender.All {
		if p != nil && len(p.RPC.later) > 0 {
			a.runLater(p)
			a.heaped = a.heaped || len(p.RPC.later) > 0
		}
	}
}

// runLater runs the calls of a peer that have waited, in order, as many as one round may
// run.
func (a *calls) runLater(p *Peer) {
	n := 0
	for n < len(p.RPC.later) && p.mayRun(a.round) {
		c := p.RPC.later[n]
		p.RPC.laterBytes -= c.Size()
		a.runCall(p, c, 0)
		n++
	}
	p.RPC.later = slices.Delete(p.RPC.later, 0, n)
}

// runCall queues a call to run on this machine, if the peer may make it.
func (a *calls) runCall(p *Peer, c wire.WireCall, seq uint64) {
	if c.Handle >= uint32(len(p.States)) || c.Rpc.To != ids.ToServer && c.Rpc.To != ids.Everywhere {
		a.sender.Accounts.Counters.CallsDropped++
		return
	}
	e := &p.States[c.Handle]
	if e.gen != c.Gen || !e.isHere() {
		a.sender.Accounts.Counters.CallsDropped++
		return
	}
	if !c.Rpc.FromAnyone && !a.mayCall(p, &a.store.Nodes[e.slot], c.Tick) {
		a.sender.Accounts.Counters.CallsDropped++
		return
	}
	if c.Rpc.Lane == ids.Unreliable && !c.Rpc.AnyOrder && p.RPC.latest.Overtaken(a.store.Nodes[e.slot].ID, p.ID, c.Rpc.Index, seq, p.Link.InNewest) {
		a.sender.Accounts.Counters.CallsOvertaken++
		return
	}
	p.RPC.due++
	a.sender.Accounts.Counters.CallsIn++
	a.queue.Add(wire.Call{Node: a.store.Nodes[e.slot].ID, From: p.ID, Tick: c.Tick, RPC: c.Rpc}, c.Args)
}
