package places

// view: a game's questions, for the nodes that a filter takes.

import (
	"math"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/space"
)

// A View asks for the nodes that a filter takes.
type View struct {
	k      *Keeper
	filter filter.LayoutFilter // nil: all
	known  [16]verdict         // by a hash of the archetype
	last   verdict
	takes  func(id uint32) bool
	but    []donburi.Entity // of the Trace in progress
}

// A verdict is whether the filter takes an archetype.
type verdict struct {
	archetype unsafe.Pointer
	takes     bool
}

// NewView makes a view; a nil filter takes all nodes.
func NewView(k *Keeper, f filter.LayoutFilter) *View {
	v := &View{k: k, filter: f}
	v.takes = func(id uint32) bool { return v.wants(k.who[id].of(k.World)) && !k.hasGone(id) }
	return v
}

// wants is whether the filter takes an entity.
func (v *View) wants(e *donburi.Entry) bool {
	if v.filter == nil {
		return true
	}
	a := e.Archetype()
	if unsafe.Pointer(a) == v.last.archetype {
		return v.last.takes
	}
	return v.ask(unsafe.Pointer(a), a.ComponentTypes())
}

// ask is wants for another archetype than the last.
func (v *View) ask(a unsafe.Pointer, layout []donburi.IComponentType) bool {
	at := &v.known[uintptr(a)>>6&15]
	if at.archetype != a {
		at.archetype, at.takes = a, v.filter.MatchesLayout(layout)
	}
	v.last = *at
	return at.takes
}

// walk shows the game what was found. What has ended meanwhile is left out.
func (v *View) walk(l *list, yield func(*donburi.Entry) bool) {
	k := v.k
	w, ended := k.World, k.ended
	l.ents, l.entries = slices.Grow(l.ents, len(l.ids)), slices.Grow(l.entries, len(l.ids))
	ents, entries, n, going := l.ents[:len(l.ids)], l.entries[:len(l.ids)], 0, len(k.leaving) > 0
	for _, id := range l.ids { // one pass that waits for memory, most of it at once
		at := &k.who[id]
		e := at.of(w)
		ents[n], entries[n] = at.entity, e
		takes := v.filter == nil || unsafe.Pointer(e.Archetype()) == v.last.archetype && v.last.takes || v.wants(e)
		if takes && !(going && k.hasGone(id)) {
			n++
		}
	}
	l.ents, l.entries = ents[:n], entries[:n]
	for i, e := range l.entries {
		if k.ended != ended {
			if k.World != w || k.Nodes.Of(l.ents[i]) == nil {
				continue
			}
			e = w.Entry(l.ents[i])
		}
		if !yield(e) {
			break
		}
	}
	k.give(l)
}

// InRect shows what touches a rectangle.
func (v *View) InRect(x0, y0, x1, y1 float64, yield func(*donburi.Entry) bool) {
	l := v.k.take()
	l.ids = v.k.index.InRect(x0, y0, x1, y1, l.ids)
	v.walk(l, yield)
}

// Within shows what reaches within r of a point.
func (v *View) Within(x, y, r float64, yield func(*donburi.Entry) bool) {
	l := v.k.take()
	l.ids = v.k.index.Within(x, y, r, l.ids)
	v.walk(l, yield)
}

// Touching shows what touches a node's shape, without the node.
func (v *View) Touching(n *nodes.Node, yield func(*donburi.Entry) bool) {
	l := v.k.take()
	id := uint32(n.Entity.Id())
	if s, ok := v.k.index.Shape(id); ok {
		l.ids = v.k.index.Touching(s, id, l.ids)
	}
	v.walk(l, yield)
}

// Nearest shows the k nearest nodes and how far their edges are, the nearest first.
func (v *View) Nearest(x, y float64, n int, yield func(*donburi.Entry, float64) bool) {
	k := v.k
	l := k.take()
	takes := v.takes
	if v.filter == nil && len(k.leaving) == 0 {
		takes = nil
	}
	l.ids, l.far = k.index.Nearest(x, y, n, math.Inf(1), takes, l.ids, l.far)
	for _, id := range l.ids {
		l.ents = append(l.ents, k.who[id].entity)
	}
	w, ended := k.World, k.ended
	for i, e := range l.ents {
		if k.ended != ended && (k.World != w || k.Nodes.Of(e) == nil) {
			continue
		}
		if !yield(w.Entry(e), l.far[i]) {
			break
		}
	}
	k.give(l)
}

// Trace returns the first node that is hit on the way from a place to another, of those that
// are not but.
func (v *View) Trace(x, y, toX, toY float64, but []*donburi.Entry) (*donburi.Entry, space.Hit, bool) {
	k := v.k
	k.refresh()
	v.but = v.but[:0]
	for _, e := range but {
		if e != nil {
			v.but = append(v.but, e.Entity())
		}
	}
	takes := v.takes
	if len(v.but) > 0 {
		takes = v.takesOther
	}
	if v.filter == nil && len(v.but) == 0 && len(k.leaving) == 0 {
		takes = nil
	}
	h, ok := k.index.Trace(x, y, toX, toY, takes)
	if !ok {
		return nil, h, false
	}
	return k.who[h.ID].of(k.World), h, true
}

func (v *View) takesOther(id uint32) bool {
	at := &v.k.who[id]
	for _, o := range v.but {
		if o == at.entity {
			return false
		}
	}
	return v.takes(id)
}
