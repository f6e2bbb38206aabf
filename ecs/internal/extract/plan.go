package extract

// plan: which node and which item each row of an archetype is. donburi has no hook for
// components that come and go, so each step compares the lists of entities with those of
// the step before, and resolves only what differs.

import (
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// A plan records the node and the items of each row of one archetype; a row is one of its
// entities. A plan holds as long as the archetype's entity list is the one that it was
// made for.
type plan struct {
	nodes     bool // the archetype has RplNode
	parts     bool
	extents   bool // it has components.Extent
	anew      bool // resolve every row again
	strange   bool // some rows had no node, and may have one now
	regrouped bool // some rows have changed their node and are not resolved yet
	columns   []column
	entities  []donburi.Entity // the rows at the last look
	rows      []*nodes.Node
	stale     []int              // present rows whose entity or node differs from the plan
	data      donburix.NodeDatas // as the core knows it
}

// A column is one replicated component of an archetype.
type column struct {
	comp  *nodes.Component
	items *rpl.Column // by row; NoItem if the row is extracted by itself
	own   []int       // rows that are extracted one by one (see byItself)
}

// findChanges compares each archetype's entities with those of the last step, because
// donburi has no hook for components that are added or removed.
func (ex *Reader) findChanges() {
	ex.endShortLived()
	archetypes := ex.World.Archetypes()
	for len(ex.plans) < len(archetypes) {
		ex.plans = append(ex.plans, ex.planOf(len(ex.plans), archetypes[len(ex.plans)].ComponentTypes()))
	}
	var moved []int
	var newcomers []donburi.Entity
	for i, a := range archetypes {
		p := &ex.plans[i]
		if p.parts && ex.Nodes.Regrouped {
			p.regroup(ex.Nodes)
		}
		if !p.nodes && !p.parts || !p.anew && !p.regrouped && donburix.SameEntities(p.entities, a.Entities()) {
			continue
		}
		moved = append(moved, i)
		ents := a.Entities()
		p.findStale(ents)
		for _, row := range p.stale {
			if e := ents[row]; p.nodes && ex.Nodes.Of(e) == nil && e.IsReady() {
				if _, known := ex.unmade[e]; !known {
					newcomers = append(newcomers, e)
				}
			}
		}
	}
	ex.Nodes.Regrouped = false
	if len(moved) == 0 {
		return
	}
	for _, e := range newcomers {
		ex.MakeNode(ex.World.Entry(e), nodes.Origin{})
	}
	if len(newcomers) > 0 { // they may be in other archetypes now, even those that could not be made nodes
		ex.findChanges()
		return
	}
	ended := false
	for _, i := range moved {
		ended = ex.leftNode(&ex.plans[i], archetypes[i].Entities()) || ended
	}
	if ended { // callbacks have run meanwhile
		ex.findChanges()
		return
	}
	for _, i := range moved {
		ex.replan(i)
	}
}

// endShortLived ends the nodes that lost RplNode before any plan saw it on them. The
// callbacks of one such end may strip further nodes.
func (ex *Reader) endShortLived() {
	for ended := true; ended; {
		ended = false
		for i := 0; i < len(ex.made); i++ {
			n := ex.made[i]
			if ex.Nodes.Of(n.Entity) == n && n != ex.Nodes.Session && !ex.World.Entry(n.Entity).HasComponent(components.RplNode) {
				ex.endStripped(n)
				ended = true
			}
		}
	}
}

func (ex *Reader) planOf(archetype int, layout []donburi.IComponentType) plan {
	p := plan{
		nodes:   slices.Contains(layout, donburi.IComponentType(components.RplNode)),
		parts:   slices.Contains(layout, donburi.IComponentType(nodes.PartOf)),
		extents: slices.Contains(layout, donburi.IComponentType(components.Extent)),
	}
	if p.nodes || p.parts {
		for _, c := range ex.Kinds.Components {
			if slices.Contains(layout, c.Type) {
				items := ex.Auth.NewColumn(c.Item, func(row int) unsafe.Pointer { return ex.componentAt(archetype, c, row) })
				p.columns = append(p.columns, column{comp: c, items: items})
			}
		}
		slices.SortStableFunc(p.columns, func(a, b column) int {
			return ex.depth(a.comp.Item, maxDepth) - ex.depth(b.comp.Item, maxDepth)
		})
	}
	return p
}

// maxDepth is of how long a chain of components, each with the velocity of the next
// (`predict=item.Field`), all are read in order.
const maxDepth = 4

// depth is how many components have to be read before one of a type: what it borrows is read
// before it in the same step, or else a turn is sent in two.
func (ex *Reader) depth(it *rpl.ItemType, most int) (n int) {
	if most == 0 {
		return 0
	}
	for i := range it.Words {
		for _, c := range ex.Kinds.Components {
			if c.Item.Name == it.Words[i].VelocityItem {
				n = max(n, 1+ex.depth(c.Item, most-1))
			}
		}
	}
	return n
}

// componentAt returns where the component of a plan's row is now, nil if callbacks have
// removed it since.
func (ex *Reader) componentAt(archetype int, c *nodes.Component, row int) unsafe.Pointer {
	e, now := ex.plans[archetype].entities[row], ex.World.Archetypes()[archetype].Entities()
	if row < len(now) && now[row] == e {
		return donburix.Column(ex.World, c.Type, archetype, row+1)[row]
	}
	if !ex.World.Valid(e) || !ex.World.Entry(e).HasComponent(c.Type) {
		return nil
	}
	return ex.World.Entry(e).Component(c.Type)
}

// regroup clears the rows of parts whose node has changed since the last look: to another
// node, from none, or to none, since a node may be gone while its parts stay. It also
// clears a row that belonged to another node in between, because its items are gone.
func (p *plan) regroup(ns *nodes.Table) {
	for row, was := range p.rows {
		e := p.entities[row]
		if ns.Of(e) != was || was != nil && len(p.columns) > 0 && was.Binding(p.columns[0].comp, e) == nil {
			p.rows[row], p.regrouped = nil, true
		}
	}
	p.strange = p.strange || p.regrouped
}

// findStale lists the rows that the plan does not know.
func (p *plan) findStale(now []donburi.Entity) {
	p.stale = p.stale[:0]
	same := min(len(now), len(p.entities))
	if p.anew {
		same = 0
	}
	for from := 0; from < same; from += sheaf {
		to := min(from+sheaf, same)
		if p.strange || !donburix.SameEntities(p.entities[from:to], now[from:to]) {
			p.findStaleOf(from, now[from:to])
		}
	}
	for row := same; row < len(now); row++ {
		p.stale = append(p.stale, row)
	}
}

// burst is how many elements a list of newcomers keeps room for.
const burst = 1024

// sheaf is the number of rows that are compared at once.
const sheaf = 64

// findStaleOf is findStale for a run of rows that begins at from; the plan has all of
// them.
func (p *plan) findStaleOf(from int, now []donburi.Entity) {
	known, rows := p.entities[from:][:len(now)], p.rows[from:][:len(now)]
	for i, e := range now {
		if known[i] != e || rows[i] == nil {
			p.stale = append(p.stale, from+i)
		}
	}
}

// leftNode finds the entities that were nodes and have lost RplNode. They stay as local
// entities, and their nodes end. It reports whether there was one.
func (ex *Reader) leftNode(p *plan, now []donburi.Entity) (ended bool) {
	same := min(len(now), len(p.entities))
	for _, row := range p.stale {
		if row < same && now[row] != p.entities[row] {
			ended = ex.leftRow(p, row) || ended
		}
	}
	for row := same; row < len(p.entities); row++ {
		ended = ex.leftRow(p, row) || ended
	}
	return ended
}

func (ex *Reader) leftRow(p *plan, row int) bool {
	e, n := p.entities[row], p.rows[row]
	if !p.nodes || n == nil || n == ex.Nodes.Session || n.Entity != e || ex.Nodes.Of(e) != n || !ex.World.Valid(e) {
		return false
	}
	if ex.World.Entry(e).HasComponent(components.RplNode) {
		return false
	}
	ex.noticeNode(n, p.data.Last(row)) // it may have changed before it was taken away
	ex.endStripped(n)
	p.entities[row], p.rows[row] = donburi.Null, nil // callbacks may have made it a node again, in the same place
	return true
}

// replan resolves the stale rows of an archetype, and tells the core of items that came
// and went.
func (ex *Reader) replan(i int) {
	p := &ex.plans[i]
	ents := ex.World.Archetypes()[i].Entities()
	for k := range p.columns {
		c := &p.columns[k]
		c.items.Resize(len(ents))
		c.own = slices.DeleteFunc(c.own, func(row int) bool {
			_, stale := slices.BinarySearch(p.stale, row)
			return stale || row >= len(ents)
		})
	}
	p.rows = resized(p.rows, len(ents))
	p.data.Resize(len(ents))
	p.strange = false // all rows without a node are among the stale ones
	for _, row := range p.stale {
		ex.planRow(p, row, ents[row])
		ex.noteRow(ents[row], i, row)
	}
	p.entities, p.anew, p.regrouped = append(p.entities[:0], ents...), false, false
	if cap(p.stale) > burst {
		p.stale = nil
	}
}

// planRow finds the node and the items of a row.
func (ex *Reader) planRow(p *plan, row int, e donburi.Entity) {
	n := ex.Nodes.Of(e)
	p.rows[row] = n
	if n != nil {
		ex.MatchItems(n, e, p.columns)
		p.data.Put(row, n.Data)
		if p.nodes {
			p.data.Keep(row, components.RplNode.Get(ex.World.Entry(e)))
		}
		if n.Entity == e && (p.extents || n.Extent != 0) && ex.World.Valid(e) {
			ex.noticeExtentOf(n, ex.World.Entry(e))
		}
	} else {
		p.strange = true
	}
	for k := range p.columns {
		c := &p.columns[k]
		item := rpl.NoItem
		if n != nil {
			switch b := n.Binding(c.comp, e); {
			case b == nil: // the node has too many items: MatchItems has reported it
			case ex.byItself(b):
				if !c.comp.Item.Explicit {
					c.own = append(c.own, row)
				} else { // extracted when it is bumped: as it may have been while it stood in a column
					ex.dirty = append(ex.dirty, bump{entity: e, comp: c.comp, added: true})
				}
			default:
				item = b.Item
			}
		}
		c.items.Put(row, item)
	}
}

// resized returns s with n elements; those that it had keep their places.
func resized[T any](s []T, n int) []T {
	return slices.Grow(s, max(0, n-len(s)))[:n]
}

// MatchItems makes the items of one entity match its components.
func (ex *Reader) MatchItems(n *nodes.Node, e donburi.Entity, columns []column) {
	for i := range n.Items {
		b := &n.Items[i]
		if b.Comp == nil || b.Entity != e || slices.ContainsFunc(columns, func(c column) bool { return c.comp == b.Comp }) {
			continue
		}
		ex.Faults.Report("item not removed", ex.Auth.RemoveItem(b.Item))
		*b = nodes.Binding{}
		ex.Nodes.Refit(n)
	}
	for k := range columns {
		c := columns[k].comp
		if n.Binding(c, e) != nil {
			continue
		}
		item, err := ex.addItem(n, c, e)
		if err != nil {
			ex.Faults.Report("item not added", err)
			continue
		}
		ord := ex.Auth.Ordinal(item)
		if ord == len(n.Items) {
			n.Items = append(n.Items, nodes.Binding{})
		}
		b := &n.Items[ord]
		*b = nodes.Binding{Comp: c, Entity: e, Item: item}
		ex.Notify.StartComparing(b, true, nil)
		ex.Notify.CompareItem(n, b)
		ex.Nodes.Refit(n)
		if c.Item.Explicit {
			ex.dirty = append(ex.dirty, bump{entity: e, comp: c, added: true})
		}
	}
}

// noteRow records the plan and the row in which an entity's components stand.
func (ex *Reader) noteRow(e donburi.Entity, plan, row int) {
	if ex.Nodes.Of(e) != nil {
		s := &ex.Nodes.Slots[e.Id()]
		s.Plan, s.Row = uint32(plan), uint32(row)
	}
}

// addItem gives a node an item for a component of one of its entities: at the ordinal
// that the component had when the node was built, or else at a free one.
func (ex *Reader) addItem(n *nodes.Node, c *nodes.Component, e donburi.Entity) (rpl.Item, error) {
	from := slices.Index(n.Built(), nodes.Place{Comp: c, Entity: e})
	if from < 0 {
		from = len(n.Built())
	}
	return ex.Auth.AddItemFrom(n.ID, c.Item, from)
}
