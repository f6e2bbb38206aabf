package own

// hung: what has changed its parent in the newest step is drawn between its places in the world, since its places
// below the two parents have nothing between them.

import (
	"math"
	"unsafe"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/track"
)

// mostHops is below how many nodes one is looked for at most, more than any tree is deep: what is kept of the step
// before may be a ring. In one, nothing is drawn between steps.
const mostHops = 1000

// Hung returns where the entity of a node whose parent has changed in the newest step is drawn in the world: on
// the way from where it was there after the step before to where it is, unless that is a leap.
func (k *Keeper) Hung(e *donburi.Entry, n *nodes.Node) (t components.TransformData, ok bool) {
	if len(k.formers) == 0 || k.inside || n.Entity != e.Entity() || n.Leapt == k.Tick {
		return t, false
	}
	kd := k.transforms()
	share := k.drawn()
	if kd == nil || share >= 1 {
		return t, false
	}
	if s := kd.sample(n.Entity); s == nil || s.step != k.step || s.former == 0 {
		return t, false
	}
	was, ok := k.before(kd, n)
	if !ok {
		return t, false
	}
	t = k.InWorld(e)
	if math.Abs(t.Pos.X-was.Pos.X) >= track.JumpUnits || math.Abs(t.Pos.Y-was.Pos.Y) >= track.JumpUnits {
		return t, false
	}
	left := 1 - share
	t.Pos = t.Pos.Add(was.Pos.Sub(t.Pos).Mulf(left))
	t.Rot += nodes.Turn(t.Rot, was.Rot) * gmath.Rad(left)
	return t, true
}

// before returns where a node was in the world after the step before.
func (k *Keeper) before(kd *kind, n *nodes.Node) (t components.TransformData, ok bool) {
	for hops := 0; n != nil; hops++ {
		up, next, ok := k.last(kd, n)
		if !ok || hops > mostHops { // what has no transform may hang below what hung below it
			return t, false
		}
		t, n = nodes.Within(t, up), next
	}
	return t, true
}

// A last is where an entity that has gone was after the step before, and below what.
type last struct {
	entity donburi.Entity
	up     *nodes.Node
	at     components.TransformData
}

// last returns where a node was after the step before, relative to the node that it hung below.
func (k *Keeper) last(kd *kind, n *nodes.Node) (at components.TransformData, up *nodes.Node, ok bool) {
	var e *donburi.Entry
	if k.World.Valid(n.Entity) {
		e = k.World.Entry(n.Entity)
	}
	has := e != nil && e.HasComponent(components.Transform)
	if has {
		at = *components.Transform.Get(e)
	}
	s := kd.sample(n.Entity)
	switch {
	case s == nil || s.step+1 < k.step:
		for i := range k.gone {
			if g := &k.gone[i]; g.entity == n.Entity {
				return g.at, g.up, true
			}
		}
		return at, n.Parent, !has // what has no transform hangs where it did, or was at the top
	case s.step != k.step: // it has gone in the newest
		_, _, now := kd.of(int(n.Entity.Id()))
		return kd.transform(at, now), s.up, true
	}
	if up = s.up; s.former > 0 {
		up = k.formers[s.former-1]
	}
	_, was, _ := kd.of(int(n.Entity.Id()))
	return kd.transform(at, was), up, s.known
}

// of returns the drawn fields of what is in an entity's slot: after the two steps before the newest, and after that.
func (kd *kind) of(id int) (before, was, now []float64) {
	n := len(kd.comp.Drawn.Fields)
	v := kd.vals[3*n*id:][:3*n]
	return v[:n], v[n : 2*n], v[2*n:]
}

// transform returns t with these drawn fields.
func (kd *kind) transform(t components.TransformData, vals []float64) components.TransformData {
	for j := range kd.comp.Drawn.Fields {
		kd.comp.Drawn.Fields[j].Set(unsafe.Pointer(&t), vals[j])
	}
	return t
}

// transforms is what is kept of components.Transform, nil where that is nothing.
func (k *Keeper) transforms() *kind {
	if c := k.Kinds.Of(components.Transform); c != nil && c.StandIn == nil && c.Order < len(k.kinds) {
		return k.kinds[c.Order]
	}
	return nil
}

func (kd *kind) sample(e donburi.Entity) *sample {
	if id := int(e.Id()); id < len(kd.all) && kd.all[id].entity == e {
		return &kd.all[id]
	}
	return nil
}
