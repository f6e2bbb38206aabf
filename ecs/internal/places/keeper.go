// Package places keeps the index of a session's nodes by place, and answers a game's questions
// by it, filtered by donburi's filters. Nothing is kept until the first question. From then on
// the nodes that may have moved are noted as that becomes known (a bump, a new parent, a
// rewind), and their places are read when the next question comes; components that nobody
// bumps, which are all on a client, are compared at the first question after Again.
package places

import (
	"math"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/space"
)

// A Keeper keeps a session's places.
type Keeper struct {
	*nodes.Base
	Nodes *nodes.Table
	Loose func() []*nodes.Node // what this machine predicts: read anew for every question
	Rules func() bool          // whether a command's rule asks, for which nothing is here that is only drawn still

	index    *space.Index        // nil until the first question
	who      []who               // by the ids of entities
	dirty    []uint32            // nodes that may have moved, by the ids of their entities …
	marked   []uint64            // … and a bit for each
	compared bool                // the compared components have been compared since the last Again
	ended    int                 // counts nodes that have ended
	leaving  map[uint32]struct{} // what has gone and is drawn still, by the ids of entities

	plans  []plan
	kept   int  // archetypes that plans know
	client bool // the plans are a client's

	free []*list
}

// A who is an entity of the index. A world has one entry for each id, for good; kept here it is
// found with fewer looks at memory than by World.Entry.
type who struct {
	entity donburi.Entity
	entry  *donburi.Entry
}

// of returns the entry of the entity, which may have been left showing an older one of its id.
func (w *who) of(world donburi.World) *donburi.Entry {
	if w.entry.Entity() == w.entity {
		return w.entry
	}
	return world.Entry(w.entity)
}

// A list is what one question has found, while the game walks over it.
type list struct {
	ids     []uint32
	far     []float64
	ents    []donburi.Entity
	entries []*donburi.Entry // of ents
}

// A plan is one archetype with nodes whose place is in a compared component.
type plan struct {
	archetype int
	comp      *nodes.Component
	x, y      uintptr // of two float64s side by side …
	plain     bool    // … if it has those
	rows      []row
}

// A row is an entity as it was at the last look.
type row struct {
	entity    donburi.Entity
	x, y, rot float64
}

// Mark notes that a node may have moved.
func (k *Keeper) Mark(n *nodes.Node) {
	if k.index != nil {
		k.mark(uint32(n.Entity.Id()))
	}
}

func (k *Keeper) mark(id uint32) {
	w, bit := int(id>>6), uint64(1)<<(id&63)
	if w >= len(k.marked) {
		k.marked = append(k.marked, make([]uint64, w+1-len(k.marked)+w/4)...)
	}
	if k.marked[w]&bit == 0 {
		k.marked[w] |= bit
		k.dirty = append(k.dirty, id)
	}
}

// MarkEntity notes that what an entity shares in may have moved.
func (k *Keeper) MarkEntity(e donburi.Entity) {
	if k.index != nil {
		if n := k.Nodes.Of(e); n != nil {
			k.Mark(n)
		}
	}
}

// Ended notes that a node has ended.
func (k *Keeper) Ended(n *nodes.Node) {
	k.ended++
	k.Mark(n)
}

// Again has the next question look at all compared components. It costs nothing by itself.
func (k *Keeper) Again() { k.compared = false }

// hasGone reports whether an entity is not here for who asks now.
func (k *Keeper) hasGone(id uint32) bool {
	_, leaving := k.leaving[id]
	return leaving && k.Rules()
}

// On reports whether there has been a question.
func (k *Keeper) On() bool { return k.index != nil }

// Clear forgets a world that the session leaves.
func (k *Keeper) Clear() {
	k.index, k.who, k.dirty, k.marked, k.plans, k.kept, k.compared, k.leaving = nil, nil, nil, nil, nil, 0, false, nil
	k.Nodes.Shifted = nil
	k.ended++
}

// refresh brings the index up to date.
func (k *Keeper) refresh() {
	if k.index == nil {
		k.index, k.leaving = space.NewIndex(), map[uint32]struct{}{}
		k.Nodes.Shifted = k.Mark
		for i := range k.Nodes.Slots {
			if k.Nodes.AtSlot(i) != nil {
				k.mark(uint32(i))
			}
		}
	}
	if !k.compared {
		k.compare()
		k.compared = true
	}
	for _, n := range k.Loose() {
		k.mark(uint32(n.Entity.Id()))
	}
	if len(k.dirty) == 0 {
		return
	}
	for i := 0; i < len(k.dirty); i++ { // grows meanwhile
		id := k.dirty[i]
		k.marked[id>>6] &^= 1 << (id & 63)
		k.place(id)
	}
	k.dirty = k.dirty[:0]
	k.index.Resize()
}

// place reads where a node is.
func (k *Keeper) place(id uint32) {
	n := k.Nodes.AtSlot(int(id))
	if n == nil {
		delete(k.leaving, id)
		k.index.Remove(id)
		return
	}
	for c := range n.Kids {
		k.mark(uint32(c.Entity.Id()))
	}
	if n.Leaving {
		k.leaving[id] = struct{}{}
	} else {
		delete(k.leaving, id)
	}
	awaited := n.Predicted != nil && n.Awaited && !n.Predicted.Gone // by a command of this machine
	if n == k.Nodes.Session || n.ID == 0 && !awaited || k.Nodes.IsLost(n) || k.Nodes.IsUnseen(n) {
		k.index.Remove(id)
		return
	}
	t, ok := k.where(n)
	if !ok {
		k.index.Remove(id)
		return
	}
	s := space.Shape{X: t.Pos.X, Y: t.Pos.Y}
	if e := k.World.Entry(n.Entity); e.HasComponent(components.Extent) {
		x := components.Extent.Get(e)
		switch {
		case x.Check() != nil:
			k.ScoldOf("Extent refused", "components.Extent of", e, "a radius and halves are 0 to rpl.MaxReach: the node counts as a point")
		case x.Half.X != 0 || x.Half.Y != 0:
			s.HX, s.HY = x.Half.X, x.Half.Y
		default:
			s.HX, s.Round = x.Radius, true
		}
	}
	if int(id) >= len(k.who) {
		k.who = append(k.who, make([]who, int(id)+1-len(k.who)+int(id)/4)...)
	}
	k.who[id] = who{n.Entity, k.World.Entry(n.Entity)}
	order := uint32(n.ID)
	if n.ID == 0 { // as on the authority those that were made in this step
		order = math.MaxUint32
	}
	k.index.Put(id, order, s)
}

// where returns where a node is in the world: a node without a place is where the node above
// it is. It reports false if nothing up there has one.
func (k *Keeper) where(n *nodes.Node) (t components.TransformData, ok bool) {
	for ; n != nil; n = k.Nodes.Above(n) {
		if s := k.Nodes.StandOf(n); s != nil && n.Orphan {
			return nodes.Within(t, s.At), true
		}
		if up, has := k.own(n); has {
			t = nodes.Within(t, up)
			ok = true
		}
	}
	return t, ok
}

// own returns the place that a node says, relative to its parent's. Of several components
// with a place the first counts.
func (k *Keeper) own(n *nodes.Node) (t components.TransformData, ok bool) {
	for i := range n.Items {
		if t, _, ok = k.PlaceOf(&n.Items[i]); ok {
			break
		}
	}
	return t, ok
}

// compare compares the places that nobody bumps with those of the last time.
func (k *Keeper) compare() {
	if client := k.Auth == nil; client != k.client {
		k.client, k.plans, k.kept = client, nil, 0
	}
	archetypes := k.World.Archetypes()
	for ; k.kept < len(archetypes); k.kept++ {
		k.plan(k.kept, archetypes[k.kept].ComponentTypes())
	}
	for i := range k.plans {
		p := &k.plans[i]
		ents := archetypes[p.archetype].Entities()
		if len(ents) > len(p.rows) {
			p.rows = append(p.rows, make([]row, len(ents)-len(p.rows))...)
		}
		p.rows = p.rows[:len(ents)]
		if len(ents) == 0 {
			continue
		}
		k.comparePlan(p, ents, donburix.Column(k.World, p.comp.Type, p.archetype, len(ents)))
	}
}

func (k *Keeper) plan(archetype int, layout []donburi.IComponentType) {
	has := func(c donburi.IComponentType) bool { return slices.Contains(layout, c) }
	if !has(components.RplNode) && !has(nodes.PartOf) {
		return
	}
	for _, c := range k.Kinds.Components {
		if len(c.Pos) != 2 || c.Item.Explicit && !k.client || !has(c.Type) {
			continue
		}
		p := plan{archetype: archetype, comp: c}
		if c.StandIn == nil {
			x, okX := c.Pos[0].Float64At()
			y, okY := c.Pos[1].Float64At()
			p.x, p.y, p.plain = x, y, okX && okY
		}
		k.plans = append(k.plans, p)
	}
}

func (k *Keeper) comparePlan(p *plan, ents []donburi.Entity, at []unsafe.Pointer) {
	rows := p.rows[:len(ents)]
	at = at[:len(ents)]
	turns := p.comp.Type == donburi.IComponentType(components.Transform)
	for i, e := range ents {
		r := &rows[i]
		var x, y, rot float64
		if p.plain {
			x, y = *(*float64)(unsafe.Add(at[i], p.x)), *(*float64)(unsafe.Add(at[i], p.y))
			if turns { // a turn moves what hangs below
				rot = float64((*components.TransformData)(at[i]).Rot)
			}
		} else {
			w := k.Tagged(p.comp, k.World.Entry(e), at[i])
			x, y = p.comp.Pos[0].Get(w), p.comp.Pos[1].Get(w)
		}
		if r.x != x || r.y != y || r.rot != rot || r.entity != e {
			*r = row{e, x, y, rot}
			k.MarkEntity(e)
		}
	}
}

func (k *Keeper) take() *list {
	k.refresh()
	if n := len(k.free); n > 0 {
		l := k.free[n-1]
		k.free = k.free[:n-1]
		return l
	}
	return &list{}
}

func (k *Keeper) give(l *list) {
	clear(l.entries)
	l.ids, l.far, l.ents, l.entries = l.ids[:0], l.far[:0], l.ents[:0], l.entries[:0]
	k.free = append(k.free, l)
}
