package island

import (
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

// PlaceData is where a node is and where it faces, relative to its parent: a driver is at
// the zero place of the car.
type PlaceData struct {
	Pos gmath.Vec `rpl:"step=1/16,interp,pos"`
	Rot gmath.Rad `rpl:"angle,bits=9,interp"`
}

// Place is on every node that has a place in the world.
var Place = tendon.Replicate(Protocol, "place", donburi.NewComponentType[PlaceData]())

// KindData is the kind of thing that a node is drawn as. It is local: prefabs set it on
// every machine.
type KindData struct{ Kind Kind }

// Look is on everything that is drawn.
var Look = donburi.NewComponentType[KindData]()

// Kind is a kind of thing that is drawn.
type Kind uint8

const (
	Player Kind = iota
	Vehicle
	Sheep
	Chicken
	Box
	Money
	Shell
	Boom
	Ball
	Button
	Plate
	Gate
	Entrance
)

// String is the first half of the sprite's name.
func (k Kind) String() string {
	return [...]string{"player", "car", "sheep", "chicken", "crate", "coin", "bullet", "explosion", "sphere", "button", "plate", "gate", "door"}[k]
}

// ParentOf returns the node that a node is under, if there is one on this machine.
func ParentOf(e *donburi.Entry) (*donburi.Entry, bool) {
	if !e.HasComponent(components.Parent) {
		return nil, false
	}
	if p := components.Parent.Get(e).Entity; p != donburi.Null && e.World.Valid(p) {
		return e.World.Entry(p), true
	}
	return nil, false
}

// Where returns the place of a node on the map; for a driver, the place of the car.
func Where(e *donburi.Entry) PlaceData {
	if p, ok := ParentOf(e); ok && p.HasComponent(Place) {
		return Place.GetValue(p)
	}
	return Place.GetValue(e)
}

// newThing makes an entity that has a place and is drawn.
func newThing(w donburi.World, k Kind, more ...donburi.IComponentType) *donburi.Entry {
	e := w.Entry(w.Create(append([]donburi.IComponentType{Place, Look}, more...)...))
	Look.Get(e).Kind = k
	return e
}
