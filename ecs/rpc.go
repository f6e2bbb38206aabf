package ecs

// RPC: typed remote calls on nodes, and the table that says where they run.

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

// RPC is a typed remote call on a node. Where it runs:
//
//	called on  caller owns it  ToServer     ToOwner               Broadcast
//	server     yes             there        there                 on all clients that have the node
//	server     no              there        on the owning client  on all clients that have the node
//	client     yes             on server    locally               locally
//	client     no              dropped      dropped               locally
//
// Everywhere runs once on each machine that has the node, a dedicated server
// included, when the server or the owner calls it; anybody else's is dropped.
// An owner's goes over the server, which hands on what it has not refused: a reliable one
// to those for whom at most 256 KiB of messages wait, and drops it for the others.
//
// The server owns nodes of owner 0 and 1. A machine with a local player counts
// as a client that has every node: a Broadcast from the server runs there too,
// in single player as well, and not on a dedicated server. Calls that run on the
// calling machine run at the start of the same step's Send, or inside the node's removal
// where that comes first (Call.Last); calls that are made meanwhile run at the next Send's.
// Drops are counted as "rpc dropped", those on the way to a peer that is lost or leaving
// included; Core().Counters has as CallsDropped the calls to a peer without the node, and
// those that a client may not make.
//
// From Join on, Session is the session that is being joined: reliable calls on
// it that any client may make wait until its node has come, 64 of them at most
// and without references, and are dropped if that never happens; so while a new
// level is built. Other calls on it are dropped until then. Other nodes are those
// of the old session up to the next Receive, with which they end. Calls that are on their way
// to the server while it loads a level belong to the old one: they are dropped and counted there.
type RPC[A any] struct {
	protocol *Protocol
	wire     *rpl.RPCType
}

// Call is the context of a handler.
type Call struct {
	Entry *donburi.Entry // the node; valid during the call
	From  rpl.Peer       // the peer that sent it; 0 is a server without a player
	Tick  rpl.Tick       // the step it belongs to
	Last  bool           // the node is being removed: to remove it here panics
}

// Errors that Send and SendTo wrap.
var (
	ErrNoNode     = errors.New("not a node")
	ErrNotAllowed = errors.New("not allowed here")
)

// NewRPC declares a call, before the first New. to says where it runs: rpl.ToServer,
// rpl.ToOwner, rpl.Broadcast or rpl.Everywhere, as the table at RPC has it. lane says how
// it travels: rpl.Reliable arrives once and, of those on one node, in the order
// of calls; rpl.Unreliable at most once, in any. A is a basic type, a vector, a
// donburi.Entity, or a struct whose fields all have a tag; on the wire it is at most 4,096
// bytes, and 1,024 on the unreliable lane. A string or bytes alone have at most 255; in a
// struct, what max= says. A reference to a node that has not come to the other machine yet is
// null there.
func NewRPC[A any](p *Protocol, name string, to rpl.Target, lane rpl.Lane) *RPC[A] {
	p.declare("RPC", name)
	return &RPC[A]{protocol: p, wire: p.schema.RPC(name, reflect.TypeFor[A](), to, lane)}
}

// FromAnyone lets any client call it on a node that it does not own: a chat
// line on the session. It is part of the declaration, and returns c.
func (c *RPC[A]) FromAnyone() *RPC[A] {
	c.protocol.declare("FromAnyone of RPC", c.wire.Name)
	c.wire.FromAnyone = true
	return c
}

// Handle binds the function, on every machine, once per Replication: it panics the second
// time, without a function, and for a call of another protocol. The function runs inside
// Receive and Send.
func (c *RPC[A]) Handle(r *Replication, fn func(c Call, a A)) {
	if err := r.plays(c.protocol, "RPC", c.wire.Name); err != nil {
		panic(err.Error())
	}
	mustBe("Handle of RPC "+c.wire.Name, fn)
	if r.handlers[c.wire] != nil {
		panic(fmt.Sprintf("tendon: RPC %s is handled twice in one session: bind it once", c.wire.Name))
	}
	r.handlers[c.wire] = func(call Call, args []byte, handOn func()) error {
		a := new(A)
		if err := c.wire.Args.Parse(args, unsafe.Pointer(a), r.refs()); err != nil {
			return err
		}
		if err := r.checkRefs(c.wire.Args.Refs(), call.From, unsafe.Pointer(a)); err != nil {
			return err
		}
		handOn()
		fn(call, *a)
		return nil
	}
}

// Send calls it on a node, from any machine. An error says that the entity is
// no node, that the arguments are beyond their tags or what the lane allows, or have NaN or
// Inf in them, or that the lane is full, as when too many calls wait for Join: if it is one
// peer's lane, the others are called. A call that the table drops is no error, nor one on a
// node that has gone and is only still drawn.
func (c *RPC[A]) Send(e *donburi.Entry, a A) error {
	r, n, args, err := c.prepare(e, &a)
	if err != nil {
		return err
	}
	return r.call(n, c.wire, args)
}

// SendTo runs it on one peer, from the authority, whoever owns the node. It is
// dropped if the peer does not have the node, is lost, or is building its side of a
// level. An error says what an error of Send does, or that this is no authority, or that
// there is no such peer.
func (c *RPC[A]) SendTo(e *donburi.Entry, to rpl.Peer, a A) error {
	r, n, args, err := c.prepare(e, &a)
	if err != nil {
		return err
	}
	switch {
	case r.auth == nil:
		return fmt.Errorf("tendon: RPC %s to peer %d: %w: only the authority calls a peer", c.wire.Name, to, ErrNotAllowed)
	case to == r.me && to != 0:
		r.queue(n, c.wire, args)
		return nil
	case r.seatOf(to) == nil:
		return fmt.Errorf("tendon: RPC %s to peer %d: %w: ask rep.Peers, or forget it in OnLeave", c.wire.Name, to, rpl.ErrNoPeer)
	case r.unreachable(to):
		return nil
	case c.wire.To == rpl.Everywhere:
		args = withCaller(r.me, args)
	}
	return r.auth.CallPeer(n.id, c.wire, args, to)
}

func (c *RPC[A]) prepare(e *donburi.Entry, a *A) (*Replication, *node, []byte, error) {
	r := of(e)
	if r == nil {
		return nil, nil, nil, fmt.Errorf("tendon: RPC %s: %w: the entity's world has no session", c.wire.Name, ErrNoNode)
	}
	if err := r.plays(c.protocol, "RPC", c.wire.Name); err != nil {
		return nil, nil, nil, err
	}
	n := r.nodeOf(e.Entity())
	if n == nil {
		*r.Counter("rpc without node")++
		return nil, nil, nil, fmt.Errorf("tendon: RPC %s: the entity is %w: %s", c.wire.Name, ErrNoNode, howToBeNode(e))
	}
	if n.id == 0 {
		*r.Counter("rpc without node")++
		return nil, nil, nil, fmt.Errorf("tendon: RPC %s: %q is %w yet: its state has not come, or it is out of sight: ask tendon.ID, or wait for OnStreamIn", c.wire.Name, n.name, ErrNoNode)
	}
	refs := r.refs()
	if r.awaits(n) {
		refs = nil // nothing of the session is here to be referred to
	}
	args, err := c.wire.Args.Append(nil, unsafe.Pointer(a), refs)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("tendon: arguments of %w", err) // which names the RPC
	}
	if limit := argsLimit(c.wire); len(args) > limit {
		return nil, nil, nil, fmt.Errorf("tendon: RPC %s has %d bytes of arguments, at most %d on its lane: send less, or replicate it in a component", c.wire.Name, len(args), limit)
	}
	return r, n, args, nil
}

// checkRefs refuses a reference (`has=component`) to what is not here, has not
// the component, or is not seen by the peer that sent it. There is none in an rpl.Opt
// that is absent.
func (r *Replication) checkRefs(refs []rpl.ArgRef, from rpl.Peer, args unsafe.Pointer) error {
	for _, ref := range refs {
		if ref.Has == "" || ref.Absent(args) {
			continue
		}
		ent := *(*donburi.Entity)(unsafe.Add(args, ref.Offset))
		n := r.nodeOf(ent)
		if n == nil || !r.world.Valid(ent) {
			return fmt.Errorf("field %s refers to nothing that is here", ref.Field)
		}
		c := r.protocol.named(ref.Has)
		if c == nil || !r.world.Entry(ent).HasComponent(c.c) {
			return fmt.Errorf("field %s refers to a node without component %s", ref.Field, ref.Has)
		}
		if r.auth != nil && from != r.me && !slices.Contains(r.auth.Holders(n.id, nil), from) {
			return fmt.Errorf("field %s refers to a node that peer %d does not hold", ref.Field, from)
		}
	}
	return nil
}

func argsLimit(t *rpl.RPCType) int {
	limit := rpl.MaxReliableArgs
	if t.Lane == rpl.Unreliable {
		limit = rpl.MaxUnreliableArgs
	}
	if t.To == rpl.Everywhere {
		limit -= callerRoom
	}
	return limit
}

// call is the table.
func (r *Replication) call(n *node, t *rpl.RPCType, args []byte) error {
	if r.awaits(n) {
		return r.callLater(n, t, args)
	}
	if r.auth != nil {
		owner := n.owner
		switch {
		case t.To == rpl.ToServer, t.To == rpl.ToOwner && owner <= rpl.Server:
			r.queue(n, t, args)
			return nil
		case t.To == rpl.ToOwner && r.unreachable(owner):
			return nil
		case t.To == rpl.Broadcast && r.me != 0:
			r.queue(n, t, args)
		case t.To == rpl.Everywhere:
			r.queue(n, t, args)
			return r.handOn(n, t, r.me, args)
		}
		return r.auth.Call(n.id, t, args)
	}
	switch mine := r.me != 0 && n.owner == r.me; {
	case n.leaving:
		*r.Counter("rpc dropped")++
	case r.joining: // another session: nothing leaves for this one any more
		*r.Counter("rpc dropped")++
	case t.To == rpl.Broadcast, t.To == rpl.ToOwner && mine:
		r.queue(n, t, args)
	case t.To == rpl.ToServer && (mine || t.FromAnyone) && r.proxy != nil:
		return r.callServer(n, t, args)
	case t.To == rpl.Everywhere && (mine || t.FromAnyone) && r.proxy != nil:
		r.queue(n, t, args)
		return r.callServer(n, t, args)
	default:
		r.scold("rpc dropped", t.Name, "it was called on a node of which this machine's player is not the owner: ask tendon.IsOwner or Mine, or declare it FromAnyone")
	}
	return nil
}

// callServer sends a client's call. In callbacks it may be on a node that is known to have
// gone, of which the game is about to be told: that is dropped.
func (r *Replication) callServer(n *node, t *rpl.RPCType, args []byte) error {
	err := r.proxy.Call(n.id, t, args)
	if errors.Is(err, rpl.ErrNoNode) {
		*r.Counter("rpc dropped")++
		return nil
	}
	return err
}

// A localCall waits for the step's Send.
type localCall struct {
	node *node // nil: it has run, as the node's last words
	rpc  *rpl.RPCType
	args []byte
	tick rpl.Tick
}

func (r *Replication) queue(n *node, t *rpl.RPCType, args []byte) {
	r.calls = append(r.calls, localCall{node: n, rpc: t, args: args, tick: r.tick})
}

// runCalls runs what this machine has called on itself. Calls that handlers
// make meanwhile wait for the next step, so that two that call each other do
// not hold this one up.
func (r *Replication) runCalls() {
	calls := r.calls
	r.calls, r.spareCalls = r.spareCalls[:0], nil // a handler may panic: the two must not become one
	for i := range calls {
		switch c := &calls[i]; {
		case c.node == nil:
		case r.nodeOf(c.node.entity) == c.node && !c.node.leaving:
			r.handle(c.node, c.rpc, Call{From: r.me, Tick: c.tick}, c.args, func() {})
		default:
			*r.Counter("rpc dropped")++
		}
		calls[i] = localCall{}
	}
	r.spareCalls = calls[:0]
}

// runRemote is a call that came from another machine, checked by the core.
func (r *Replication) runRemote(c rpl.Call) {
	n := r.byID[c.Node]
	if n == nil || n.leaving {
		*r.Counter("rpc dropped")++
		return
	}
	call, args, handOn := Call{From: c.From, Tick: c.Tick}, c.Args, func() {}
	if r.auth == nil {
		call.From = r.host
	}
	if c.RPC.To == rpl.Everywhere {
		var ok bool
		if call.From, args, handOn, ok = r.everywhere(n, c); !ok {
			*r.Counter("rpc refused")++
			return
		}
	}
	r.handle(n, c.RPC, call, args, handOn)
}

// handle runs a call here. handOn runs before it, once its arguments are known
// to be good.
func (r *Replication) handle(n *node, t *rpl.RPCType, c Call, args []byte, handOn func()) {
	fn := r.handlers[t]
	if fn == nil || !r.world.Valid(n.entity) {
		r.scold("rpc without handler", t.Name, "nothing runs here: call its Handle for every Replication")
		return
	}
	c.Entry = r.world.Entry(n.entity)
	if err := fn(c, args, handOn); err != nil {
		r.refuse("rpc refused", fmt.Errorf("arguments of %s from peer %d: %w", t.Name, c.From, err))
	}
}
