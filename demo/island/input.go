package island

import (
	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
)

// Keys are the keys that a player holds down.
type Keys uint16

const (
	Up Keys = 1 << iota
	Down
	Left
	Right
	Fire
	Aims // Input.Aim counts: the player has a mouse
	Use  // get in or out of a car, press the button, open or shut a door
	// Paint is the first of nine keys: the key of sphere i is Paint << i. Pressing one
	// makes a call of its own, which names the sphere.
	Paint
)

// arrows drive; held is what a command carries of the keys.
const (
	arrows = Up | Down | Left | Right
	held   = arrows | Fire | Aims
)

// Input is what a player holds down in a step, as Game.Sample returns it.
type Input struct {
	Keys Keys
	Aim  gmath.Rad
}

// Steering is the command of a walker: what its player gives in one tick.
type Steering struct {
	Keys Keys      `rpl:"max=63"`
	Use  bool      `rpl:"edge"` // the key went down: neither lost nor doubled
	Aim  gmath.Rad `rpl:"angle,bits=9"`
}

// Pedals is the command of a car.
type Pedals struct {
	Keys Keys `rpl:"max=15"`
}

// The commands. A walker and a car are moved by their owner's, a bullet by a rule without
// input. They run on the authority, and ahead of it on the machine of who owns the node.
var (
	Walk  = tendon.NewCommand[Steering](Protocol, "walk", Walker)
	Drive = tendon.NewCommand[Pedals](Protocol, "drive", Car)
	Fly   = tendon.NewCommand[tendon.None](Protocol, "fly", Flight)
)

// command binds the commands to a session.
func (g *Game) command() {
	Walk.Apply(g.rep, g.walk)
	Drive.Apply(g.rep, g.drive)
	Fly.Apply(g.rep, g.fly)
	Walk.Sample(g.rep, func(*donburi.Entry) Steering {
		return Steering{Keys: g.input.Keys & held, Use: g.use, Aim: g.input.Aim}
	})
	Drive.Sample(g.rep, func(*donburi.Entry) Pedals { return Pedals{g.input.Keys & arrows} })
}

// sample asks this machine's player, once a step, for what the commands are made of. A key
// press that names a thing is sent by a reliable call instead.
func (g *Game) sample(r *tendon.Replication) {
	g.input, g.use = Input{}, false
	if g.Sample == nil {
		return
	}
	e, ok := tendon.Mine(r, Controller)
	if !ok {
		return
	}
	g.input = g.Sample(r)
	pressed := g.input.Keys &^ g.before
	g.before = g.input.Keys
	g.paint(e, pressed)
	g.pushing = g.before&Use != 0 && (g.pushing || pressed&Use != 0 && g.push(r, e))
	g.use = pressed&Use != 0 && !g.pushing
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

// predict says what this machine predicts: what its player owns, or nothing.
func (g *Game) predict(r *tendon.Replication) {
	if r.IsAuthority() || !g.Unpredicted && !g.waits {
		return
	}
	g.waits = g.Unpredicted // what comes later waits too
	for _, c := range []each{Walker, Car, Flight} {
		c.Each(r.World(), func(e *donburi.Entry) {
			if tendon.IsOwner(e) {
				tendon.Predict(e, !g.Unpredicted)
			}
		})
	}
}

// Direction returns where the held arrows point, a vector of length 0 or 1.
func (k Keys) Direction() gmath.Vec {
	var d gmath.Vec
	if k&Left != 0 {
		d.X--
	}
	if k&Right != 0 {
		d.X++
	}
	if k&Up != 0 {
		d.Y--
	}
	if k&Down != 0 {
		d.Y++
	}
	if d.IsZero() {
		return d
	}
	return d.Normalized()
}
