package ecs

// Stage Extract: on the authority, once a step, components become snapshots, and entities
// become nodes or cease to be nodes (plan.go finds which).

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/callbacks"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/loadtime"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
)

// An extractor reads the authority's world: which entities are nodes, and what they hold.
type extractor struct {
	*shared
	nodes    *nodes.Table
	loadTime *loadtime.Nodes
	proxies  *proxies
	parts    *partKeeper
	calls    *caller
	notify   *callbacks.Queue
	seats    *seating
	steps    *steps
	checks   *checker

	plans  []plan // by archetype
	fresh  []*nodes.Node
	made   []*nodes.Node // nodes that no plan knows yet
	unmade map[donburi.Entity]unmade
	bumped []bump

	resyncs uint64 // the core's count when it was last read
}

// extractStage reads the world once for all peers. What callbacks change or make here is
// extracted in the next step, except for the first state of new nodes, which leaves with
// them.
func extractStage(r *Replication) {
	if r.shared.Auth == nil {
		return
	}
	r.loadTime.SettleShapes()
	r.extract.makeUnmade()
	r.extract.findChanges()
	clear(r.extract.made) // the plans know them now
	r.extract.made = r.extract.made[:0]
	r.extract.extractAll()
	r.extract.greet()
}

// greet extracts new nodes, and runs their callbacks and all others that wait.
func (ex *extractor) greet() {
	for range maxRounds {
		fresh := ex.fresh
		ex.fresh = nil
		for _, n := range fresh {
			if ex.nodes.Of(n.Entity) != n { // already removed, maybe with its world
				continue
			}
			ex.extractNode(n)
			if n != ex.nodes.Session {
				ex.Faults.Count("stream in")
				ex.notify.Arrived(n)
			}
			for i := range n.Items {
				ex.notify.Look(n, &n.Items[i])
			}
		}
		ex.notify.CallBack()
		if len(ex.fresh) == 0 {
			return
		}
	}
	for _, n := range ex.fresh {
		ex.extractNode(n)
	}
}

// extractAll hands every replicated component to the core, which compares it
// with what it last saw.
func (ex *extractor) extractAll() {
	alone := ex.bumpRows()
	for i := range ex.plans {
		p := &ex.plans[i]
		if len(p.entities) == 0 {
			continue
		}
		if p.nodes && ex.Sending { // Stream is about to use NodeData
			ex.noticeNodes(p, i)
		}
		for k := range p.columns {
			if c := &p.columns[k]; ex.Sending || len(c.own) > 0 {
				ex.extractColumn(p, c, donburix.Column(ex.World, c.comp.Type, i, len(p.entities)))
			}
		}
	}
	ex.extractBumped(alone)
}

// noticeNodes looks for changed NodeData in every row, before every Stream: a peer that
// may no longer see a node must not be sent what happens to it now.
func (ex *extractor) noticeNodes(p *plan, archetype int) {
	donburix.ChangedNodes(ex.World, archetype, p.data, func(row int, data *components.NodeData) {
		if n := p.rows[row]; n != nil && n.Entity == p.entities[row] { // NodeData on a part has no effect
			ex.noticeNode(n, data)
		}
	})
}

// noticeTop is the same for the top of a node's tree alone, at once: a call goes to the
// peers that may have the tree when the call is made.
func (ex *extractor) noticeTop(n *nodes.Node) {
	for n.Parent != nil {
		n = n.Parent
	}
	ex.notice(n)
}

func (ex *extractor) notice(n *nodes.Node) {
	if !ex.World.Valid(n.Entity) {
		return
	}
	if e := ex.World.Entry(n.Entity); e.HasComponent(components.RplNode) {
		ex.noticeNode(n, components.RplNode.Get(e))
	}
}

func (ex *extractor) noticeNode(n *nodes.Node, data *components.NodeData) {
	if n.Data != *data {
		if n.Data.Transient != data.Transient {
			ex.Faults.Refuse("RplNode refused", ex.Auth.SetTransient(n.ID, data.Transient))
		}
		n.Data = *data
		ex.Faults.Refuse("RplNode refused", ex.Auth.SetStreaming(n.ID, nodes.Streaming(data)))
	}
}

// extractColumn hands the components of a column to the core. at is donburi's own list,
// which is valid while nothing is created or removed.
func (ex *extractor) extractColumn(p *plan, c *column, at []unsafe.Pointer) {
	if ex.Sending {
		ex.Auth.SetColumn(c.items, at)
	}
	for _, row := range c.own {
		n, e := p.rows[row], p.entities[row]
		b := n.Binding(c.comp, e)
		if ex.Auth.Set(b.Item, ex.Tagged(c.comp, ex.World.Entry(e), at[row])) && b.Watch != nil {
			ex.notify.Look(n, b)
		}
	}
}

// extractNode hands all items of one node to the core.
func (ex *extractor) extractNode(n *nodes.Node) {
	if ex.nodes.Of(n.Entity) != n {
		return
	}
	// Only before a Stream, like noticeNodes: the plan does not learn of a change that is
	// noticed here, and would miss a change back.
	if e := ex.World.Entry(n.Entity); ex.Sending && e.HasComponent(components.RplNode) {
		ex.noticeNode(n, components.RplNode.Get(e))
	}
	for i := range n.Items {
		ex.extractItem(n, &n.Items[i])
	}
}

func (ex *extractor) extractItem(n *nodes.Node, b *nodes.Binding) (changed bool) {
	if e, at := ex.Component(b); at != nil {
		b.Seen = ex.Tick
		if changed = ex.Auth.Set(b.Item, ex.Tagged(b.Comp, e, at)); changed {
			ex.notify.Look(n, b)
		}
	}
	return changed
}

// Bump says that a component tagged `explicit` has changed; without it the change is not
// sent. A component that has just been added need not be bumped, but one that was removed
// and added again in the same step must be. The component is read in the next step that
// sends, or, while no peer has the node, when a peer is about to get it; if OnChange is
// set for it, in this step. On a proxy, on an entity that is no node, and for a component
// that is not tagged so, Bump does nothing. It panics for a nil component.
func Bump(e *donburi.Entry, c donburi.IComponentType) {
	r := of(e)
	if c == nil {
		panic("tendon: Bump of no component")
	}
	if r == nil || r.shared.Auth == nil {
		return
	}
	if def := r.shared.protocol.kinds.Of(c); def != nil && def.Item.Explicit {
		r.extract.bumped = append(r.extract.bumped, bump{entity: e.Entity(), comp: def})
	}
}

type bump struct {
	entity donburi.Entity
	comp   *nodes.Component
	added  bool // the component was just added, for which the game need not call Bump
}

// byItself reports whether an item is extracted one by one instead of with its column:
// because OnChange looks at it, it has a stand-in, or debug mode checks its bumps.
func (ex *extractor) byItself(b *nodes.Binding) bool {
	return b.Watch != nil || b.Comp.StandIn != nil || b.Comp.Item.Explicit && ex.config.Debug
}

// bumpRows marks the bumped components that are read with their columns, and returns the
// others. The result is valid until the next Bump.
func (ex *extractor) bumpRows() (alone []bump) {
	alone = ex.bumped[:0]
	for _, b := range ex.bumped {
		if !ex.bumpRow(b) {
			alone = append(alone, b)
		}
	}
	ex.bumped = ex.bumped[:0]
	return alone
}

func (ex *extractor) bumpRow(b bump) bool {
	if ex.nodes.Of(b.entity) == nil {
		return true // it has gone
	}
	s := &ex.nodes.Slots[b.entity.Id()]
	p, row := &ex.plans[s.Plan], int(s.Row)
	if row >= len(p.entities) || p.entities[row] != b.entity {
		return false
	}
	for k := range p.columns {
		if c := &p.columns[k]; c.comp == b.comp {
			return c.items.Bump(row)
		}
	}
	return false
}

// extractBumped extracts the bumped items that are extracted one by one.
func (ex *extractor) extractBumped(bumped []bump) {
	for _, b := range bumped {
		n := ex.nodes.Of(b.entity)
		if n == nil {
			continue
		}
		if bound := n.Binding(b.comp, b.entity); bound != nil {
			told := bound.Seen == ex.Tick // already extracted in this step: as new, or bumped twice
			if !ex.extractItem(n, bound) && !b.added && !told {
				ex.checks.wasted(bound)
			}
		}
	}
}
