package ecs

// authority: what this machine keeps while it decides about the world, and how nodes end
// there.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

type authority struct {
	seats    []*seat // of peers that have joined or are joining, in order of their numbers
	lastPeer rpl.Peer
	mine     membership // groups of this machine's player
	plans    []plan     // by archetype
	fresh    []*node
	made     []*node // nodes that no plan knows yet
	unmade   map[donburi.Entity]unmade
	bumped   []bump
	refusals refusals
	turn     int    // counts sends; decides who is served first
	sendAt   int    // accumulates Sends; a send is due when it reaches Steps
	spent    bool   // the game was told that there are no more ticks
	resyncs  uint64 // the core's count when it was last read
}

// becomeAuthority makes this machine the authority of its world.
func (r *Replication) becomeAuthority() error {
	a, err := rpl.NewAuthority(r.config.authority(r.protocol.schema, r.refs()))
	if err != nil {
		return err
	}
	r.auth, r.proxy, r.client = a, nil, client{}
	for g, fn := range r.hooks.while {
		a.Condition(g.audience, fn)
	}
	r.me = rpl.Server
	if r.config.Dedicated {
		r.me = 0
	}
	r.lastPeer = rpl.Server
	r.tick, r.timeTick, r.spent, r.resyncs = 0, 0, false, 0
	r.level, r.epoch = "", r.epoch+1
	return nil
}

// endNode ends a node of the authority; its entities stay, or are just being removed.
// Calls on it that wait for this step's Send run first, as they would on other machines.
func (r *Replication) endNode(n *node) {
	if n.ending {
		panic("tendon: a node is removed inside its own OnStreamOut or last call: it is going already, and donburi would take another entity away with it")
	}
	n.ending = true
	defer func() { n.ending = false }() // a callback may panic: the node can be removed again then
	if n.here {                         // else nobody was told of the node, and its calls are dropped
		r.lastWords(n)
		r.streamedOut(n, true)
		*r.Counter("stream out")++
	}
	if n.name != "" { // callbacks may have changed the groups
		r.standing[n.name] = standing{parent: r.standing[n.name].parent, groups: n.groups}
	}
	r.auth.Remove(n.id)
	r.forget(n)
}

// endStripped ends a node that has lost RplNode: its entity is local from now on, even if
// it was a load-time node.
func (r *Replication) endStripped(n *node) {
	r.unname(n.name)
	r.endNode(n)
}

// endLeft ends a node whose entity has lost RplNode in this step and is to be another
// node at once, as what a game's pool hands out again. It reports whether it has.
func (r *Replication) endLeft(n *node, e *donburi.Entry) bool {
	if n == r.session || n.ending || n.entity != e.Entity() || e.HasComponent(components.RplNode) {
		return false
	}
	for i := range r.plans { // the entity may be in its old row again by the time of the next look
		p := &r.plans[i]
		if row := slices.Index(p.rows, n); p.nodes && row >= 0 {
			p.entities[row], p.rows[row] = donburi.Null, nil
		}
	}
	if r.inside {
		r.endStripped(n)
		return true
	}
	r.inside = true
	defer r.outside()
	r.endStripped(n)
	r.runAfterwards()
	return true
}

// lastWords runs the calls that wait for this step's Send on a node that will be gone by
// then.
func (r *Replication) lastWords(n *node) {
	for c := range r.callsOn(n) {
		r.handle(n, c.rpc, Call{From: r.me, Tick: c.tick, Last: true}, c.args, func() {})
	}
}

// entityRemoved is World.Remove's hook: the entity is still whole. If callbacks ask for
// something that ends other nodes, it waits until this node has ended.
func (r *Replication) entityRemoved(e donburi.Entity) {
	n := r.nodeOf(e)
	if n == nil {
		r.forgetPart(e)
		r.forgetUnmade(e)
		return
	}
	if r.inside {
		r.nodeRemoved(n, e)
		return
	}
	r.inside = true
	defer r.outside()
	r.nodeRemoved(n, e)
	r.runAfterwards()
}

func (r *Replication) nodeRemoved(n *node, e donburi.Entity) {
	if n.entity != e {
		r.partRemoved(n, e)
		return
	}
	if n == r.session {
		panic("tendon: the session's own entity is removed: it goes with its world alone; take components away from it instead")
	}
	if n.name != "" && r.named[n.name] == e {
		r.unname(n.name)
	}
	if r.auth != nil {
		r.endNode(n)
		return
	}
	r.scoldOf("proxy removed by the game", "a proxy of", r.world.Entry(e), "only the authority removes nodes: it does not come again while it is in sight; ask tendon.IsAuthority")
	r.forget(n)
}

// orphaned removes the nodes that a departed peer owned, or passes them to nobody. The
// nodes below them are judged by themselves: riders in a car keep their own nodes.
func (r *Replication) orphaned(p rpl.Peer) {
	owned := r.sortedNodesIf(func(n *node) bool { return n.owner == p })
	for _, n := range owned {
		if r.nodeOf(n.entity) != n || n.owner != p {
			continue // a callback has removed the node or given it away
		}
		r.notice(n) // OnLeave may have set Keep
		if !n.data.Keep {
			r.removeEntities(n)
			continue
		}
		r.auth.HandOver(n.id, 0)
		r.setOwner(n, 0)
		r.tell(event{node: n, about: itsOwner})
	}
}

// removeEntities removes a node's entities by Config.Remove.
func (r *Replication) removeEntities(n *node) {
	ents := n.entities()
	if r.world.Valid(n.entity) {
		r.config.Remove(r.world.Entry(n.entity))
	}
	for _, e := range ents { // the entities that Config.Remove has left
		if r.world.Valid(e) {
			r.world.Remove(e)
		}
	}
}
