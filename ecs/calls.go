package ecs

// calls: where a call runs. Calls on this machine wait for the step's Send; calls on the
// session wait until it is joined; those of other machines run when they arrive or, WhenDrawn,
// are drawn; and the authority hands on those Everywhere.

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/tendonengine/tendon/ecs/internal/callqueue"
	"github.com/tendonengine/tendon/ecs/internal/extract"
	"github.com/tendonengine/tendon/ecs/internal/line"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/rpl"
)

// A caller makes calls, and runs those that arrive.
type caller struct {
	*shared
	nodes   *nodes.Table
	extract *extract.Reader
	client  *client
	seats   *seating
	line    *line.Line

	handlers map[*rpl.RPCType]func(c Call, args []byte, handOn func()) error
	queued   callqueue.Queue[*nodes.Node, localCall] // of this machine on itself
	waiting  []waitingCall                           // calls on the session that is being joined
	undrawn  callqueue.Timed[*nodes.Node, Call]      // of the server, whose ticks are not drawn yet
}

// A localCall is a call on this machine that waits for the step's Send.
type localCall struct {
	rpc  *rpl.RPCType
	args []byte
	tick rpl.Tick
}

// call routes a call by the table at RPC.
func (ca *caller) call(n *nodes.Node, t *rpl.RPCType, args []byte) error {
	if ca.awaits(n) {
		return ca.callLater(n, t, args)
	}
	if ca.Auth != nil {
		owner := n.Owner
		switch {
		case t.To == rpl.ToServer, t.To == rpl.ToOwner && owner <= rpl.Server:
			ca.queue(n, t, args)
			return nil
		case t.To == rpl.ToOwner && ca.dropsCallTo(owner):
			return nil
		case t.To == rpl.Broadcast && ca.Me != 0:
			ca.queue(n, t, args)
		case t.To == rpl.Everywhere:
			ca.queue(n, t, args)
			return ca.handOn(n, t, ca.Me, args)
		}
		return ca.Auth.Call(n.ID, t, args)
	}
	switch mine := ca.Me != 0 && n.Owner == ca.Me; {
	case n.Leaving:
		ca.Faults.Count("rpc dropped")
	case ca.line.Joining: // nothing leaves for the old session any more
		ca.Faults.Count("rpc dropped")
	case t.To == rpl.Broadcast, t.To == rpl.ToOwner && mine:
		ca.queue(n, t, args)
	case t.To == rpl.ToServer && (mine || t.FromAnyone) && ca.Proxy != nil:
		return ca.callServer(n, t, args)
	case t.To == rpl.Everywhere && (mine || t.FromAnyone) && ca.Proxy != nil:
		ca.queue(n, t, args)
		return ca.callServer(n, t, args)
	default:
		ca.Faults.Scold("rpc dropped", ca.nameOn(n, t), "it was called on a node of which this machine's player is not the owner: ask tendon.IsOwner or Mine, or declare it FromAnyone")
	}
	return nil
}

// nameOn names a call and, in debug mode, what it is made on.
func (ca *caller) nameOn(n *nodes.Node, t *rpl.RPCType) string {
	if ca.Debug && ca.World.Valid(n.Entity) {
		return t.Name + " on " + ca.ItemsOf(ca.World.Entry(n.Entity))
	}
	return t.Name
}

// callServer sends a client's call to the server. A callback may call on a node that the
// core has already removed, before the game is told of it; such a call is dropped.
func (ca *caller) callServer(n *nodes.Node, t *rpl.RPCType, args []byte) error {
	err := ca.Proxy.Call(n.ID, t, args)
	if errors.Is(err, rpl.ErrNoNode) {
		ca.Faults.Count("rpc dropped")
		return nil
	}
	return err
}

func (ca *caller) queue(n *nodes.Node, t *rpl.RPCType, args []byte) {
	ca.queued.Add(&n.Calls, n, localCall{rpc: t, args: args, tick: ca.Tick})
}

// runCalls runs the calls of this machine on itself.
func (ca *caller) runCalls() {
	ca.queued.Run(func(n *nodes.Node, c localCall) {
		if ca.nodes.Of(n.Entity) != n || n.Leaving {
			ca.Faults.Count("rpc dropped")
			return
		}
		ca.handle(n, c.rpc, Call{From: ca.Me, Tick: c.tick}, c.args, func() {})
	})
}

// runRemote runs a call from another machine that the core has checked.
func (ca *caller) runRemote(c rpl.Call) {
	n := ca.nodes.ByID[c.Node]
	if n == nil || n.Leaving {
		ca.Faults.Count("rpc dropped")
		return
	}
	call, args, handOn := Call{From: c.From, Tick: c.Tick}, c.Args, func() {}
	if ca.Auth == nil {
		call.From = ca.client.host
	}
	if c.RPC.To == rpl.Everywhere {
		var ok bool
		if call.From, args, handOn, ok = ca.everywhere(n, c); !ok {
			ca.Faults.Count("rpc refused")
			return
		}
	}
	ca.handle(n, c.RPC, call, args, handOn)
}

// handle runs a call here. The handler calls handOn once the arguments are known to be
// good, before the game's function.
func (ca *caller) handle(n *nodes.Node, t *rpl.RPCType, c Call, args []byte, handOn func()) {
	fn := ca.handlers[t]
	if fn == nil || !ca.World.Valid(n.Entity) {
		ca.Faults.Scold("rpc without handler", t.Name, "nothing runs here: call its Handle for every Replication")
		return
	}
	c.Entry = ca.World.Entry(n.Entity)
	if (ca.Auth != nil) == (c.From == ca.Me) { // of the authority, as it is here or there: else the tick is another's
		c.name.Node = n.RunsAs()
	}
	if err := fn(c, args, handOn); err != nil {
		ca.Faults.Refuse("rpc refused", fmt.Errorf("RPC %s from peer %d: %w", t.Name, c.From, err))
	}
}

// lastWords runs the calls that wait for this step's Send on a node that will be gone by then.
func (ca *caller) lastWords(n *nodes.Node) {
	for c := range ca.queued.Take(&n.Calls, n) {
		ca.handle(n, c.rpc, Call{From: ca.Me, Tick: c.tick, Last: true}, c.args, func() {})
	}
}

// dropsCallTo reports whether a call to a peer is dropped, and counts it then: the peer has
// a seat, but it is lost, leaving, or not in yet.
func (ca *caller) dropsCallTo(p rpl.Peer) bool {
	s := ca.seats.seatOf(p)
	if s == nil || s.in && s.gone == nil {
		return false
	}
	ca.Faults.Count("rpc dropped")
	return true
}

// handOn sends a call to all peers that have the node except the caller, which has run it
// already. The bound on what is handed on is not for this machine's own calls.
func (ca *caller) handOn(n *nodes.Node, t *rpl.RPCType, from rpl.Peer, args []byte) error {
	ca.extract.NoticeTop(n)
	but := from
	if from == ca.Me {
		but = 0
	}
	return ca.Auth.CallOthers(n.ID, t, sessionmsg.AppendCaller(from, args), but)
}

// everywhere returns the caller and the arguments of a call that was received, and what
// to do before it runs here; ok is false if the call cannot be read.
func (ca *caller) everywhere(n *nodes.Node, c rpl.Call) (from rpl.Peer, args []byte, handOn func(), ok bool) {
	if ca.Auth != nil {
		return c.From, c.Args, func() { ca.Faults.Refuse("rpc not handed on", ca.handOn(n, c.RPC, c.From, c.Args)) }, true
	}
	from, args, ok = sessionmsg.ParseCaller(c.Args)
	return from, args, func() {}, ok
}

// A waitingCall is a call that waits for the server's session node.
type waitingCall struct {
	rpc  *rpl.RPCType
	args []byte
}

// awaits reports whether a node is the session's and has not come yet: from Join on it
// stands for the session that is being joined. While earlier calls wait, later ones queue
// up behind them.
func (ca *caller) awaits(n *nodes.Node) bool {
	return n == ca.nodes.Session && (ca.line.Joining || ca.Auth == nil && (!ca.client.sessionHere || len(ca.waiting) > 0))
}

// callLater routes a call on such a node, which nobody owns.
func (ca *caller) callLater(n *nodes.Node, t *rpl.RPCType, args []byte) error {
	switch {
	case t.To == rpl.Broadcast:
		ca.queue(n, t, args)
	case t.To == rpl.ToOwner, !t.FromAnyone, t.Lane == rpl.Unreliable:
		ca.Faults.Scold("rpc dropped", ca.nameOn(n, t), "it was called on a session that has not been joined yet: only what is reliable and declared FromAnyone waits for it")
	case len(ca.waiting) >= maxWaiting:
		return fmt.Errorf("tendon: RPC %s: %d calls wait for the session to be joined already: %w: call when it has begun", t.Name, maxWaiting, rpl.ErrLimit)
	default:
		ca.waiting = append(ca.waiting, waitingCall{t, args})
	}
	return nil
}

// callWaiting sends the calls that have waited, once the session's node is here.
func (ca *caller) callWaiting() {
	if !ca.client.sessionHere || len(ca.waiting) == 0 {
		return
	}
	calls := ca.waiting
	ca.waiting = nil
	for _, c := range calls {
		ca.Faults.Report("rpc not sent", ca.call(ca.nodes.Session, c.rpc, c.args))
	}
}

// dropCalls drops the calls that wait for this machine's Send, in a session that has ended.
func (ca *caller) dropCalls() { ca.Faults.Add("rpc dropped", ca.queued.Drop()) }

// waits keeps a call of the server until its tick is drawn, unless its node is drawn ahead.
func (ca *caller) waits(c Call, args any, sent []byte, run func(Call, any, []byte, func()) error) bool {
	n := ca.nodes.Of(c.Entry.Entity())
	if ca.Auth != nil || c.From == ca.Me || n.Predicted != nil && n != ca.nodes.Session {
		return false
	}
	if ca.undrawn.Len() >= callqueue.MaxTimed {
		ca.Faults.Refuse("rpc before its picture", fmt.Errorf("%d calls wait until they are drawn, and the first are not: have the server make fewer that are WhenDrawn, or say more in one", callqueue.MaxTimed))
		ca.runDrawn(nil, rpl.Tick(ca.undrawn.First()))
	}
	ca.undrawn.Add(uint32(c.Tick), n, callqueue.Late[Call]{Call: c, Args: args, Sent: bytes.Clone(sent), Run: run})
	return true
}

// runDrawn runs the calls that wait up to a tick, of one node or, for nil, of all.
func (ca *caller) runDrawn(of *nodes.Node, to rpl.Tick) {
	for n, c, ok := ca.undrawn.Next(of, uint32(to)); ok; n, c, ok = ca.undrawn.Next(of, uint32(to)) {
		if ca.nodes.Of(n.Entity) != n {
			ca.Faults.Count("rpc dropped")
			continue
		}
		c.Call.Entry = ca.World.Entry(n.Entity)
		ca.Faults.Refuse("rpc refused", c.Run(c.Call, c.Args, c.Sent, func() {}))
	}
}
