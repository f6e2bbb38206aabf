package scene

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/assets/palette"
	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// drawnQuery returns a query for the nodes of a world that may be drawn now.
func drawnQuery() *donburi.Query {
	return donburi.NewQuery(filter.And(filter.Contains(island.Look, island.Place), tendon.Drawn))
}

// A figure is a node as it is drawn in this frame.
type figure struct {
	node   rpl.Node
	kind   island.Kind
	layer  int
	sprite string
	pos    gmath.Vec
	rot    gmath.Rad
	scale  float64
	alpha  float32
	shadow float64 // radius of the shadow, in units; 0 for what lies flat
	entity donburi.Entity
}

// Layers, from the ground up; trees are drawn before `air`.
const (
	flat = iota
	standing
	moving
	seated // in a car
	air
)

var layerOf = map[island.Kind]int{
	island.Plate: flat, island.Button: flat, island.Money: flat,
	island.Gate: standing, island.Entrance: standing, island.Box: standing, island.Ball: standing,
	island.Chicken: moving, island.Sheep: moving, island.Player: moving, island.Vehicle: moving,
	island.Shell: air, island.Boom: air,
}

// figures lists what the world shows, in drawing order.
func (s *Scene) figures(w donburi.World) []figure {
	list := s.list[:0]
	for e := range s.query.Iter(w) {
		if f, ok := s.figure(e); ok {
			list = append(list, f)
		}
	}
	slices.SortFunc(list, func(a, b figure) int {
		return cmp.Or(
			cmp.Compare(a.layer, b.layer),
			cmp.Compare(a.kind, b.kind),
			cmp.Compare(a.pos.Y, b.pos.Y),
			cmp.Compare(a.node, b.node),
		)
	})
	s.list = list
	return list
}

// figure returns a node's picture and place in this frame.
func (s *Scene) figure(e *donburi.Entry) (figure, bool) {
	at := place(e)
	f := figure{
		node: tendon.ID(e), kind: island.Look.Get(e).Kind, entity: e.Entity(),
		pos: at.Pos, rot: at.Rot, scale: 1, alpha: 1,
	}
	f.sprite, f.layer = f.kind.String(), layerOf[f.kind]
	switch f.kind {
	case island.Player:
		return s.player(e, f)
	case island.Vehicle:
		f.sprite = fmt.Sprintf("car-%d", island.Car.Get(e).Colour%palette.Variants)
		f.shadow = 34
	case island.Sheep:
		f.shadow = 15
	case island.Chicken:
		f.shadow = 10
	case island.Box:
		f.scale = 1 - 0.09*float64(island.Crate.Get(e).Hits)
		f.shadow = 18
	case island.Ball:
		f.sprite = fmt.Sprintf("sphere-%d", island.Sphere.Get(e).Colour%palette.Spheres)
		f.shadow = 13
	case island.Button, island.Plate:
		if island.Switch.Get(e).On {
			f.sprite += "-down"
		}
	case island.Gate:
		if island.Switch.Get(e).On {
			f.pos.X -= 80 // slid aside
		}
	case island.Entrance:
		f.sprite = "gate"
		if island.Door.Get(e).Open { // swung to the south
			f.rot = 0
			f.pos = f.pos.Add(gmath.Vec{X: 40, Y: 40})
		}
	case island.Shell:
		if island.Flight.Get(e).Met > 0 || s.game.Scenery().Hits(f.pos, 0) {
			return f, false // it has hit something, which the authority has yet to say
		}
	case island.Boom:
		left := float64(island.Flight.Get(e).Left) / island.BlastSteps
		f.scale = 1.15 - 0.7*left
		f.alpha = float32(min(1, 3*left))
	}
	return f, true
}

// player is figure for a player: on foot, in a car (small, in its seat), or down (faint).
func (s *Scene) player(e *donburi.Entry, f figure) (figure, bool) {
	w := island.Walker.Get(e)
	f.sprite = fmt.Sprintf("player-%d", w.Colour%palette.Variants)
	f.shadow = 14
	if car, driving := island.ParentOf(e); driving {
		seat := place(car)
		f.pos = seat.Pos.Add(gmath.Vec{X: 11, Y: -4}.Rotated(seat.Rot))
		f.rot, f.scale, f.shadow, f.layer = seat.Rot, 0.5, 0, seated
	} else if components.Parent.Get(e).Entity != donburi.Null {
		return f, false // its car is not here
	}
	if w.Health == 0 {
		f.alpha, f.shadow = 0.35, 0
	}
	return f, true
}

// place returns where a node is drawn in this frame: at its present place if this machine
// moves it by itself and does not predict it, else at its place in render time.
func place(e *donburi.Entry) island.PlaceData {
	if e.HasComponent(island.Flight) && !tendon.Predicted(e) {
		return island.Place.GetValue(e)
	}
	return tendon.View(e, island.Place)
}
