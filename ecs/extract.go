package ecs

// Stage Extract: on the authority, once a step, components become snapshots, and entities
// become nodes or cease to be nodes (plan.go finds which).

import (
	"unsafe"

	"github.com/tendonengine/tendon/components"
)

// extractStage reads the world once for all peers. What callbacks change or make here is
// extracted in the next step, except for the first state of new nodes, which leaves with
// them.
func extractStage(r *Replication) {
	if r.auth == nil {
		return
	}
	r.settleShapes()
	r.makeUnmade()
	r.findChanges()
	clear(r.made) // the plans know them now
	r.made = r.made[:0]
	r.extractAll()
	r.greet()
}

// greet extracts new nodes, and runs their callbacks and all others that wait.
func (r *Replication) greet() {
	for range maxRounds {
		fresh := r.fresh
		r.fresh = nil
		for _, n := range fresh {
			if r.nodeOf(n.entity) != n { // already removed, maybe with its world
				continue
			}
			r.extractNode(n)
			if n != r.session {
				*r.Counter("stream in")++
				r.tell(event{node: n})
			}
			for i := range n.items {
				r.look(n, &n.items[i])
			}
		}
		r.callBack()
		if len(r.fresh) == 0 {
			return
		}
	}
	for _, n := range r.fresh {
		r.extractNode(n)
	}
}

// extractAll hands every replicated component to the core, which compares it
// with what it last saw.
func (r *Replication) extractAll() {
	alone := r.bumpRows()
	for i := range r.plans {
		p := &r.plans[i]
		if len(p.entities) == 0 {
			continue
		}
		if p.nodes && r.sending { // Stream is about to use NodeData
			r.noticeNodes(p, i)
		}
		for k := range p.columns {
			if c := &p.columns[k]; r.sending || len(c.own) > 0 {
				r.extractColumn(p, c, stored(r.world, c.comp.c, i, len(p.entities)))
			}
		}
	}
	r.extractBumped(alone)
}

// noticeNodes looks for changed NodeData in every row, before every Stream: a peer that
// may no longer see a node must not be sent what happens to it now.
func (r *Replication) noticeNodes(p *plan, archetype int) {
	changedNodes(r.world, archetype, p.data, func(row int, data *components.NodeData) {
		if n := p.rows[row]; n != nil && n.entity == p.entities[row] { // NodeData on a part has no effect
			r.noticeNode(n, data)
		}
	})
}

// noticeTop is the same for the top of a node's tree alone, at once: a call goes to the
// peers that may have the tree when the call is made.
func (r *Replication) noticeTop(n *node) {
	for n.parent != nil {
		n = n.parent
	}
	r.notice(n)
}

func (r *Replication) notice(n *node) {
	if !r.world.Valid(n.entity) {
		return
	}
	if e := r.world.Entry(n.entity); e.HasComponent(components.RplNode) {
		r.noticeNode(n, components.RplNode.Get(e))
	}
}

func (r *Replication) noticeNode(n *node, data *components.NodeData) {
	if n.data != *data {
		if n.data.Transient != data.Transient {
			r.refuse("RplNode refused", r.auth.SetTransient(n.id, data.Transient))
		}
		n.data = *data
		r.refuse("RplNode refused", r.auth.SetStreaming(n.id, streaming(data)))
	}
}

// extractColumn hands the components of a column to the core. at is donburi's own list,
// which is valid while nothing is created or removed.
func (r *Replication) extractColumn(p *plan, c *column, at []unsafe.Pointer) {
	if r.sending {
		r.auth.SetColumn(c.items, at)
	}
	for _, row := range c.own {
		n, e := p.rows[row], p.entities[row]
		b := n.binding(c.comp, e)
		if r.auth.Set(b.item, r.tagged(c.comp, r.world.Entry(e), at[row])) && b.watch != nil {
			r.look(n, b)
		}
	}
}

// extractNode hands all items of one node to the core.
func (r *Replication) extractNode(n *node) {
	if r.nodeOf(n.entity) != n {
		return
	}
	// Only before a Stream, like noticeNodes: the plan does not learn of a change that is
	// noticed here, and would miss a change back.
	if e := r.world.Entry(n.entity); r.sending && e.HasComponent(components.RplNode) {
		r.noticeNode(n, components.RplNode.Get(e))
	}
	for i := range n.items {
		r.extractItem(n, &n.items[i])
	}
}

func (r *Replication) extractItem(n *node, b *binding) (changed bool) {
	if e, at := r.component(b); at != nil {
		b.seen = r.tick
		if changed = r.auth.Set(b.item, r.tagged(b.comp, e, at)); changed {
			r.look(n, b)
		}
	}
	return changed
}
