package ecs

// authority: what this machine keeps while it decides about the world, and how nodes end
// there.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

// becomeAuthority makes this machine the authority of its world.
func (r *Replication) becomeAuthority() error {
	a, err := rpl.NewAuthority(r.config.authority(r.protocol.schema, &r.nodes))
	if err != nil {
		return err
	}
	r.auth, r.proxy = a, nil
	r.resetClient()
	for g, fn := range r.notify.hooks.while {
		a.Condition(g.audience, fn)
	}
	r.me = rpl.Server
	if r.config.Dedicated {
		r.me = 0
	}
	r.seats.lastPeer = rpl.Server
	r.tick, r.line.timeTick, r.spent, r.resyncs = 0, 0, false, 0
	r.level, r.epoch = "", r.epoch+1
	return nil
}

// endNode ends a node of the authority; its entities stay, or are just being removed.
// Calls on it that wait for this step's Send run first, as they would on other machines.
func (ex *extractor) endNode(n *node) {
	if n.ending {
		panic("tendon: a node is removed inside its own OnStreamOut or last call: it is going already, and donburi would take another entity away with it")
	}
	n.ending = true
	defer func() { n.ending = false }() // a callback may panic: the node can be removed again then
	if n.here {                         // else nobody was told of the node, and its calls are dropped
		ex.calls.lastWords(n)
		ex.notify.streamedOut(n, true)
		ex.faults.Count("stream out")
	}
	if n.name != "" { // callbacks may have changed the groups
		ex.loadTime.standing[n.name] = standing{parent: ex.loadTime.standing[n.name].parent, groups: n.groups}
	}
	ex.auth.Remove(n.id)
	ex.nodes.forget(n)
}

// endStripped ends a node that has lost RplNode: its entity is local from now on, even if
// it was a load-time node.
func (ex *extractor) endStripped(n *node) {
	ex.loadTime.unname(n.name)
	ex.endNode(n)
}

// endLeft ends a node whose entity has lost RplNode in this step and is to be another
// node at once, as what a game's pool hands out again. It reports whether it has.
func (ex *extractor) endLeft(n *node, e *donburi.Entry) bool {
	if n == ex.nodes.session || n.ending || n.entity != e.Entity() || e.HasComponent(components.RplNode) {
		return false
	}
	for i := range ex.plans { // the entity may be in its old row again by the time of the next look
		p := &ex.plans[i]
		if row := slices.Index(p.rows, n); p.nodes && row >= 0 {
			p.entities[row], p.rows[row] = donburi.Null, nil
		}
	}
	if ex.steps.inside {
		ex.endStripped(n)
		return true
	}
	ex.steps.inside = true
	defer ex.steps.outside()
	ex.endStripped(n)
	ex.steps.runAfterwards()
	return true
}

// lastWords runs the calls that wait for this step's Send on a node that will be gone by
// then.
func (ca *caller) lastWords(n *node) {
	for c := range ca.callsOn(n) {
		ca.handle(n, c.rpc, Call{From: ca.me, Tick: c.tick, Last: true}, c.args, func() {})
	}
}

// entityRemoved is World.Remove's hook: the entity is still whole. If callbacks ask for
// something that ends other nodes, it waits until this node has ended.
func (ex *extractor) entityRemoved(e donburi.Entity) {
	n := ex.nodes.of(e)
	if n == nil {
		ex.nodes.forgetPart(e)
		ex.forgetUnmade(e)
		return
	}
	if ex.steps.inside {
		ex.nodeRemoved(n, e)
		return
	}
	ex.steps.inside = true
	defer ex.steps.outside()
	ex.nodeRemoved(n, e)
	ex.steps.runAfterwards()
}

func (ex *extractor) nodeRemoved(n *node, e donburi.Entity) {
	if n.entity != e {
		ex.nodes.partRemoved(n, e)
		return
	}
	if n == ex.nodes.session {
		panic("tendon: the session's own entity is removed: it goes with its world alone; take components away from it instead")
	}
	if n.name != "" && ex.loadTime.byName[n.name] == e {
		ex.loadTime.unname(n.name)
	}
	if ex.auth != nil {
		ex.endNode(n)
		return
	}
	ex.scoldOf("proxy removed by the game", "a proxy of", ex.world.Entry(e), "only the authority removes nodes: it does not come again while it is in sight; ask tendon.IsAuthority")
	ex.nodes.forget(n)
}

// orphaned removes the nodes that a departed peer owned, or passes them to nobody. The
// nodes below them are judged by themselves: riders in a car keep their own nodes.
func (ex *extractor) orphaned(p rpl.Peer) {
	owned := ex.nodes.sortedIf(func(n *node) bool { return n.owner == p })
	for _, n := range owned {
		if ex.nodes.of(n.entity) != n || n.owner != p {
			continue // a callback has removed the node or given it away
		}
		ex.notice(n) // OnLeave may have set Keep
		if !n.data.Keep {
			ex.removeEntities(n)
			continue
		}
		ex.auth.HandOver(n.id, 0)
		ex.nodes.setOwner(n, 0)
		ex.notify.tell(event{node: n, about: itsOwner})
	}
}

// removeEntities removes a node's entities by Config.Remove.
func (sh *shared) removeEntities(n *node) {
	ents := n.entities()
	if sh.world.Valid(n.entity) {
		sh.config.Remove(sh.world.Entry(n.entity))
	}
	for _, e := range ents { // the entities that Config.Remove has left
		if sh.world.Valid(e) {
			sh.world.Remove(e)
		}
	}
}
