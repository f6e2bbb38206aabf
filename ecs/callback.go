package ecs

// Callbacks: how a game is told what happens, and in which order.

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// A notifier calls the game back when a batch of changes is complete.
type notifier struct {
	*shared
	nodes *nodes.Table

	hooks       callbacks
	events      []event // callbacks that wait for the end of a batch
	spareEvents []event // room for the next batch
	batch       uint32
	turns       int

	// Scratch.
	olds  []unsafe.Pointer // by component.order: room for what OnChange is given as old; nil while it is in use
	words []int32
	vars  []any
	seen  nodes.Sightings
}

type callbacks struct {
	world     []func(w donburi.World, name string)
	start     []func()
	join      []func(p rpl.Peer)
	lost      []func(p rpl.Peer)
	back      []func(p rpl.Peer)
	leave     []func(p rpl.Peer)
	end       []func(err error)
	streamIn  []onComponent[func(e *donburi.Entry)]
	streamOut []onComponent[func(e *donburi.Entry, destroyed bool)]
	parent    []onComponent[func(e *donburi.Entry, old donburi.Entity)]
	owner     []onComponent[func(e *donburi.Entry, old rpl.Peer)]
	change    map[int][]func(e *donburi.Entry, old unsafe.Pointer) // by component.order
}

type onComponent[F any] struct {
	c  donburi.IComponentType
	fn F
}

func on[F any](c donburi.IComponentType, what string, fn F) onComponent[F] {
	mustBeGiven(what, c)
	mustBe(what, fn)
	return onComponent[F]{c, fn}
}

// mustBeGiven panics for a nil component, also for the nil of a component type: entities
// never have it, so the call would have no effect, or end the program later.
func mustBeGiven(what string, c donburi.IComponentType) {
	if v := reflect.ValueOf(c); c == nil || v.Kind() == reflect.Pointer && v.IsNil() {
		panic("tendon: " + what + " of no component: give it what donburi.NewComponentType or NewTag returned")
	}
}

// mustBeMade panics for a session that is nil, where the game's code is still on the stack
// that says where it comes from.
func mustBeMade(what string, r *Replication) {
	if r == nil {
		panic("tendon: " + what + " of no Replication: call New first, look at its error, and give it what that returned")
	}
}

func hang[F any](list []F, what string, fn F) []F {
	mustBe(what, fn)
	return append(list, fn)
}

// mustBe panics for a nil function where it is given. Called later, it would end the
// program because of what another machine has sent.
func mustBe(what string, fn any) {
	if reflect.ValueOf(fn).IsNil() {
		panic("tendon: " + what + " of no function")
	}
}

// OnWorld fills a new world, on every machine; Load, on the authority, moves everyone to
// one. The world is attached before fn runs, so fn may Spawn if this machine is the
// authority. The entities of the old world stay, but none of them is a node any more. The
// first world's name is empty unless Load was called first. A world that was given to New
// is filled by the game and not by OnWorld, unless Load was called first.
func (r *Replication) OnWorld(fn func(w donburi.World, name string)) {
	mustBeMade("OnWorld", r)
	r.notify.hooks.world = hang(r.notify.hooks.world, "OnWorld", fn)
}

// OnStart runs on the authority when a world begins, before anyone joins: the place to
// fill the world.
func (r *Replication) OnStart(fn func()) {
	mustBeMade("OnStart", r)
	r.notify.hooks.start = hang(r.notify.hooks.start, "OnStart", fn)
}

// OnJoin runs on the authority when a peer has joined and its side of the level is built.
// The local player joins too, in every mode but dedicated. Everyone joins again after
// Load.
func (r *Replication) OnJoin(fn func(p rpl.Peer)) {
	mustBeMade("OnJoin", r)
	r.notify.hooks.join = hang(r.notify.hooks.join, "OnJoin", fn)
}

// OnLeave runs on the authority, once, before the peer's nodes are removed or pass to
// nobody; it does not run for Load. It runs at once for a peer that has closed the
// session or was kicked. For a peer that has fallen silent it runs 30 s after OnLost.
func (r *Replication) OnLeave(fn func(p rpl.Peer)) {
	mustBeMade("OnLeave", r)
	r.notify.hooks.leave = hang(r.notify.hooks.leave, "OnLeave", fn)
}

// OnLost runs on the authority when a peer that has joined has not been heard for 10 s,
// or its socket has failed. The peer keeps its number, its nodes, its groups and its
// place among Peers; calls to it are dropped and counted ("rpc dropped"). A client that
// joins again before its silence is noticed is lost and back all the same.
func (r *Replication) OnLost(fn func(p rpl.Peer)) {
	mustBeMade("OnLost", r)
	r.notify.hooks.lost = hang(r.notify.hooks.lost, "OnLost", fn)
}

// OnBack runs on the authority when a lost client has joined again within 30 s and its
// side of the level is built. OnJoin does not run then, unless a level was loaded
// meanwhile. Until packets are sealed, anyone who has overheard a client's hello can take
// its seat.
func (r *Replication) OnBack(fn func(p rpl.Peer)) {
	mustBeMade("OnBack", r)
	r.notify.hooks.back = hang(r.notify.hooks.back, "OnBack", fn)
}

// OnEnd tells a client why it is alone again, and a host why it cannot be joined: an
// error of transport (ErrFull, ErrKicked, ErrTimeout, …) with its reason. A host is also
// told when its listener is closed, or its socket fails, later on. After OnEnd a client's
// world begins anew, in single player and before the step's rules, unless fn calls Join.
// A client that was lost gets its seat back by that Join, with its peer number and all
// that it owns.
func (r *Replication) OnEnd(fn func(err error)) {
	mustBeMade("OnEnd", r)
	r.notify.hooks.end = hang(r.notify.hooks.end, "OnEnd", fn)
}

// OnStreamIn runs on every machine when a node with the component starts to exist there,
// after its state is loaded: inside Receive on proxies, in the step's Send on the
// authority.
func (r *Replication) OnStreamIn(c donburi.IComponentType, fn func(e *donburi.Entry)) {
	mustBeMade("OnStreamIn", r)
	r.notify.hooks.streamIn = append(r.notify.hooks.streamIn, on(c, "OnStreamIn", fn))
}

// OnStreamOut runs before a node's entity goes. destroyed tells whether the node was
// destroyed or has only gone out of sight. On proxies it runs inside Receive, when drawn
// time has reached the removal. On the authority it runs inside World.Remove; if RplNode
// was taken away it runs in the step's Send, and the entity stays. fn may read the
// entity: World.Valid is still true of it. On the authority, removing the entity again
// inside fn panics, and so do two nodes that each remove the other there.
func (r *Replication) OnStreamOut(c donburi.IComponentType, fn func(e *donburi.Entry, destroyed bool)) {
	mustBeMade("OnStreamOut", r)
	r.notify.hooks.streamOut = append(r.notify.hooks.streamOut, on(c, "OnStreamOut", fn))
}

// OnParent runs on every machine that has the node when it has got another parent or none
// (Attach; the removal of its parent), and after OnStreamIn if it hangs under a node
// already. Parent returns the new parent. old is the former one, donburi.Null for none;
// World.Valid may not know it any more. On the authority OnParent runs in the step's Send,
// before any call that comes later. A node that is attached elsewhere and back within a
// step has no OnParent. A part has none: its node has.
func (r *Replication) OnParent(c donburi.IComponentType, fn func(e *donburi.Entry, old donburi.Entity)) {
	mustBeMade("OnParent", r)
	r.notify.hooks.parent = append(r.notify.hooks.parent, on(c, "OnParent", fn))
}

// OnOwner runs on every machine that has the node when another peer begins to drive it,
// and after OnStreamIn if a peer drives it already. old is the peer that drove it, 0 for
// nobody. On the authority it runs in the step's Send, before any call by the new owner.
// A node that is given away and back within a step has no OnOwner.
func (r *Replication) OnOwner(c donburi.IComponentType, fn func(e *donburi.Entry, old rpl.Peer)) {
	mustBeMade("OnOwner", r)
	r.notify.hooks.owner = append(r.notify.hooks.owner, on(c, "OnOwner", fn))
}

// OnChange runs on every machine, the authority too, when fields tagged `notify` have
// changed. It runs inside Receive on proxies and in the step's Send on the authority, at
// most once a step for each component, except that calls may change what has just
// streamed in. Changes by callbacks that run before it are part of the change. It does
// not run if no `notify` field differs in the end, or the component has gone. It panics
// for a component that is not replicated or has no field tagged `notify`.
//
// old is the component before the change: its `notify` fields are as OnChange last saw
// them, the others as they were in the step before. At stream in, old is what the
// prefab's function made, or the component's default; for a component that came later,
// old is the default. Lists, maps and fields with a codec have their old values in old,
// and so has everything that a stand-in's set writes; all else behind pointers is shared
// with the component.
//
// A reference also changes when the node that it refers to comes into sight or goes. old
// then still holds that entity, which World.Valid may not know any more.
func OnChange[T any](r *Replication, c *donburi.ComponentType[T], fn func(e *donburi.Entry, old T)) {
	mustBeMade("OnChange", r)
	mustBeGiven("OnChange", c)
	def := r.shared.protocol.kinds.Of(c)
	if def == nil {
		panic("tendon: OnChange of " + c.Name() + ", which is not replicated: register it with Replicate")
	}
	mustBe("OnChange of component "+def.Name, fn)
	if len(def.Notify) == 0 {
		panic("tendon: OnChange of component " + def.Name + ", which has no field tagged `notify`: tag those that matter")
	}
	if r.notify.hooks.change == nil {
		r.notify.hooks.change = map[int][]func(*donburi.Entry, unsafe.Pointer){}
	}
	r.notify.hooks.change[def.Order] = append(r.notify.hooks.change[def.Order], func(e *donburi.Entry, old unsafe.Pointer) { fn(e, *(*T)(old)) })
	for _, n := range r.nodes.ByID {
		for i := range n.Items {
			if n.Items[i].Comp == def {
				r.notify.startWatch(&n.Items[i], false)
			}
		}
	}
	for i := range r.extract.plans {
		r.extract.plans[i].anew = true // these items are now compared one by one
	}
}

// An event is a callback that waits until all state of its batch is in place.
type event struct {
	node   *nodes.Node
	comp   *nodes.Component // of OnChange; nil: the event is about the node itself
	about  about
	entity donburi.Entity
	turn   int
}

// about is what has happened to a node itself, in the order in which the game is told.
type about uint8

const (
	itsArrival about = iota // OnStreamIn, then the others
	itsParent
	itsOwner
	abouts
)

func (e *event) order() int {
	if e.comp != nil {
		return e.comp.Order
	}
	return int(e.about) - int(abouts)
}

// tell queues a callback. Nodes take their turns in the order of their first event, or
// their arrival, in a batch.
func (nt *notifier) tell(e event) {
	nt.takeTurn(e.node)
	e.turn = e.node.Turn
	nt.events = append(nt.events, e)
}

// tellParent queues OnParent for a node that may have another parent. Of one that has not
// come yet its arrival tells, in a turn after its parent's.
func (nt *notifier) tellParent(n *nodes.Node) {
	if n.Here {
		nt.tell(event{node: n, about: itsParent})
	}
}

func (nt *notifier) takeTurn(n *nodes.Node) {
	if n.Batch != nt.batch || n.Turn == 0 {
		nt.turns++
		n.Batch, n.Turn = nt.batch, nt.turns
	}
}

// turnAfterParent gives a node, and those below it, another turn if its parent has arrived
// after it in this batch: a parent's callbacks run first.
func (nt *notifier) turnAfterParent(n *nodes.Node) {
	up := n.Parent
	if up == nil || up.Here || up.Batch != nt.batch || n.Batch != nt.batch || n.Turn > up.Turn {
		return
	}
	nt.turns++
	n.Turn = nt.turns
	for i := range nt.events {
		if e := &nt.events[i]; e.node == n {
			e.turn = n.Turn
		}
	}
	for c := range n.Kids {
		nt.turnAfterParent(c)
	}
}

// callBack runs the queued callbacks node by node: OnStreamIn, OnParent, OnOwner, then
// OnChange in order of registration.
func (nt *notifier) callBack() {
	if len(nt.events) == 0 {
		return
	}
	events := nt.events
	nt.events, nt.spareEvents = nt.spareEvents[:0], nil
	nt.batch++
	nt.turns = 0
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.order(), b.order()))
	})
	for i := range events {
		e := &events[i]
		if e.comp == nil {
			if e.about == itsArrival {
				e.node.Here = true
				nt.streamedIn(e.node)
			}
			if e.about != itsOwner {
				nt.parentTold(e.node)
			}
			if e.about != itsParent {
				nt.ownerTold(e.node)
			}
			continue
		}
		old := nt.changed(e.node, e.comp, e.entity)
		for _, fn := range nt.hooks.change[e.comp.Order] {
			if old != nil && nt.nodes.Of(e.entity) == e.node && !e.node.Leaving && nt.World.Entry(e.entity).HasComponent(e.comp.Type) {
				fn(nt.World.Entry(e.entity), old)
			}
		}
		if old != nil { // each function was given a copy
			nt.olds[e.comp.Order] = old
		}
	}
	clear(events) // what has gone is not kept
	nt.spareEvents = events
}

func (nt *notifier) streamedIn(n *nodes.Node) {
	for _, h := range nt.hooks.streamIn {
		for _, ent := range n.Entities() {
			if nt.nodes.Of(ent) == n && !n.Leaving && nt.World.Valid(ent) {
				if e := nt.World.Entry(ent); e.HasComponent(h.c) {
					h.fn(e)
				}
			}
		}
	}
}

// parentTold runs OnParent if the node's parent differs from the one that OnParent was
// last told of.
func (nt *notifier) parentTold(n *nodes.Node) {
	old, now := n.ToldParent, donburi.Null
	if up := n.Parent; up != nil && !up.Leaving {
		now = up.Entity
	}
	if !n.Here || old == now {
		return
	}
	n.ToldParent = now
	for _, h := range nt.hooks.parent {
		if nt.nodes.Of(n.Entity) == n && !n.Leaving && nt.World.Valid(n.Entity) {
			if e := nt.World.Entry(n.Entity); e.HasComponent(h.c) {
				h.fn(e, old)
			}
		}
	}
}

// ownerTold runs OnOwner if the node's owner differs from the one that OnOwner was last
// told of.
func (nt *notifier) ownerTold(n *nodes.Node) {
	old := n.ToldOwner
	if !n.Here || old == n.Owner {
		return
	}
	n.ToldOwner = n.Owner
	for _, h := range nt.hooks.owner {
		for _, ent := range n.Entities() {
			if nt.nodes.Of(ent) == n && !n.Leaving && nt.World.Valid(ent) {
				if e := nt.World.Entry(ent); e.HasComponent(h.c) {
					h.fn(e, old)
				}
			}
		}
	}
}

func (nt *notifier) streamedOut(n *nodes.Node, destroyed bool) {
	for _, h := range nt.hooks.streamOut {
		for _, ent := range n.Entities() {
			if nt.World.Valid(ent) {
				if e := nt.World.Entry(ent); e.HasComponent(h.c) {
					h.fn(e, destroyed)
				}
			}
		}
	}
}
