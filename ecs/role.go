package ecs

// Roles: who decides about a node and who drives it, and what a game declares of one
// entity (Give, Attach, Named). These functions find the session by the entry's world.

import (
	"fmt"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

var (
	// Authority is IsAuthority as a filter: filter.And(filter.Contains(Velocity),
	// tendon.Authority).
	Authority filter.LayoutFilter = filter.Not(filter.Contains(components.Proxy))

	// Drawn is a filter that leaves out what is not to be drawn now: proxies before their
	// first sample and after their removal's tick.
	Drawn filter.LayoutFilter = filter.Not(filter.Contains(components.Hidden))
)

// IsAuthority reports whether this machine decides about an entity: about its own nodes
// and all local entities except the parts of proxies.
func IsAuthority(e *donburi.Entry) bool { return !e.HasComponent(components.Proxy) }

// IsOwner reports whether this machine's player drives the node, or the node that a part
// belongs to.
func IsOwner(e *donburi.Entry) bool {
	r := of(e)
	return r != nil && r.shared.Me != 0 && r.nodes.DriverOf(e) == r.shared.Me
}

// Owner returns the peer that drives a node, or the node that a part belongs to; 0 is nobody.
func Owner(e *donburi.Entry) rpl.Peer {
	if r := of(e); r != nil {
		return r.nodes.DriverOf(e)
	}
	return 0
}

// Mine returns the first node with the component that this machine's player drives. A
// node that has gone and is only still drawn does not count.
func Mine(r *Replication, c donburi.IComponentType) (*donburi.Entry, bool) {
	mustBeMade("Mine", r)
	if r.shared.Me == 0 {
		return nil, false
	}
	return donburix.First(r.shared.World, func(e *donburi.Entry) bool {
		n := r.nodes.Of(e.Entity())
		return n != nil && n.Owner == r.shared.Me && !n.Leaving
	}, c)
}

// ID returns the number of the node that an entity is, 0 if it is none. The number is
// equal on all machines and never reused. It is still valid inside the node's
// OnStreamOut.
func ID(e *donburi.Entry) rpl.Node {
	if r := of(e); r != nil {
		if n := r.nodes.Of(e.Entity()); n != nil && n.Entity == e.Entity() {
			return n.ID
		}
	}
	return 0
}

// Give passes a node and all nodes below it to a peer, on the authority; 0 is nobody. A
// call with a stale entry or peer, or on a proxy, is ignored and counted ("stale give").
func Give(e *donburi.Entry, to rpl.Peer) {
	r := of(e)
	if r == nil {
		return
	}
	n := r.nodes.Of(e.Entity())
	if n == nil && r.shared.Auth != nil && r.shared.World.Valid(e.Entity()) {
		r.shared.ScoldOf("stale give", "an entity of", e, "it is no node: "+howToBeNode(e), "peer", to)
		return
	}
	if n == nil || n == r.nodes.Session || r.shared.Auth == nil || to != 0 && to != r.shared.Me && !r.seats.canOwn(to) {
		r.shared.ScoldOf("stale give", "a node of", e, "Give is for nodes on the authority, and to peers that have joined", "peer", to)
		return
	}
	r.shared.Auth.Give(n.ID, to)
	r.notify.PassOn(n, to)
}

// A Reason says why a node has gone: Why tells it inside OnStreamOut. Those of a game are the
// numbers 1 to 239, the same on every machine, as constants of its protocol.
type Reason = nodes.Reason

// The reasons that are not a game's own.
const (
	Removed     = nodes.Removed     // the game has removed it and gave no reason
	OwnerLeft   = nodes.OwnerLeft   // its owner has left, and it was not to be kept
	OutOfSight  = nodes.OutOfSight  // it is still there, and no longer told to this machine
	LevelEnded  = nodes.LevelEnded  // Load has ended its level
	SessionOver = nodes.SessionOver // this machine has left the session or the single-player world
)

// Remove removes an entity for a reason, on the authority: a node with its parts, as proxies
// of it go. Every machine that has the node is told the reason (Why), and with it what the
// entity's components hold now: the last hit is seen. World.Remove does the same for Removed.
// On a proxy Remove does nothing, and is counted ("stale remove"). It panics for a reason
// that is not a game's own or Removed.
func Remove(e *donburi.Entry, why Reason) {
	if why >= OwnerLeft {
		panic(fmt.Sprintf("tendon: Remove for reason %d: those of a game are 1 to %d", why, OwnerLeft-1))
	}
	mustBeThere("Remove: this", e)
	r, n := nodeAt(e)
	switch {
	case n == nil || n.Entity != e.Entity() && r.shared.Auth != nil:
		e.World.Remove(e.Entity())
	case r.shared.Auth == nil || n == r.nodes.Session:
		r.shared.ScoldOf("stale remove", "a node of", e, "only the authority removes nodes, and nobody the session's: ask tendon.IsAuthority")
	case !n.Ending: // else it is going already, and this is one of its last callbacks
		n.Why = why
		r.shared.RemoveEntities(n)
	}
}

// RemoveTree removes a node with all that is attached below it, what is below first: a chest with what is
// in it. Remove alone leaves that behind, at the top, with the fields that it has; Detach takes off
// first what shall stay where it is.
func RemoveTree(e *donburi.Entry, why Reason) {
	mustBeThere("RemoveTree: this", e)
	if IsAuthority(e) {
		for c := range Children(e) {
			RemoveTree(c, why)
		}
	}
	if e.Valid() { // else a callback of what was below has removed it
		Remove(e, why)
	}
}

// Why tells, inside OnStreamOut, why the node goes that an entity is or belongs to.
func Why(e *donburi.Entry) Reason {
	if _, n := nodeAt(e); n != nil {
		return n.Why
	}
	return Removed
}

// howToBeNode returns the remedy for an entity that should be a node and is none.
func howToBeNode(e *donburi.Entry) string {
	switch {
	case !e.World.Valid(e.Entity()):
		return "it has been removed; keep the donburi.Entity and ask World.Valid of it"
	case e.HasComponent(components.RplNode):
		return "it has components.RplNode, and is one from this step's Send on; what Create or a prefab makes is one at once"
	}
	return "give it components.RplNode, or make it by a prefab"
}

// mustBeThere panics for the entry of a removed entity. To donburi it stands for a row of
// a table, which may be another entity's by now.
func mustBeThere(what string, e *donburi.Entry) {
	if !e.Valid() {
		panic("tendon: " + what + " is an entity that has been removed: keep the donburi.Entity and ask World.Valid of it")
	}
}

// Attach moves a node under another, or to the top if parent is nil, on the authority. If
// parent is a part, its node is the parent. Attach returns an error on a client, for a
// cycle, for a child that is no node or only a part of one, for a parent that is no node,
// for a parent in another world, and for the session's node.
func Attach(child, parent *donburi.Entry) error {
	r := of(child)
	if r == nil {
		return fmt.Errorf("tendon: Attach: %w: the child's world has no session", ErrNoNode)
	}
	if r.shared.Auth == nil {
		return fmt.Errorf("tendon: Attach: %w: only the authority changes parents", ErrNotAllowed)
	}
	c := r.nodes.Of(child.Entity())
	if c == nil || c.Entity != child.Entity() {
		return fmt.Errorf("tendon: Attach: the child is %w: %s", ErrNoNode, howToBeNode(child))
	}
	if c == r.nodes.Session {
		return fmt.Errorf("tendon: Attach: %w: the session's node is in no tree", ErrNotAllowed)
	}
	var p *nodes.Node
	var id rpl.Node
	if parent != nil {
		if !donburix.SameWorld(parent, r.shared.World) {
			return fmt.Errorf("tendon: Attach: %w: the parent is of another world", ErrNotAllowed)
		}
		if p = r.nodes.Of(parent.Entity()); p == nil {
			return fmt.Errorf("tendon: Attach: the parent is %w: %s", ErrNoNode, howToBeNode(parent))
		}
		if p == r.nodes.Session {
			return fmt.Errorf("tendon: Attach: %w: the session's node is in no tree", ErrNotAllowed)
		}
		id = p.ID
	}
	if err := r.shared.Auth.SetParent(c.ID, id); err != nil {
		return fmt.Errorf("tendon: Attach: %w", err)
	}
	r.nodes.LinkTo(c, p)
	r.notify.ParentChanged(c)
	return nil
}

// Detach is Attach to nothing that leaves a node where it is: its components.Transform, if it has one, is
// that of the world from then on. Attach to nothing leaves all fields as they are.
func Detach(child *donburi.Entry) error {
	if child == nil || !child.Valid() || !child.HasComponent(components.Transform) {
		return Attach(child, nil)
	}
	at := WorldTransform(child)
	err := Attach(child, nil)
	if err == nil {
		components.Transform.SetValue(child, at)
		Bump(child, components.Transform)
	}
	return err
}

// Named makes an existing entity a node that every machine creates for itself, as a door of the level. Call it with
// the same name on every machine. Only the replicated fields travel. A client hides the entity until they are here.
//
// If it loses components.RplNode on the authority, it is destroyed on the other machines, and its name is free; where
// it is out of sight it stays hidden until the level or the session ends. Components that a server gave it stay on a
// client's entity after the session, while the world stays. Named panics if the name is taken, empty or longer than
// 64 bytes, if the entity is a node already or has been removed, inside a prefab's function, and in a world without a session.
func Named(e *donburi.Entry, name string) {
	r := of(e)
	if r == nil {
		panic(fmt.Sprintf("tendon: Named(%q) in a world without a session: call New first", name))
	}
	r.prefabs.MustNotRun("Named(\"", name, "\") is called")
	mustBeThere(fmt.Sprintf("Named(%q): this", name), e)
	if _, taken := r.loadTime.Entity(name); taken || name == "" {
		panic(fmt.Sprintf("tendon: Named(%q): the name is empty or taken: give each load-time node its own", name))
	}
	if len(name) > rpl.MaxName {
		panic(fmt.Sprintf("tendon: Named(%q): the name has %d bytes, at most %d: give it a shorter one", name, len(name), rpl.MaxName))
	}
	if r.nodes.Of(e.Entity()) != nil {
		panic(fmt.Sprintf("tendon: Named(%q): the entity is a node already: name it when it has been made, on every machine, and make it without a prefab", name))
	}
	r.loadTime.Name(name, e.Entity())
	r.makeNamed(e, name)
	r.loadTime.BeginShape(e.Entity(), name)
}
