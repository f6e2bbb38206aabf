package ecs

// RPC: typed remote calls on nodes, and the table that says where they run.

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/command"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
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
// Everywhere runs once on each machine that has the node, a dedicated server included,
// when the server or the owner calls it; a call by any other client is dropped. With
// FromAnyone any client may call ToServer and Everywhere. A client's Everywhere call goes
// through the server, which hands it on unless it refuses it. A reliable call is handed
// on only to peers for which at most 256 KiB of messages wait, and dropped for the
// others.
//
// The server owns the nodes of owner 0 and 1. A machine with a local player counts as a
// client that has every node: a Broadcast from the server runs there too, also in single
// player, but not on a dedicated server.
//
// A call that runs on the calling machine runs at the start of the same step's Send, or
// inside the node's removal if that comes first (Call.Last). Calls made while these run
// wait for the next Send. Dropped calls are counted as "rpc dropped", including those to
// a peer that is lost or leaving. CallsDropped in Core().Counters counts calls to a peer without
// the node, unreliable ones beyond its budget, and calls that a client may not make.
//
// From Join on, Session is the session that is being joined. Reliable calls on it with
// FromAnyone wait until its node has come, at most 64 of them and with null references;
// they are dropped if the node never comes. The same holds while a new level is built.
// Until then a Broadcast runs locally and other calls are dropped. All other nodes belong
// to the old session until the next Receive, with which they end. Calls that are on their
// way to the server while it loads a level belong to the old level: the server drops and
// counts them.
type RPC[A any] struct {
	protocol *Protocol
	wire     *rpl.RPCType
	on       []donburi.IComponentType // what the node must have
	drawn    bool                     // WhenDrawn
}

// Call is the context of a handler.
type Call struct {
	Entry  *donburi.Entry // the node; valid during the call
	From   rpl.Peer       // the peer that called; 0 is a server without a player
	Tick   rpl.Tick       // the step of the call
	Last   bool           // the node is being removed: removing it again here panics
	Replay bool           // of a command: the tick has run before, and is corrected: no sounds, no sparks

	drawn command.Drawn // what the caller of a command had drawn
	name  predict.Name  // of a command's run; without a tick the call is none
}

// NewRPC declares a call, before the first New. to says where it runs: rpl.ToServer,
// rpl.ToOwner, rpl.Broadcast or rpl.Everywhere; see the table at RPC. lane says how it
// travels. An rpl.Reliable call arrives once; reliable calls on one node arrive in the
// order in which they were made. An rpl.Unreliable call arrives at most once, and the
// newest one wins: one that comes after a newer call of the same RPC on the same node, by
// the same caller, is dropped and counted (CallsOvertaken in the core's counters), unless
// the RPC is declared AnyOrder.
//
// A is a basic type, a vector, a donburi.Entity, or a struct whose fields all have a tag.
// On the wire A has at most 4,096 bytes, and 1,024 on the unreliable lane. A string or
// byte slice alone has at most 255 bytes; inside a struct, max= sets the limit. A
// reference to a node that is not on the other machine when the call runs is null there.
func NewRPC[A any](p *Protocol, name string, to rpl.Target, lane rpl.Lane) *RPC[A] {
	p.declare("RPC", name)
	p.arguments[reflect.TypeFor[A]()] = true
	return &RPC[A]{protocol: p, wire: p.schema.RPC(name, reflect.TypeFor[A](), to, lane)}
}

// FromAnyone lets any client make the call on a node that it does not own: a chat line on
// the session. It is part of the declaration, and returns c.
func (c *RPC[A]) FromAnyone() *RPC[A] {
	c.protocol.declare("FromAnyone of RPC", c.wire.Name)
	c.wire.FromAnyone = true
	return c
}

// AnyOrder lets unreliable calls run in the order in which they come: sparks, sounds,
// marks, of which each counts by itself. Without it a call that a newer one has overtaken
// on the way is dropped, as it should be with held keys and sticks. It is part of the
// declaration, and returns c. New refuses it for a reliable call, which has its order.
func (c *RPC[A]) AnyOrder() *RPC[A] {
	c.protocol.declare("AnyOrder of RPC", c.wire.Name)
	c.wire.AnyOrder = true
	return c
}

// WhenDrawn delays the server's calls on clients until drawn time (ViewTick) has reached their ticks, so that
// the sound of a hit comes with the fist. They run in that Receive, by tick and then as they came, before
// OnStreamOut of what ends by then. They run at once on nodes that the client predicts (except the session's),
// when more than 512 wait ("rpc before its picture"), when their node is about to lose a component, and when the
// level or the session ends. Calls without WhenDrawn may overtake them. One with a reference tagged `has` that
// is not met by then is dropped. It is part of the declaration, of this machine alone, and returns c. New refuses
// it for a call to the server.
func (c *RPC[A]) WhenDrawn() *RPC[A] {
	c.protocol.declare("WhenDrawn of RPC", c.wire.Name)
	if c.wire.To == rpl.ToServer {
		c.protocol.fault(fmt.Errorf("tendon: RPC %s is WhenDrawn and goes to the server, which draws nothing: leave WhenDrawn out", c.wire.Name))
	}
	c.drawn = true
	return c
}

// On says that the call is for nodes with these components alone, as a method is for its
// type: Steer = NewRPC[Input](…).On(Controller). Send returns an error for other nodes. A
// client that was tampered with may call on any node that it owns, and with FromAnyone on
// any that it has; what is not for the node is refused and counted ("rpc refused") before
// the handler, which may therefore read the components of Call.Entry that On names. It is
// part of the declaration, and returns c. It panics without a component.
func (c *RPC[A]) On(first donburi.IComponentType, others ...donburi.IComponentType) *RPC[A] {
	c.protocol.declare("On of RPC", c.wire.Name)
	for _, t := range append([]donburi.IComponentType{first}, others...) {
		mustBeGiven("On of RPC "+c.wire.Name, t)
		c.on = append(c.on, t)
	}
	return c
}

// forNode refuses a node without the components that On names.
func (c *RPC[A]) forNode(e *donburi.Entry) error {
	for _, t := range c.on {
		if !e.HasComponent(t) {
			return fmt.Errorf("the node has no component %s, which the RPC is declared On", t.Name())
		}
	}
	return nil
}

// Handle binds the function that runs the call, on every machine, once per Replication.
// It panics the second time, without a function, and for an RPC of another protocol. The
// function runs inside Receive and Send, and inside the node's removal for Call.Last. The
// caller chooses the node: On says which components of it fn may rely on.
func (c *RPC[A]) Handle(r *Replication, fn func(c Call, a A)) {
	r.mustPlay(c.protocol, "RPC", c.wire.Name)
	mustBeOnly("Handle of RPC "+c.wire.Name, fn, r.calls.handlers[c.wire] != nil)
	run := func(call Call, a any, sent []byte, handOn func()) error {
		if sent != nil { // it has waited
			c.wire.Args.Repoint(sent, unsafe.Pointer(a.(*A)), r.nodes.Late)
		}
		err := c.forNode(call.Entry)
		if err == nil {
			err = r.nodes.CheckRefs(&r.shared.Base, c.wire.Args.Refs(), call.From, unsafe.Pointer(a.(*A)))
		}
		if err == nil {
			handOn()
			fn(call, *a.(*A))
		}
		return err
	}
	r.calls.handlers[c.wire] = func(call Call, args []byte, handOn func()) error {
		a := new(A)
		if err := c.wire.Args.Parse(args, unsafe.Pointer(a), &r.nodes); err != nil {
			return fmt.Errorf("arguments: %w", err)
		}
		if c.drawn && r.calls.waits(call, a, args, run) {
			return nil
		}
		return run(call, a, nil, handOn)
	}
}

// Send makes the call on a node, from any machine. It returns an error if the entity is
// no node or lacks a component that On names, if the arguments exceed their tags or the
// lane's limit or contain NaN or Inf, or if the lane is full, as when too many calls wait
// for Join. If one peer's lane is full, the other peers are called all the same. A call
// that the table drops is no error, nor is a call on a node that has gone and is only
// still drawn.
func (c *RPC[A]) Send(e *donburi.Entry, a A) error {
	r, n, args, err := c.prepare(e, &a)
	if err != nil {
		return err
	}
	return r.calls.call(n, c.wire, args)
}

// SendTo runs the call on one peer, from the authority, whoever owns the node. The call
// is dropped if the peer does not have the node, is lost, or is building its side of a
// level. SendTo returns the errors of Send, and an error if this machine is no authority
// or there is no such peer.
func (c *RPC[A]) SendTo(e *donburi.Entry, to rpl.Peer, a A) error {
	r, n, args, err := c.prepare(e, &a)
	if err != nil {
		return err
	}
	switch {
	case r.shared.Auth == nil:
		return fmt.Errorf("tendon: RPC %s to peer %d: %w: only the authority calls a peer", c.wire.Name, to, ErrNotAllowed)
	case to == r.shared.Me && to != 0:
		r.calls.queue(n, c.wire, args)
		return nil
	case r.seats.seatOf(to) == nil:
		return fmt.Errorf("tendon: RPC %s to peer %d: %w: ask rep.Peers, or forget it in OnLeave", c.wire.Name, to, rpl.ErrNoPeer)
	case r.calls.dropsCallTo(to):
		return nil
	case c.wire.To == rpl.Everywhere:
		args = sessionmsg.AppendCaller(r.shared.Me, args)
	}
	return r.shared.Auth.CallPeer(n.ID, c.wire, args, to)
}

func (c *RPC[A]) prepare(e *donburi.Entry, a *A) (*Replication, *nodes.Node, []byte, error) {
	r := of(e)
	if r == nil {
		return nil, nil, nil, fmt.Errorf("tendon: RPC %s: %w: the entity's world has no session", c.wire.Name, ErrNoNode)
	}
	if err := r.plays(c.protocol, "RPC", c.wire.Name); err != nil {
		return nil, nil, nil, err
	}
	n := r.nodes.Of(e.Entity())
	if n == nil {
		r.shared.Faults.Count("rpc without node")
		return nil, nil, nil, fmt.Errorf("tendon: RPC %s: the entity is %w: %s", c.wire.Name, ErrNoNode, howToBeNode(e))
	}
	if n.ID == 0 {
		r.shared.Faults.Count("rpc without node")
		return nil, nil, nil, fmt.Errorf("tendon: RPC %s: %q is %w yet: its state has not come, or it is out of sight: ask tendon.ID, or wait for OnStreamIn", c.wire.Name, n.Name, ErrNoNode)
	}
	if r.shared.Auth != nil {
		r.extract.NoticeTop(n)
	}
	var refs rpl.Refs = &r.nodes
	if r.calls.awaits(n) {
		refs = nil // no node of that session is here yet, nor what its own node has
	} else if err := c.forNode(e); err != nil {
		return nil, nil, nil, fmt.Errorf("tendon: RPC %s: %w: %w: call it on one that has it", c.wire.Name, ErrNotAllowed, err)
	}
	args, err := c.wire.Args.Append(nil, unsafe.Pointer(a), refs)
	if err != nil {
		return nil, nil, nil, fmt.Errorf("tendon: arguments of %w", err) // err names the RPC
	}
	if limit := sessionmsg.MaxArgs(c.wire); len(args) > limit {
		return nil, nil, nil, fmt.Errorf("tendon: RPC %s has %d bytes of arguments, at most %d on its lane: send less, or replicate it in a component", c.wire.Name, len(args), limit)
	}
	return r, n, args, nil
}

// Rewind runs fn with other entities where the caller of a command saw them when it gave the command, on the
// server and on the caller's machine alike, also in a replay: so one Apply finds the same on both. Find out in
// fn who is hit; apply the consequences after it. What counts is the caller's newest frame or, in a second
// step since, what is due by then.
//
// Rewind sets the fields tagged `interp` of the components in Config.Rewind, of parts too, and the Parent of
// what hung below another node. It leaves alone what the caller drives or predicts, and all other fields, so
// fn may take hit points. If fn changes a field that was set, the change is added to the present value (with
// `interp=step`, the new value is kept); setting one to the very value that was seen cannot be noticed. What
// was not on the caller's screen then, such as a body that was just made, is as it is now: Space does not find
// it, and Saw is false.
//
// Rewind goes back half a second at most, and no longer than the server has measured of that peer. For players
// of this machine, on other clients that predict the node, in OnWake and for a command of None, fn runs with
// everything as it is. Without Config.Rewind it always does: a server, and a client whose server has it,
// counts that ("rewind of nothing") and logs it once. nil panics.
func (c Call) Rewind(fn func()) {
	if fn == nil { // mustBeFunc would have each closure allocate
		panic("tendon: Rewind of no function")
	}
	r := of(c.Entry)
	switch {
	case r == nil || c.drawn.To == 0 || r.shared.Auth != nil && c.From == r.shared.Me || r.shared.Auth == nil && r.commands.writer.Plain:
		fn()
		return
	}
	if r.checks.Rewinds(c.name.Command, len(r.shared.config.Rewind)); r.shared.Auth == nil {
		r.past.BackTo(c.Tick)
	} else {
		r.past.Back(c.From, c.drawn)
	}
	defer r.past.Forth()
	fn()
}

// Saw reports whether a rule that loops over all entities should consider e. It is false inside Rewind for what was not
// on the caller's screen then, or has gone, or is below such a node, and in a replay, inside Rewind or not, for what a
// command has yet to make. It is true for what Config.Rewind does not name, and on the server for what came into the caller's sight since.
func (c Call) Saw(e *donburi.Entry) bool {
	r := of(e)
	return r == nil || r.past.Saw(e)
}
