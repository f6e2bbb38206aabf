package ecs

// role: who decides about a node, and who drives it. These functions find the session by the
// entry's world.

import (
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
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

// ID returns the number of the node that an entity is, 0 if it is none, and until the server's comes for what
// Prefab.Predict has made on a client. The number is equal on all machines, and no other node of the session has it,
// before or after. A later node mostly has a larger one, but need not. It is still valid inside the node's
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
