// Car is a car that its player drives: whoever drives sends input, the
// authority simulates, the others move the car to where they are told it is.
// Each of the three asks the car for its role, none asks for the mode, and so
// the same step plays alone, on a listen server, on a dedicated one and on a
// client:
//
//	                  the player's own car     another's car
//	single player     send input, simulate
//	listen server     send input, simulate     simulate
//	dedicated server                           simulate
//	client            send input, move         move
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
	// CarData is where a car is. What its driver holds only the authority keeps.
	CarData struct {
		Pos   gmath.Vec `rpl:"step=1/32,pos"` // metres
		Rot   gmath.Rad `rpl:"angle"`
		Speed float64   `rpl:"step=1/16,min=-5,max=30"` // metres per second
		input InputData
		told  rpl.Tick // the step that the input is of
	}
	// InputData is how a car is driven.
	InputData struct {
		Gas   float64 `rpl:"min=-1,max=1,step=1/64"`
		Wheel float64 `rpl:"min=-1,max=1,step=1/64"`
	}
	// ModelData is where a car is drawn, on each machine.
	ModelData struct{ Pos gmath.Vec }
)

// Car is replicated, Model is local. Drive is the input, of which the newest
// counts.
var (
	Car     = tendon.Replicate(Protocol, "car", donburi.NewComponentType[CarData]())
	Model   = donburi.NewComponentType[ModelData]()
	Vehicle = tendon.NewPrefab(Protocol, "vehicle", func(w donburi.World, _ tendon.None) *donburi.Entry {
		return w.Entry(w.Create(Car, Model))
	})
	Drive = tendon.NewRPC[InputData](Protocol, "drive", rpl.ToServer, rpl.Unreliable).On(Car)
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
	Drive.Handle(rep, func(c tendon.Call, in InputData) {
		if car := Car.Get(c.Entry); c.Tick > car.told { // what comes late is left out
			car.input, car.told = in, c.Tick
		}
	})
	return &Game{rep: rep, read: read}
}

// Step is the fixed step, on every machine.
func (g *Game) Step() {
	for e := range Car.Iter(g.rep.World()) {
		if tendon.IsOwner(e) {
			g.sendInput(e)
		}
		if tendon.IsAuthority(e) {
			g.simulate(e)
		} else {
			g.move(e)
		}
	}
}

// sendInput tells the authority what the driver does; where the driver is the
// authority, the same call stays at home.
func (g *Game) sendInput(e *donburi.Entry) {
	g.note("send input", e)
	if err := Drive.Send(e, g.read()); err != nil {
		*g.rep.Counter("input not sent")++
	}
}

// simulate drives the car as it was told to.
func (g *Game) simulate(e *donburi.Entry) {
	g.note("simulate", e)
	c := Car.Get(e)
	c.Speed = max(-5, min(30, c.Speed+dt*(12*c.input.Gas-1.5*c.Speed)))
	c.Rot += gmath.Rad(dt * 0.1 * c.Speed * c.input.Wheel)
	c.Pos = c.Pos.MoveInDirection(dt*c.Speed, c.Rot)
	Model.Get(e).Pos = c.Pos
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
