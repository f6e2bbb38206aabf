package ecs

// Callbacks: how a game hears of what happens, and in which order.

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

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
	owner     []onComponent[func(e *donburi.Entry, old rpl.Peer)]
	change    map[int][]func(e *donburi.Entry, old unsafe.Pointer) // by component.order
	while     map[*Group]func(p rpl.Peer) bool
	allow     map[*Group]func(p rpl.Peer) bool
}

type onComponent[F any] struct {
	c  donburi.IComponentType
	fn F
}

func on[F any](c donburi.IComponentType, what string, fn F) onComponent[F] {
	if c == nil {
		panic("tendon: " + what + " of no component")
	}
	mustBe(what, fn)
	return onComponent[F]{c, fn}
}

func hang[F any](list []F, what string, fn F) []F {
	mustBe(what, fn)
	return append(list, fn)
}

// mustBe refuses a function that is none where it is given: called later, it would end
// the program because of what another machine has sent.
func mustBe(what string, fn any) {
	if reflect.ValueOf(fn).IsNil() {
		panic("tendon: " + what + " of no function")
	}
}

// OnWorld fills a new world, on every machine; Load, on the authority, moves
// everyone to one. The world is attached before fn runs, so fn may Spawn where
// it is the authority; the old one is left as it was, but nothing in it is a
// node any more. The first world's name is empty unless Load was called first; one
// that was given to New is filled by the game, unless Load was.
func (r *Replication) OnWorld(fn func(w donburi.World, name string)) {
	r.hooks.world = hang(r.hooks.world, "OnWorld", fn)
}

// OnStart runs on the authority when a world begins, before anyone joins:
// the place to fill it.
func (r *Replication) OnStart(fn func()) { r.hooks.start = hang(r.hooks.start, "OnStart", fn) }

// OnJoin and OnLeave are for the authority. The local player joins too,
// in every mode but dedicated, and everyone joins again after Load. OnLeave
// runs once, before the peer's nodes die or pass to nobody, and not for Load:
// at once for a peer that has closed the session or was kicked, after OnLost and 30 s
// for a peer that has fallen silent.
func (r *Replication) OnJoin(fn func(p rpl.Peer)) { r.hooks.join = hang(r.hooks.join, "OnJoin", fn) }

// OnLeave see OnJoin.
func (r *Replication) OnLeave(fn func(p rpl.Peer)) {
	r.hooks.leave = hang(r.hooks.leave, "OnLeave", fn)
}

// OnLost and OnBack are for the authority. OnLost runs when a peer that has
// joined has not been heard for 10 s, or its socket has failed. It keeps what it
// has: number, nodes, groups, and its place among Peers; calls to it are dropped
// and counted ("rpc dropped"). OnBack runs when the same client has joined again
// within 30 s and its side of the level is built: there is no OnJoin then, unless
// a level was loaded meanwhile. A client that joins again before its silence is
// noticed is lost and back all the same. Until packets are sealed, anyone who has
// overheard a client's hello can take its seat.
func (r *Replication) OnLost(fn func(p rpl.Peer)) { r.hooks.lost = hang(r.hooks.lost, "OnLost", fn) }

// OnBack see OnLost.
func (r *Replication) OnBack(fn func(p rpl.Peer)) { r.hooks.back = hang(r.hooks.back, "OnBack", fn) }

// OnEnd tells a client why it is alone again, and a host why it cannot be
// joined: an error of transport (ErrFull, ErrKicked, ErrTimeout, …) with its
// reason. A host is also told when its listener is closed, or its socket fails, later on.
// A client's world begins anew after it, in single player and before the
// step's rules, unless fn calls Join: a client that was lost gets its seat back so, with
// its peer's number and all that is its own.
func (r *Replication) OnEnd(fn func(err error)) { r.hooks.end = hang(r.hooks.end, "OnEnd", fn) }

// OnStreamIn runs on every machine when a node with the component starts to
// exist there, its state loaded: inside Receive on proxies, in the step's Send
// on the authority.
func (r *Replication) OnStreamIn(c donburi.IComponentType, fn func(e *donburi.Entry)) {
	r.hooks.streamIn = append(r.hooks.streamIn, on(c, "OnStreamIn", fn))
}

// OnStreamOut runs before a node's entity goes, destroyed or merely out of
// sight: on proxies inside Receive, when what is drawn has reached that moment;
// on the authority inside World.Remove, or in the step's Send where RplNode was taken
// away, after which the entity stays. Read the entity there: World.Valid is still true of
// it. To remove it once more panics on the authority, and so do two nodes that each
// remove the other there.
func (r *Replication) OnStreamOut(c donburi.IComponentType, fn func(e *donburi.Entry, destroyed bool)) {
	r.hooks.streamOut = append(r.hooks.streamOut, on(c, "OnStreamOut", fn))
}

// OnOwner runs on every machine that has the node when another peer drives it
// from now on, and after OnStreamIn if a peer drives it already; old is the peer that
// drove it, 0 for nobody. On the authority it runs in the step's Send, before anything
// that the new owner calls; a hand-over and back within a step is none.
func (r *Replication) OnOwner(c donburi.IComponentType, fn func(e *donburi.Entry, old rpl.Peer)) {
	r.hooks.owner = append(r.hooks.owner, on(c, "OnOwner", fn))
}

// OnChange runs on every machine, the authority too, when fields tagged
// `notify` have changed from old, the component before the change: its fields with
// `notify` are as OnChange saw them last, the others as they were in the step before. At
// stream in old is what the prefab's function or the component's default made, and the
// default where the component came later. It runs at most
// once a step for each component, except that calls may change what has just
// streamed in; on proxies inside Receive, on the authority in the step's Send. What
// callbacks that run before it do to the component is part of the change, and where
// nothing differs, or the component has gone, it does not run.
// Lists, maps and fields with a codec are in old as they were, and so is what a stand-in's
// set writes; what else stands behind pointers is the component's own.
// A reference changes too when what it refers to comes into sight, or goes: old still
// has that entity, which World.Valid may not know any more. It panics for a component
// that is not replicated or has no such field.
func OnChange[T any](r *Replication, c *donburi.ComponentType[T], fn func(e *donburi.Entry, old T)) {
	def := r.protocol.replicated(c)
	if def == nil {
		panic("tendon: OnChange of " + c.Name() + ", which is not replicated: register it with Replicate")
	}
	mustBe("OnChange of component "+def.name, fn)
	if len(def.notify) == 0 {
		panic("tendon: OnChange of component " + def.name + ", which has no field tagged `notify`: tag those that matter")
	}
	if r.hooks.change == nil {
		r.hooks.change = map[int][]func(*donburi.Entry, unsafe.Pointer){}
	}
	r.hooks.change[def.order] = append(r.hooks.change[def.order], func(e *donburi.Entry, old unsafe.Pointer) { fn(e, *(*T)(old)) })
	for _, n := range r.byID {
		for i := range n.items {
			if n.items[i].comp == def {
				r.startWatch(&n.items[i], false)
			}
		}
	}
	for i := range r.plans {
		r.plans[i].anew = true // they go by themselves now
	}
}

// An event is a callback that waits until all state of its batch is in place.
type event struct {
	node   *node
	comp   *component // nil: OnStreamIn, with OnOwner, …
	owner  bool       // … or OnOwner alone
	entity donburi.Entity
	turn   int
}

func (e *event) order() int {
	switch {
	case e.comp != nil:
		return e.comp.order
	case e.owner:
		return -1
	}
	return -2
}

// tell queues a callback. Nodes have their turns in the order in which they
// first took one in a batch.
func (r *Replication) tell(e event) {
	r.takeTurn(e.node)
	e.turn = e.node.turn
	r.events = append(r.events, e)
}

func (r *Replication) takeTurn(n *node) {
	if n.batch != r.batch || n.turn == 0 {
		r.turns++
		n.batch, n.turn = r.batch, r.turns
	}
}

// callBack runs what tell has queued: node by node, OnStreamIn, OnOwner, then
// OnChange in order of registration.
func (r *Replication) callBack() {
	if len(r.events) == 0 {
		return
	}
	events := r.events
	r.events = nil
	r.batch++
	r.turns = 0
	slices.SortStableFunc(events, func(a, b event) int {
		return cmp.Or(cmp.Compare(a.turn, b.turn), cmp.Compare(a.order(), b.order()))
	})
	for i := range events {
		e := &events[i]
		if e.comp == nil {
			if !e.owner {
				e.node.here = true
				r.streamedIn(e.node)
			}
			r.ownerTold(e.node)
			continue
		}
		old := r.changed(e.node, e.comp, e.entity)
		for _, fn := range r.hooks.change[e.comp.order] {
			if old != nil && r.nodeOf(e.entity) == e.node && !e.node.leaving && r.world.Entry(e.entity).HasComponent(e.comp.c) {
				fn(r.world.Entry(e.entity), old)
			}
		}
	}
}

func (r *Replication) streamedIn(n *node) {
	for _, h := range r.hooks.streamIn {
		for _, ent := range n.entities() {
			if r.nodeOf(ent) == n && !n.leaving && r.world.Valid(ent) {
				if e := r.world.Entry(ent); e.HasComponent(h.c) {
					h.fn(e)
				}
			}
		}
	}
}

// ownerTold runs OnOwner if another than was last told of drives a node.
func (r *Replication) ownerTold(n *node) {
	old := n.told
	if !n.here || old == n.owner {
		return
	}
	n.told = n.owner
	for _, h := range r.hooks.owner {
		for _, ent := range n.entities() {
			if r.nodeOf(ent) == n && !n.leaving && r.world.Valid(ent) {
				if e := r.world.Entry(ent); e.HasComponent(h.c) {
					h.fn(e, old)
				}
			}
		}
	}
}

func (r *Replication) streamedOut(n *node, destroyed bool) {
	for _, h := range r.hooks.streamOut {
		for _, ent := range n.entities() {
			if r.world.Valid(ent) {
				if e := r.world.Entry(ent); e.HasComponent(h.c) {
					h.fn(e, destroyed)
				}
			}
		}
	}
}
