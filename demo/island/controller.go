package island

import (
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// ControllerData is a player's hand in the world: a node that no other player has. It
// receives the player's input, and drives what is shared.
type ControllerData struct {
	// Respawn is the seconds until the walker stands up again.
	Respawn uint8 `rpl:"max=10"`
	// Pack is what the player carries, in the order in which it was found.
	Pack []Item `rpl:"max=8"`

	// On the authority:
	newest  rpl.Tick // tick of the newest input
	heard   rpl.Tick // when it came, in ticks of the authority
	keys    Keys
	before  Keys // keys in the step before: a key that is new was pressed now
	aim     gmath.Rad
	walker  donburi.Entity
	waiting int // steps until respawn
}

// Controller, its prefab and the input that it receives.
var (
	Controller       = tendon.Replicate(Protocol, "controller", donburi.NewComponentType[ControllerData]())
	ControllerPrefab = tendon.NewPrefab(Protocol, "controller", newController, components.NodeData{Relevance: rpl.OwnerOnly})
	Steer            = tendon.NewRPC[Input](Protocol, "steer", rpl.ToServer, rpl.Unreliable).On(Controller)
)

func newController(w donburi.World, _ tendon.None) *donburi.Entry {
	return w.Entry(w.Create(Controller))
}

// CountCalls is the name of the counter of players' calls that ran here.
const CountCalls = "island calls"

// steer receives a player's input: the newest tick wins.
func (g *Game) steer(c tendon.Call, in Input) {
	*g.called++
	ctl := Controller.Get(c.Entry)
	at := min(in.Tick, g.rep.Tick()) // never trust a tick that came from elsewhere: all that follow would look old
	if at <= ctl.newest && ctl.newest != 0 {
		return
	}
	ctl.newest, ctl.heard, ctl.keys, ctl.aim = at, g.rep.Tick(), in.Keys, in.Aim
}

// pressed returns the keys that went down in this step.
func (c *ControllerData) pressed() Keys { return c.keys &^ c.before }

// control applies every player's input, each to the player's walker or to the car that it
// drives.
func (g *Game) control() {
	for _, ctlEntry := range g.collect(Controller) {
		ctl := Controller.Get(ctlEntry)
		if g.rep.Tick() > ctl.heard+letGo { // the player's program stands still, or is lost
			ctl.keys = 0
		}
		if w := ctlEntry.World; w.Valid(ctl.walker) {
			g.controlWalker(ctl, w.Entry(ctl.walker))
		}
		ctl.before = ctl.keys
	}
}

func (g *Game) controlWalker(ctl *ControllerData, walker *donburi.Entry) {
	if Walker.Get(walker).Health == 0 {
		g.wait(ctl, walker)
		return
	}
	if car, driving := ParentOf(walker); driving {
		if ctl.pressed()&Use != 0 {
			g.leave(walker, car)
			return
		}
		g.drive(car, ctl.keys)
		return
	}
	if ctl.pressed()&Use != 0 && (g.enter(walker) || g.press(walker)) {
		return
	}
	g.walk(walker, ctl)
	g.shoot(walker, ctl)
}

// send samples this machine's player and sends the held keys. A key press that names a
// thing is sent by a reliable call instead.
func (g *Game) send(r *tendon.Replication) {
	if g.Sample == nil {
		return
	}
	e, ok := tendon.Mine(r, Controller)
	if !ok {
		return
	}
	in := g.Sample(r)
	pressed := in.Keys &^ g.held
	g.held = in.Keys
	g.paint(e, pressed)
	g.pushing = g.held&Use != 0 && (g.pushing || pressed&Use != 0 && g.push(r, e))
	if g.pushing {
		in.Keys &^= Use
	}
	in.Keys &= Held
	in.Tick = r.Tick()
	// An input is worth nothing later: if it cannot be sent now, the next step's replaces
	// it.
	_ = Steer.Send(e, in)
}

// push asks to open or shut the door in reach, if there is one.
func (g *Game) push(r *tendon.Replication, controller *donburi.Entry) bool {
	walker, ok := tendon.Mine(r, Walker)
	if !ok {
		return false
	}
	door, ok := g.reachDoor(walker)
	return ok && Push.Send(controller, UseDoor{door.Entity()}) == nil
}
