// Car is a car that its player drives: whoever drives gives input, the authority and the
// driver's machine simulate, the others move the car to where they are told it is. Each of
// the three follows from the car's role, none asks for the mode, and so the same step plays
// alone, on a listen server, on a dedicated one and on a client:
//
//	                  the player's own car     another's car
//	single player     give input, simulate
//	listen server     give input, simulate     simulate
//	dedicated server                           simulate
//	client            give input, simulate     move
//
// Here a car drives itself round and round:
//
//	go run ./docs/programs/car -host 127.0.0.1:7777
//	go run ./docs/programs/car -join 127.0.0.1:7777
package main

import (
	"fmt"
	"math"
	"strings"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/docs/programs/internal/terminal"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Protocol is what both ends agree on.
var Protocol = tendon.NewProtocol("car")

type (
	// CarData is where a car is.
	CarData struct {
		Pos   gmath.Vec `rpl:"step=1/32,pos"` // metres
		Rot   gmath.Rad `rpl:"angle"`
		Speed float64   `rpl:"step=1/16,min=-5,max=30"` // metres per second
	}
	// InputData is how a car is driven in one tick.
	InputData struct {
		Gas   float64 `rpl:"min=-1,max=1,step=1/64"`
		Wheel float64 `rpl:"min=-1,max=1,step=1/64"`
	}
	// ModelData is where a car is drawn, on each machine.
	ModelData struct{ Pos gmath.Vec }
)

// Car is replicated, Model is local. Drive is the input: a command, which runs once, at its
// tick, on the authority and before that on the driver's machine.
var (
	Car     = tendon.Replicate(Protocol, "car", donburi.NewComponentType[CarData]())
	Model   = donburi.NewComponentType[ModelData]()
	Vehicle = tendon.NewPrefab(Protocol, "vehicle", func(w donburi.World, _ tendon.None) *donburi.Entry {
		return w.Entry(w.Create(Car, Model))
	})
	Drive = tendon.NewCommand[InputData](Protocol, "drive", Car)
)

const dt = 1.0 / 60

// A Game is one machine's side of it.
type Game struct {
	rep    *tendon.Replication
	read   func() InputData                    // the player's wheel
	called func(what string, e *donburi.Entry) // told of every call; may be nil
}

// NewGame binds the rules to a session: each player gets a car.
func NewGame(rep *tendon.Replication, read func() InputData) *Game {
	rep.OnJoin(func(p rpl.Peer) { tendon.Give(Vehicle.Spawn(rep.World(), tendon.None{}), p) })
	g := &Game{rep: rep, read: read}
	Drive.Sample(rep, g.giveInput)
	Drive.Apply(rep, g.simulate)
	return g
}

// Step is the fixed step, on every machine.
func (g *Game) Step() {
	Drive.Run(g.rep) // giveInput for the own car, simulate where this machine does
	for e := range Car.Iter(g.rep.World()) {
		if !tendon.IsAuthority(e) && !tendon.IsOwner(e) {
			g.move(e)
		}
	}
}

// giveInput is what the driver does in this tick.
func (g *Game) giveInput(e *donburi.Entry) InputData {
	g.note("give input", e)
	return g.read()
}

// simulate drives the car. It decides by what travels and by the input alone, so that
// a correction that runs the tick again comes to the same.
func (g *Game) simulate(call tendon.Call, in InputData) {
	if !call.Replay {
		g.note("simulate", call.Entry)
	}
	c := Car.Get(call.Entry)
	c.Speed = max(-5, min(30, c.Speed+dt*(12*in.Gas-1.5*c.Speed)))
	c.Rot += gmath.Rad(dt * 0.1 * c.Speed * in.Wheel)
	c.Pos = c.Pos.MoveInDirection(dt*c.Speed, c.Rot)
	Model.Get(call.Entry).Pos = c.Pos
}

// move brings the model to where the authority has told that the car is.
func (g *Game) move(e *donburi.Entry) {
	g.note("move", e)
	m := Model.Get(e)
	m.Pos = m.Pos.Add(Car.Get(e).Pos.Sub(m.Pos).Mulf(0.25))
}

func (g *Game) note(what string, e *donburi.Entry) {
	if g.called != nil {
		g.called(what, e)
	}
}

// picture is where the cars are, in tens of metres.
func (g *Game) picture() string {
	var cars []string
	for e := range Model.Iter(g.rep.World()) {
		at := Model.Get(e).Pos
		cars = append(cars, fmt.Sprintf("car of %d at %v,%v", tendon.Owner(e), 10*math.Round(at.X/10), 10*math.Round(at.Y/10)))
	}
	return strings.Join(cars, "; ")
}

func main() {
	var g *Game
	terminal.Run(Protocol,
		func(rep *tendon.Replication) {
			g = NewGame(rep, func() InputData { return InputData{Gas: 0.8, Wheel: 0.5} })
		},
		func(*tendon.Replication) { g.Step() },
		func(*tendon.Replication) string { return g.picture() })
}
