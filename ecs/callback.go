package ecs

// The functions by which a game is told what happens; internal/callbacks runs those about
// nodes, in their order.

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/callbacks"
	"github.com/tendonengine/tendon/rpl"
)

// hooks are the game's functions about the session, each kind in the order in which they
// were given; those about nodes are in callbacks.Hooks.
type hooks struct {
	world []func(w donburi.World, name string)
	start []func()
	join  []func(p rpl.Peer)
	lost  []func(p rpl.Peer)
	back  []func(p rpl.Peer)
	leave []func(p rpl.Peer)
	end   []func(err error)
}

func on[F any](c donburi.IComponentType, what string, fn F) callbacks.On[F] {
	mustBeGiven(what, c)
	return callbacks.On[F]{Component: c, Call: mustBeFunc(what, fn)}
}

func appendHook[F any](list []F, what string, fn F) []F {
	return append(list, mustBeFunc(what, fn))
}

// OnWorld fills a new world, on every machine; Load, on the authority, moves everyone to
// one. The world is attached before fn runs, so fn may Spawn if this machine is the
// authority. The entities of the old world stay, but none of them is a node any more. The
// first world's name is empty unless Load was called first. A world that was given to New
// is filled by the game and not by OnWorld, unless Load was called first.
func (r *Replication) OnWorld(fn func(w donburi.World, name string)) {
	mustBeMade("OnWorld", r)
	r.hooks.world = appendHook(r.hooks.world, "OnWorld", fn)
}

// OnStart runs on the authority when a world begins, before anyone joins: the place to
// fill the world.
func (r *Replication) OnStart(fn func()) {
	mustBeMade("OnStart", r)
	r.hooks.start = appendHook(r.hooks.start, "OnStart", fn)
}

// OnJoin runs on the authority when a peer has joined and its side of the level is built.
// The local player joins too, in every mode but dedicated. Everyone joins again after Load.
func (r *Replication) OnJoin(fn func(p rpl.Peer)) {
	mustBeMade("OnJoin", r)
	r.hooks.join = appendHook(r.hooks.join, "OnJoin", fn)
}

// OnLeave runs on the authority, once, before the peer's nodes are removed or pass to
// nobody; it does not run for Load. It runs at once for a peer that has closed the
// session or was kicked. For a peer that has fallen silent it runs 30 s after OnLost, or
// after it fell silent, where a Load came between and OnJoin has not run again.
func (r *Replication) OnLeave(fn func(p rpl.Peer)) {
	mustBeMade("OnLeave", r)
	r.hooks.leave = appendHook(r.hooks.leave, "OnLeave", fn)
}

// OnLost runs on the authority when a peer whose OnJoin has run in this level has not been heard
// for 10 s, or its socket has failed. The peer keeps its number, its nodes, its groups and its
// place among Peers; calls to it are dropped and counted ("rpc dropped"). A client that
// joins again before its silence is noticed is lost and back all the same.
func (r *Replication) OnLost(fn func(p rpl.Peer)) {
	mustBeMade("OnLost", r)
	r.hooks.lost = appendHook(r.hooks.lost, "OnLost", fn)
}

// OnBack runs on the authority when a lost client has joined again within 30 s and its
// side of the level is built. OnJoin does not run then, unless a level was loaded meanwhile:
// it follows OnBack. Of a peer without OnLost, because of a Load, OnJoin alone tells.
func (r *Replication) OnBack(fn func(p rpl.Peer)) {
	mustBeMade("OnBack", r)
	r.hooks.back = appendHook(r.hooks.back, "OnBack", fn)
}

// OnEnd tells a client why it is alone again, and a host why it cannot be joined: an
// error of transport (ErrFull, ErrKicked, ErrTimeout, …) with its reason. A host is also
// told when its listener is closed, or its socket fails, later on. After OnEnd a client's
// world begins anew, in single player and before the step's rules, unless fn calls Join.
// A client that was lost gets its seat back by that Join, with its peer number and all
// that it owns.
func (r *Replication) OnEnd(fn func(err error)) {
	mustBeMade("OnEnd", r)
	r.hooks.end = appendHook(r.hooks.end, "OnEnd", fn)
}

// OnStreamIn runs on every machine when a node with the component starts to exist there,
// after its state is loaded: inside Receive on proxies, in the step's Send on the authority.
func (r *Replication) OnStreamIn(c donburi.IComponentType, fn func(e *donburi.Entry)) {
	mustBeMade("OnStreamIn", r)
	r.notify.StreamIn = append(r.notify.StreamIn, on(c, "OnStreamIn", fn))
}

// OnStreamOut runs before a node's entity goes. destroyed is true if the game has destroyed the node or its
// owner has left, and false if it has only gone out of sight, with its level or with the session; Why tells
// which of these, and the game's reason. The components are as they were when the node was removed; View shows
// it where it is drawn then, not beyond its end. On proxies it runs inside Receive, when drawn time has
// reached the removal. On the authority it runs inside World.Remove; if RplNode was taken away it runs in the
// step's Send, and the entity stays. fn may read the entity: World.Valid is still true of it. On the
// authority, removing the entity again inside fn panics, and so do two nodes that each remove the other there.
func (r *Replication) OnStreamOut(c donburi.IComponentType, fn func(e *donburi.Entry, destroyed bool)) {
	mustBeMade("OnStreamOut", r)
	r.notify.StreamOut = append(r.notify.StreamOut, on(c, "OnStreamOut", fn))
}

// OnParent runs on every machine that has the node when it has got another parent or none
// (Attach; the removal of its parent), and after OnStreamIn if it hangs under a node
// already. Parent returns the new parent. old is the former one, donburi.Null for none;
// World.Valid may not know it any more. On the authority OnParent runs in the step's Send,
// before any call that comes later. A node that is attached elsewhere and back within a
// step has no OnParent. A part has none: its node has.
func (r *Replication) OnParent(c donburi.IComponentType, fn func(e *donburi.Entry, old donburi.Entity)) {
	mustBeMade("OnParent", r)
	r.notify.Parent = append(r.notify.Parent, on(c, "OnParent", fn))
}

// OnOwner runs on every machine that has the node when another peer begins to drive it,
// and after OnStreamIn if a peer drives it already. old is the peer that drove it, 0 for
// nobody. On the authority it runs in the step's Send, before any call by the new owner.
// A node that is given away and back within a step has no OnOwner.
func (r *Replication) OnOwner(c donburi.IComponentType, fn func(e *donburi.Entry, old rpl.Peer)) {
	mustBeMade("OnOwner", r)
	r.notify.Owner = append(r.notify.Owner, on(c, "OnOwner", fn))
}

// OnChange runs on every machine, the authority too, when fields tagged `notify` have changed: inside Receive
// on proxies, in the step's Send on the authority, at most once a step for each component, except that calls
// may change what has just streamed in. It does not run if no `notify` field differs in the end, or the
// component has gone. Changes by callbacks that run before it are part of the change.
//
// For a node that ends on the authority it runs inside World.Remove, before OnStreamOut, for what has changed
// since: there tendon.Remove of that node does nothing, and World.Remove ends fn, which is counted ("removed
// again"). OnChange panics for a component that is not replicated or has no field tagged `notify`.
//
// old is the component before the change: its `notify` fields are as OnChange last saw them, the others as
// they were in the step before. At stream in, old is what the prefab's function made, what a load-time node's
// entity held, or the component's default, as it is for a component that came later. Lists, maps and fields
// with a codec have their old values in old, and so has everything that a stand-in's set writes; all else
// behind pointers is shared with the component.
//
// For a predicted node OnChange runs when the server's state has the change, a round trip after the rule made
// it: draw from the component what must show at once.
//
// A reference also changes when the node that it refers to comes into sight or goes. old then still holds that
// entity, or Null in a list; on the authority the component may hold it, too, and be equal to old.
func OnChange[T any](r *Replication, c *donburi.ComponentType[T], fn func(e *donburi.Entry, old T)) {
	mustBeMade("OnChange", r)
	mustBeGiven("OnChange", c)
	def := r.shared.protocol.kinds.Of(c)
	if def == nil {
		panic("tendon: OnChange of " + c.Name() + ", which is not replicated: register it with Replicate")
	}
	mustBeFunc("OnChange of component "+def.Name, fn)
	if len(def.Notify) == 0 {
		panic("tendon: OnChange of component " + def.Name + ", which has no field tagged `notify`: tag those that matter")
	}
	if r.notify.Change == nil {
		r.notify.Change = map[int][]func(*donburi.Entry, unsafe.Pointer){}
	}
	r.notify.Change[def.Order] = append(r.notify.Change[def.Order], func(e *donburi.Entry, old unsafe.Pointer) { fn(e, *(*T)(old)) })
	for _, n := range r.nodes.ByID {
		for i := range n.Items {
			if n.Items[i].Comp == def {
				r.notify.StartComparing(&n.Items[i], false, nil)
			}
		}
	}
	r.extract.Anew() // these items are now compared one by one
}
