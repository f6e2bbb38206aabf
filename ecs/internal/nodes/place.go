package nodes

// place: where an item says that it is, and how places below one another add up.

import (
	"math"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
)

// PlaceOf returns the place that a component says, if it says one. relative is whether that is
// relative to the node above in any case, and not what the game makes of it.
func (sh *Base) PlaceOf(b *Binding) (t components.TransformData, relative, ok bool) {
	if b.Comp == nil || len(b.Comp.Pos) != 2 {
		return t, false, false
	}
	e, p := sh.Component(b)
	if p == nil {
		return t, false, false
	}
	if b.Comp.Type == donburi.IComponentType(components.Transform) && b.Comp.StandIn == nil {
		return *(*components.TransformData)(p), true, true
	}
	p = sh.Tagged(b.Comp, e, p)
	t.Pos.X, t.Pos.Y = b.Comp.Pos[0].Get(p), b.Comp.Pos[1].Get(p)
	return t, false, true
}

// Within returns where something is in the world that is at t relative to up.
func Within(t, up components.TransformData) components.TransformData {
	return components.TransformData{Pos: up.Pos.Add(t.Pos.Rotated(up.Rot)), Rot: up.Rot + t.Rot}
}

// Below returns where something is relative to up that is at t in the world: what Within undoes.
func Below(t, up components.TransformData) components.TransformData {
	return components.TransformData{Pos: t.Pos.Sub(up.Pos).Rotated(-up.Rot), Rot: (t.Rot - up.Rot).Normalized()}
}

// Turn returns the shorter way from one angle to another.
func Turn(from, to gmath.Rad) gmath.Rad {
	return gmath.Rad(math.Remainder(float64(to-from), 2*math.Pi))
}
