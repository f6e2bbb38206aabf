package send

import (
	"fmt"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/outbox"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// peerCalls are the calls on their way to a peer, and those of the peer that wait to
// run.
type peerCalls struct {
	Ready      outbox.Outbox // reliable messages that the lane has not taken yet
	Waiting    []waitingCall
	held       int32  // the sum of lifecycle.calls
	turn       uint32 // whose unreliable calls come first, because some were dropped in the send before (wire.Callee); 0: none were
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
func (cs *calls) callee(n ids.Node, rpc *schema.RPCType, args []byte) (slot uint32, err error) {
	cs.store.Schema.OwnRPC(rpc)
	if err := wire.CheckArgs(rpc, args); err != nil {
		return 0, err
	}
	slot, ok := cs.store.Slot(n)
	if !ok {
		cs.sender.Accounts.Counters.CallsDropped++
		return 0, fmt.Errorf("rpl: RPC %s on %v: %w", rpc.Name, n, ids.ErrNoNode)
	}
	cs.sender.interest.Judge(slot)
	cs.sender.Apply()
	return slot, nil
}

// Call is Authority.Call.
func (cs *calls) Call(n ids.Node, rpc *schema.RPCType, args []byte) error {
	slot, err := cs.callee(n, rpc, args)
	if err != nil {
		return err
	}
	nd, full := &cs.store.Nodes[slot], 0
	local := wire.Call{Node: n, From: cs.sender.Setup.Local, Tick: cs.store.Tick, RPC: rpc}
	switch rpc.To {
	case ids.ToServer:
		cs.queue.Add(local, args)
	case ids.ToOwner:
		if nd.Owner == 0 || nd.Owner == cs.sender.Setup.Local {
			cs.queue.Add(local, args)
			return nil
		}
		if p := cs.sender.ByID.Find(nd.Owner); p != nil {
			full += flag(!cs.callHolder(p, nd, rpc, args))
		}
	case ids.Broadcast, ids.Everywhere:
		full = cs.callHolders(nd, rpc, args, 0)
		if cs.sender.Setup.Local != 0 || rpc.To == ids.Everywhere {
			cs.queue.Add(local, args)
		}
	}
	return lanesFull(rpc, full)
}

// CallOthers is Authority.CallOthers.
func (cs *calls) CallOthers(n ids.Node, rpc *schema.RPCType, args []byte, but ids.Peer) error {
	slot, err := cs.callee(n, rpc, args)
	if err != nil {
		return err
	}
	return lanesFull(rpc, cs.callHolders(&cs.store.Nodes[slot], rpc, args, but))
}

// callHolders calls all peers that hold a node or are about to, except one, and returns
// how many of them have no room.
func (cs *calls) callHolders(n *store.Node, rpc *schema.RPCType, args []byte, but ids.Peer) (full int) {
	if cs.undecided(n) {
		return flag(!cs.callEarly(n, 0, but, rpc, args))
	}
	for i := range n.Holders {
		switch p := cs.sender.All[n.Holders[i].Peer()]; {
		case p.ID == but:
		case but != 0 && but != cs.sender.Setup.Local && rpc.Lane == ids.Reliable && p.RPC.Ready.Bytes > wire.MaxHandedOn:
			cs.sender.Accounts.Counters.CallsDropped++
			full++
		default:
			full += flag(!cs.callHolder(p, n, rpc, args))
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
func (cs *calls) CallPeer(n ids.Node, rpc *schema.RPCType, args []byte, to ids.Peer) error {
	slot, err := cs.callee(n, rpc, args)
	if err != nil {
		return err
	}
	if to != 0 && to == cs.sender.Setup.Local {
		cs.queue.Add(wire.Call{Node: n, From: cs.sender.Setup.Local, Tick: cs.store.Tick, RPC: rpc}, args)
		return nil
	}
	p := cs.sender.ByID.Find(to)
	if p == nil {
		return fmt.Errorf("rpl: RPC %s to peer %d: %w", rpc.Name, to, ids.ErrNoPeer)
	}
	return lanesFull(rpc, flag(!cs.callHolder(p, &cs.store.Nodes[slot], rpc, args)))
}

// callHolder calls one peer. If the peer does not hold the node, Stream may not have
// decided on it yet, because the node was just made or given: a reliable call then
// waits. An unreliable call on a node that the peer was not sent is dropped and
// counted. The result is false if there is no room for a reliable call.
func (cs *calls) callHolder(p *Peer, n *store.Node, rpc *schema.RPCType, args []byte) bool {
	hd := n.Holder(p.Index)
	switch {
	case hd == nil, n.Owner != p.ID && cs.undecided(n), rpc.Lane == ids.Reliable && cs.overtakes(n, hd):
		return cs.callEarly(n, p.ID, 0, rpc, args)
	case hd.Handle() != wire.NoHandle && (rpc.Lane == ids.Unreliable || p.mayHold(hd.Handle())):
		return cs.sendCall(p, hd.Handle(), rpc, cs.store.Tick, args)
	case rpc.Lane == ids.Reliable:
		return cs.callLater(p, waitingCall{node: n.ID, rpc: rpc, tick: cs.store.Tick, args: append([]byte(nil), args...)})
	}
	cs.sender.Accounts.Counters.CallsDropped++
	return true
}

// sendCall queues a call to a peer. The result is false if it is reliable and there is
// no room.
func (cs *calls) sendCall(p *Peer, h uint32, rpc *schema.RPCType, tick ids.Tick, args []byte) bool {
	e := &p.States[h]
	if rpc.Lane == ids.Unreliable {
		if len(p.RPC.Unreliable) >= wire.MaxCalls {
			cs.sender.Accounts.Counters.NoRoom(flag(!rpc.Spare), rpc.Name)
			return true
		}
		cs.sender.Accounts.Counters.CallsOut++
		p.RPC.Unreliable, p.busy = append(p.RPC.Unreliable, wire.AppendCall(p.RPC.spares.Take(), h, e.gen, rpc, tick, args)), true
		return true
	}
	if p.RPC.Ready.Len() >= wire.MaxWaiting {
		cs.sender.Accounts.Counters.CallsDropped++ // the lane has been full for long
		return false
	}
	cs.sender.Accounts.Counters.CallsOut++
	msg := wire.AppendCall([]byte{wire.MsgCall}, h, e.gen, rpc, tick, args)
	v := p.life(h)
	v.fence, p.busy = p.RPC.Ready.AddCall(msg, v.fence), true
	p.renumber(v)
	if e.State == HandleComing {
		v.calls++
		p.RPC.held++
	}
	return true
}

// queueMessage queues a message for the peer's reliable lane.
func (p *Peer) queueMessage(msg []byte) {
	p.RPC.Ready.Add(msg)
	p.busy = true
}

// renumber notes that what waits for the lane from the number of a node's last call on has come behind it.
func (p *Peer) renumber(called *lifecycle) {
	for i := len(p.Link.Blocks) - 1; i >= 0 && p.Link.Blocks[i].Number >= called.fence; i-- { // the last first: a node may be in several
		b := &p.Link.Blocks[i]
		for j := range b.Entries {
			if b.Entries[j].Kind == recLayout || int(b.Entries[j].Handle) >= len(p.States) {
				continue // it is no node's, or its node has gone
			}
			v := p.lifeAt(b.Entries[j].Handle)
			v.block, v.fence = v.block+uint64(flag(v.block == b.Number)), v.fence+uint64(flag(v.fence == b.Number))
		}
		b.Number++
	}
	p.tables.shipped += uint64(flag(p.tables.shipped >= called.fence))
}

// Due is Authority.Due.
func (cs *calls) Due(run func(wire.Call)) {
	if cs.roundTick != cs.store.Tick {
		if cs.heaped {
			cs.runHeaped()
		}
		cs.round++
		cs.roundTick = cs.store.Tick
	}
	cs.queue.Run(run)
}

// mayCall reports whether a peer's call of tick t counts: the peer owned the node then,
// and if the node has changed hands since, t is at most a second ago (protocol rule
// 22). The clock of a client may be ahead of an authority that lost ticks; its calls
// are judged as of now.
func (cs *calls) mayCall(p *Peer, n *store.Node, t ids.Tick) bool {
	t = min(t, cs.store.Tick)
	owner, since := n.OwnerAt(t)
	return owner == p.ID && (!since || cs.store.Tick-t <= ids.Tick(cs.sender.Setup.Hz))
}

// called runs a call of a peer, if the peer may make it. Of reliable calls those beyond
// what one tick may run wait for the next tick, because a lane that was held up
// delivers all at once. seq is the number of the packet that brought an unreliable one.
func (cs *calls) called(p *Peer, c wire.WireCall, seq uint64) {
	p.traffic.calls++
	switch reliable := c.Rpc.Lane == ids.Reliable; {
	case p.mayRun(cs.round) && !(reliable && len(p.RPC.later) > 0):
		cs.runCall(p, c, seq)
	case reliable && p.RPC.laterBytes+c.Size() <= wire.MaxLater:
		c.Args = slices.Clone(c.Args)
		p.RPC.later, cs.heaped = append(p.RPC.later, c), true
		p.RPC.laterBytes += c.Size()
	default:
		cs.sender.Accounts.Counters.CallsDropped++
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
func (cs *calls) runHeaped() {
	cs.heaped = false
	for _, p := range cs.sender.All {
		if p != nil && len(p.RPC.later) > 0 {
			cs.runLater(p)
			cs.heaped = cs.heaped || len(p.RPC.later) > 0
		}
	}
}

// runLater runs the calls of a peer that have waited, in order, as many as one round may
// run.
func (cs *calls) runLater(p *Peer) {
	n := 0
	for n < len(p.RPC.later) && p.mayRun(cs.round) {
		c := p.RPC.later[n]
		p.RPC.laterBytes -= c.Size()
		cs.runCall(p, c, 0)
		n++
	}
	p.RPC.later = slices.Delete(p.RPC.later, 0, n)
}

// runCall queues a call to run on this machine, if the peer may make it.
func (cs *calls) runCall(p *Peer, c wire.WireCall, seq uint64) {
	if c.Handle >= uint32(len(p.States)) || c.Rpc.To != ids.ToServer && c.Rpc.To != ids.Everywhere {
		cs.sender.Accounts.Counters.CallsDropped++
		return
	}
	e := &p.States[c.Handle]
	if e.gen != c.Gen || !e.isHere() {
		cs.sender.Accounts.Counters.CallsDropped++
		return
	}
	if !c.Rpc.FromAnyone && !cs.mayCall(p, &cs.store.Nodes[e.slot], c.Tick) {
		cs.sender.Accounts.Counters.CallsDropped++
		return
	}
	if c.Rpc.Lane == ids.Unreliable && !c.Rpc.AnyOrder && p.RPC.latest.Overtaken(cs.store.Nodes[e.slot].ID, p.ID, c.Rpc.Index, seq, p.Link.InNewest) {
		cs.sender.Accounts.Counters.CallsOvertaken++
		return
	}
	p.RPC.due++
	cs.sender.Accounts.Counters.CallsIn++
	cs.queue.Add(wire.Call{Node: cs.store.Nodes[e.slot].ID, From: p.ID, Tick: c.Tick, RPC: c.Rpc}, c.Args)
}
