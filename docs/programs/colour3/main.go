// Colour3 is nine spheres that every player paints with the keys 1 to 9. The
// spheres belong to the level: all machines make them by themselves. What a
// player drives is a controller, a node that nobody else is told of, and a key
// reaches the server by it: each press as one reliable call (press.go), or, with -held, the
// mask of held keys as a command in every step (held.go).
//
//	go run ./docs/programs/colour3 -host 127.0.0.1:7777
//	go run ./docs/programs/colour3 -join 127.0.0.1:7777
//
// Type digits and press return.
package main

import (
	"flag"
	"fmt"
	"strings"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/docs/programs/internal/terminal"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Protocol is what both ends agree on.
var Protocol = tendon.NewProtocol("colour 3")

// Colours are those that a sphere goes through, one a press.
var Colours = [...]string{"red", "yellow", "green", "blue"}

type (
	// SphereData is one of the nine.
	SphereData struct {
		Colour uint8 `rpl:"max=3,notify"`
	}
	// CircleData is how a sphere is drawn, on each machine.
	CircleData struct{ Fill string }
	// ControllerData is what a machine keeps of a player's keys.
	ControllerData struct {
		held uint16 // on the authority, by commands
		sent uint16 // on the player's machine, by presses
	}
)

// Sphere is replicated, the others are local. Player is a player's controller.
var (
	Sphere     = tendon.Replicate(Protocol, "sphere", donburi.NewComponentType[SphereData]())
	Circle     = donburi.NewComponentType[CircleData](CircleData{Fill: Colours[0]})
	Controller = donburi.NewComponentType[ControllerData]()
	Player     = tendon.NewPrefab(Protocol, "player", newPlayer, components.NodeData{Relevance: rpl.OwnerOnly})
)

func newPlayer(w donburi.World, _ tendon.None) *donburi.Entry {
	return w.Entry(w.Create(Controller))
}

// A Game is one machine's side of it.
type Game struct {
	rep     *tendon.Replication
	spheres [9]donburi.Entity
	keys    func() uint16 // held in this step, bit 0 for the key 1; bits above the ninth mean nothing
	presses bool          // input goes by presses, not by the mask of held keys
}

// NewGame builds the level and binds the rules to a session, the same in all
// modes.
func NewGame(rep *tendon.Replication, keys func() uint16, held bool) *Game {
	g := &Game{rep: rep, keys: keys, presses: !held}
	for i := range g.spheres {
		e := rep.World().Entry(rep.World().Create(Sphere, Circle))
		tendon.Named(e, fmt.Sprint("sphere/", i+1))
		g.spheres[i] = e.Entity()
	}
	rep.OnJoin(func(p rpl.Peer) { tendon.Give(Player.Spawn(rep.World(), tendon.None{}), p) })
	tendon.OnChange(rep, Sphere, func(e *donburi.Entry, _ SphereData) {
		Circle.Get(e).Fill = Colours[Sphere.Get(e).Colour]
	})
	Press.Handle(rep, g.pressed)
	Hold.Apply(rep, g.holds)
	if held {
		Hold.Sample(rep, g.held)
	}
	return g
}

// Step is the fixed step, on every machine.
func (g *Game) Step() {
	Hold.Run(g.rep)
	if me, ok := tendon.Mine(g.rep, Controller); ok && g.presses {
		g.sendPresses(me, g.keys())
	}
}

// paint turns a sphere to its next colour.
func paint(e *donburi.Entry) {
	s := Sphere.Get(e)
	s.Colour = (s.Colour + 1) % uint8(len(Colours))
}

// Picture is what the player sees.
func (g *Game) Picture() string {
	var fills []string
	for _, e := range g.spheres {
		fills = append(fills, Circle.Get(g.rep.World().Entry(e)).Fill)
	}
	return strings.Join(fills, " ")
}

func main() {
	held := flag.Bool("held", false, "send the mask of held keys in every step, not each press")
	var g *Game
	terminal.Run(Protocol,
		func(rep *tendon.Replication) { g = NewGame(rep, terminal.Keys(), *held) },
		func(*tendon.Replication) { g.Step() },
		func(*tendon.Replication) string { return g.Picture() })
}
