package island

import (
	"fmt"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	tendon "github.com/tendonengine/tendon/ecs"
)

// Game is the island's rules bound to one session.
type Game struct {
	// Sample returns what the player of this machine holds down. It is called once a
	// step, and may be nil if there is no player.
	Sample func(*tendon.Replication) Input

	// Unpredicted has what this machine's player drives wait for the authority, as all else
	// does, to feel the difference. It may change at any time.
	Unpredicted bool

	// Fired, if given, is told of each shot of this machine's player, in the step of the key.
	Fired func(at gmath.Vec)

	// Crowd is how many animals a world begins with, and half as many crates; 0 is as many
	// as are fun. Set it before the first step. In a crowd what is far from all players rests.
	Crowd int

	// Tell, if given, is told on the authority what happens, a sentence each time.
	Tell func(what string)

	rep     *tendon.Replication
	called  *uint64 // the counter CountCalls
	rng     gmath.Rand
	scenery *Scenery
	wrecks  []wreck
	chart   chart
	animals *tendon.Space
	crates  *tendon.Space
	heard   []Line

	spheres             [sphereCount]donburi.Entity
	gate, plate, button donburi.Entity
	doors               [2]donburi.Entity // west, east

	input   Input // of this machine's player in this step
	use     bool  // and whether the use key was pressed in it
	before  Keys  // held in the step before
	pushing bool  // the held use key was used for a door, until it is let go
	waits   bool  // Unpredicted was set
	flying  []flying
}

// Setup binds the rules to a session, before it hosts, joins or steps. The same seed and
// the same inputs give the same game.
func Setup(rep *tendon.Replication, seed int64) *Game {
	g := &Game{rep: rep, called: rep.Counter(CountCalls), scenery: NewScenery(), animals: rep.Space(filter.Contains(Animal)), crates: rep.Space(filter.Contains(Crate))}
	g.rng.SetSeed(seed)
	g.build(rep.World())
	rep.OnStart(g.fill)
	rep.OnJoin(g.join)
	g.command()
	Turn.Handle(rep, g.turn)
	Push.Handle(rep, g.useDoor)
	UseSlot.Handle(rep, g.useSlot)
	Say.Handle(rep, g.say)
	Said.Handle(rep, g.said)
	g.allowMaps()
	return g
}

// Scenery returns what stands on this island and never changes.
func (g *Game) Scenery() *Scenery { return g.scenery }

// Step is one fixed step of 1/Steps second, between Receive and Send, on every
// machine.
func (g *Game) Step(r *tendon.Replication) {
	g.predict(r)
	g.sample(r)
	g.askForMap()
	Walk.Run(r)
	Drive.Run(r)
	Fly.Run(r)
	if r.IsAuthority() {
		g.replaceWrecks()
		g.graze()
		g.trigger()
		g.gather()
		g.follow()
		g.keepTime()
	}
	g.coast()
}

// tell reports what the player of a walker does.
func (g *Game) tell(walker donburi.Entity, format string, args ...any) {
	if g.Tell == nil {
		return
	}
	name := "Nobody"
	if s := g.scoreOf(walker); s != nil {
		name = s.Name
	}
	g.Tell(name + " " + fmt.Sprintf(format, args...) + ".")
}

// collect lists the entities with a component, so that they may be removed while the
// caller walks through them.
func (g *Game) collect(c each) []*donburi.Entry {
	var list []*donburi.Entry
	c.Each(g.rep.World(), func(e *donburi.Entry) { list = append(list, e) })
	return list
}

// each is any donburi component type or tag.
type each interface {
	Each(donburi.World, func(*donburi.Entry))
}
