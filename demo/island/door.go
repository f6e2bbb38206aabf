package island

import (
	"math"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// DoorData is a door in the pen's fence. A player who stands before it can open and shut
// it.
type DoorData struct {
	Open bool `rpl:"notify"`
}

// UseDoor names the door to open or shut. It is called on the caller's controller,
// because nobody owns a door.
type UseDoor struct {
	Door donburi.Entity `rpl:"has=door"`
}

// Door is a load-time node. Push is reliable: if a press were lost, the player would walk
// into the fence.
var (
	Door = tendon.Replicate(Protocol, "door", donburi.NewComponentType[DoorData]())
	Push = tendon.NewRPC[UseDoor](Protocol, "use door", rpl.ToServer, rpl.Reliable).On(Controller)
)

func newDoor(w donburi.World, at gmath.Vec, name string) donburi.Entity {
	e := newThing(w, Entrance, Door)
	*Place.Get(e) = PlaceData{Pos: at, Rot: math.Pi / 2}
	tendon.Named(e, name)
	return e.Entity()
}

// reachDoor returns the door that a walker could open or shut from where it stands, if it
// sees one.
func (g *Game) reachDoor(walker *donburi.Entry) (*donburi.Entry, bool) {
	if _, driving := ParentOf(walker); driving || Walker.Get(walker).Health == 0 {
		return nil, false
	}
	at, w := Place.Get(walker).Pos, g.rep.World()
	for _, d := range g.doors {
		if !w.Valid(d) {
			continue
		}
		if e := w.Entry(d); !e.HasComponent(components.Hidden) && Place.Get(e).Pos.DistanceTo(at) < doorReach {
			return e, true
		}
	}
	return nil, false
}

// useDoor runs on the authority, which checks by its own state which door the caller's
// walker can reach.
func (g *Game) useDoor(c tendon.Call, a UseDoor) {
	*g.called++
	w := c.Entry.World
	walker := Controller.Get(c.Entry).walker
	if !w.Valid(walker) {
		return
	}
	if e, ok := g.reachDoor(w.Entry(walker)); ok && e.Entity() == a.Door {
		d := Door.Get(e)
		d.Open = !d.Open
	}
}

// openings returns which ways through the pen's fence are free now.
func (g *Game) openings() Openings {
	w := g.rep.World()
	open := func(d donburi.Entity) bool { return w.Valid(d) && Door.Get(w.Entry(d)).Open }
	return Openings{Gate: g.gateIsOpen(), West: open(g.doors[0]), East: open(g.doors[1])}
}
