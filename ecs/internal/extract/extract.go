package extract

// Stage Extract: on the authority, once a step, components become snapshots, and entities
// become nodes or cease to be nodes (plan.go finds which).

import (
	"fmt"
	"iter"
	"maps"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/callbacks"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/loadtime"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// MaxRounds is how often one step looks for nodes that its own callbacks have made; nodes
// made after that have their callbacks in the next step.
const MaxRounds = 8

// A Reader reads the authority's world: which entities are nodes, and what they hold.
type Reader struct {
	*nodes.Base
	Nodes    *nodes.Table
	LoadTime *loadtime.Nodes
	Notify   *callbacks.Queue

	LastCalls func(n *nodes.Node) // runs the calls that wait on a node that ends
	During    func(fn func())     // runs fn, and then what callbacks have put off meanwhile

	plans  []plan // by archetype
	fresh  []*nodes.Node
	made   []*nodes.Node // nodes that no plan knows yet
	unmade map[donburi.Entity]unmade
	dirty  []bump
	sends  int // steps that have sent
}

// Extract reads the world once for all peers. What callbacks change or make here is
// extracted in the next step, except for the first state of new nodes, which leaves with
// them.
func (ex *Reader) Extract() {
	ex.LoadTime.EndBuilding()
	ex.makeUnmade()
	ex.findChanges()
	clear(ex.made) // the plans know them now
	if ex.made = ex.made[:0]; cap(ex.made) > burst {
		ex.made = nil
	}
	ex.extractAll()
	ex.Greet()
}

// Waits reports whether new nodes wait for Greet.
func (ex *Reader) Waits() bool { return len(ex.fresh) > 0 }

// Anew has the next step look at every entity again: the same entities are other nodes, or
// their items are extracted in another way.
func (ex *Reader) Anew() {
	for i := range ex.plans {
		ex.plans[i].anew = true
	}
}

// Clear forgets a world that the session leaves.
func (ex *Reader) Clear() {
	clear(ex.unmade)
	for i := range ex.plans {
		for _, c := range ex.plans[i].columns {
			ex.Auth.FreeColumn(c.items)
		}
	}
	ex.plans = nil
}

// Unmade are the entities that are to be nodes and cannot be yet.
func (ex *Reader) Unmade() iter.Seq[donburi.Entity] { return maps.Keys(ex.unmade) }

// Bump notes that a component tagged `explicit` has changed: a bit in its column, if it stands
// in one.
func (ex *Reader) Bump(e donburi.Entity, c *nodes.Component) {
	if col, row := ex.columnOf(e, c); col == nil || !col.Bump(row) {
		ex.dirty = append(ex.dirty, bump{entity: e, comp: c})
	}
}

// IsDirty reports whether an item was bumped since it was extracted.
func (ex *Reader) IsDirty(b *nodes.Binding) bool {
	if col, row := ex.columnOf(b.Entity, b.Comp); col != nil && col.IsDirty(row) {
		return true
	}
	return slices.ContainsFunc(ex.dirty, func(due bump) bool { return due.entity == b.Entity && due.comp == b.Comp })
}

// columnOf returns the column in which a component of an entity stood at the last look, and
// its row there; nil if it stood in none.
func (ex *Reader) columnOf(e donburi.Entity, c *nodes.Component) (col *rpl.Column, row int) {
	s := ex.Nodes.SlotOf(e)
	if s == nil || int(s.Plan) >= len(ex.plans) {
		return nil, 0
	}
	p, row := &ex.plans[s.Plan], int(s.Row)
	if row >= len(p.entities) || p.entities[row] != e {
		return nil, 0
	}
	for k := range p.columns {
		if c == p.columns[k].comp {
			return p.columns[k].items, row
		}
	}
	return nil, 0
}

// Greet extracts new nodes, and runs their callbacks and all others that wait.
func (ex *Reader) Greet() {
	for range MaxRounds {
		fresh := ex.fresh
		ex.fresh = nil
		for _, n := range fresh {
			if ex.Nodes.Of(n.Entity) != n { // already removed, maybe with its world
				continue
			}
			ex.extractNode(n)
			if n != ex.Nodes.Session {
				ex.Faults.Count("stream in")
				ex.Notify.Arrived(n)
			}
			for i := range n.Items {
				ex.Notify.CompareItem(n, &n.Items[i])
			}
		}
		for _, n := range fresh { // it may have been made after what was attached to it
			ex.Notify.OrderAfterParent(n)
			for c := range n.Kids {
				ex.Notify.OrderAfterParent(c)
			}
		}
		ex.Notify.CallBack()
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
func (ex *Reader) extractAll() {
	alone := ex.bumpRows()
	if ex.Sending {
		ex.sends++
	}
	for i := range ex.plans {
		p := &ex.plans[i]
		if len(p.entities) == 0 {
			continue
		}
		if p.nodes && ex.Sending { // Stream is about to use NodeData
			ex.noticeNodes(p, i)
			if p.extents && (ex.sends+i)%extentEvery == 0 {
				ex.noticeExtents(p, i)
			}
		}
		for k := range p.columns {
			if c := &p.columns[k]; ex.Sending || len(c.own) > 0 {
				ex.extractColumn(p, c, donburix.Column(ex.World, c.comp.Type, i, len(p.entities)))
			}
		}
	}
	ex.extractDirty(alone)
}

// noticeNodes looks for changed NodeData in every row, before every Stream: a peer that
// may no longer see a node must not be sent what happens to it now.
func (ex *Reader) noticeNodes(p *plan, archetype int) {
	p.data.Changed(ex.World, archetype, func(row int, data *components.NodeData) {
		if n := p.rows[row]; n != nil && n.Entity == p.entities[row] { // NodeData on a part has no effect
			ex.noticeNode(n, data)
		}
	})
}

// NoticeTop is the same for the top of a node's tree alone, at once, and reads its place: a call goes
// to the peers that may have the tree when the call is made.
func (ex *Reader) NoticeTop(n *nodes.Node) {
	for n.Parent != nil {
		n = n.Parent
	}
	ex.notice(n)
	if i := ex.Auth.PlaceItem(n.ID); i >= 0 && i < len(n.Items) {
		b := &n.Items[i]
		if e, at := ex.Component(b); at != nil {
			ex.Auth.Place(b.Item, ex.Tagged(b.Comp, e, at))
		}
	}
}

func (ex *Reader) notice(n *nodes.Node) {
	if !ex.World.Valid(n.Entity) {
		return
	}
	e := ex.World.Entry(n.Entity)
	if !e.HasComponent(components.RplNode) || n.Data == *components.RplNode.Get(e) {
		return
	}
	ex.noticeNode(n, components.RplNode.Get(e))
	if s := ex.Nodes.SlotOf(n.Entity); s != nil && int(s.Plan) < len(ex.plans) {
		if p, row := &ex.plans[s.Plan], int(s.Row); row < len(p.entities) && p.entities[row] == n.Entity && p.nodes {
			p.data.Put(row, n.Data) // else it would miss a change back
		}
	}
}

func (ex *Reader) noticeNode(n *nodes.Node, data *components.NodeData) {
	if n.Data != *data {
		if n.Data.Transient != data.Transient {
			ex.refuse("RplNode refused", n, ex.Auth.SetTransient(n.ID, data.Transient))
		}
		n.Data = *data
		ex.refuse("RplNode refused", n, ex.Auth.SetStreaming(n.ID, nodes.Streaming(data)))
	}
}

// refuse counts and logs what the core refuses of a node, which it names by its components; nil
// is nothing.
func (ex *Reader) refuse(what string, n *nodes.Node, err error) {
	if err != nil {
		ex.Faults.Refuse(what, fmt.Errorf("%s: %w", ex.ItemsOf(ex.World.Entry(n.Entity)), err))
	}
}

// extractColumn hands the components of a column to the core. at is donburi's own list,
// which is valid while nothing is created or removed.
func (ex *Reader) extractColumn(p *plan, c *column, at []unsafe.Pointer) {
	if ex.Sending {
		ex.Auth.SetColumn(c.items, at)
	}
	for _, row := range c.own {
		n, e := p.rows[row], p.entities[row]
		b := n.Binding(c.comp, e)
		if ex.Auth.Set(b.Item, ex.Tagged(c.comp, ex.World.Entry(e), at[row])) && b.Reported != nil {
			ex.Notify.CompareItem(n, b)
		}
	}
}

// extractNode hands all items of one node to the core.
func (ex *Reader) extractNode(n *nodes.Node) {
	if ex.Nodes.Of(n.Entity) != n {
		return
	}
	// Only before a Stream, like noticeNodes: the plan does not learn of a change that is
	// noticed here, and would miss a change back.
	if e := ex.World.Entry(n.Entity); ex.Sending && e.HasComponent(components.RplNode) {
		ex.noticeNode(n, components.RplNode.Get(e))
		ex.noticeExtentOf(n, e)
	}
	for i := range n.Items {
		ex.extractItem(n, &n.Items[i])
	}
}

func (ex *Reader) extractItem(n *nodes.Node, b *nodes.Binding) (changed bool) {
	if e, at := ex.Component(b); at != nil {
		b.Seen = ex.Tick
		if changed = ex.Auth.Set(b.Item, ex.Tagged(b.Comp, e, at)); changed {
			ex.Notify.CompareItem(n, b)
		}
	}
	return changed
}

type bump struct {
	entity donburi.Entity
	comp   *nodes.Component
	added  bool // the component was just added, for which the game need not call Bump
}

// byItself reports whether an item is extracted one by one instead of with its column:
// because OnChange looks at it, it has a stand-in, or debug mode checks its bumps.
func (ex *Reader) byItself(b *nodes.Binding) bool {
	return b.Reported != nil || b.Comp.StandIn != nil || b.Comp.Item.Explicit && ex.Debug
}

// bumpRows marks the bumped components that stand in columns by now, and returns the others.
// The result is valid until the next Bump.
func (ex *Reader) bumpRows() (alone []bump) {
	alone = ex.dirty[:0]
	for _, b := range ex.dirty {
		if col, row := ex.columnOf(b.entity, b.comp); ex.Nodes.Of(b.entity) != nil && (col == nil || !col.Bump(row)) {
			alone = append(alone, b)
		}
	}
	ex.dirty = ex.dirty[:0]
	return alone
}

// extractDirty extracts the dirty items that are extracted one by one.
func (ex *Reader) extractDirty(dirty []bump) {
	for _, b := range dirty {
		n := ex.Nodes.Of(b.entity)
		if n == nil {
			continue
		}
		if bound := n.Binding(b.comp, b.entity); bound != nil {
			extracted := bound.Seen == ex.Tick // already extracted in this step: as new, or bumped twice
			if !ex.extractItem(n, bound) && !b.added && !extracted {
				ex.wasted(bound)
			}
		}
	}
}

// wasted reports a Bump of a component that has not changed.
func (ex *Reader) wasted(b *nodes.Binding) {
	if ex.Debug {
		ex.Faults.Scold("wasted bump", b.Comp.Name, "tendon.Bump was called and no replicated field has changed: bump after changes only")
	}
}
