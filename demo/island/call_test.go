package island

// Calls that the game's own program would not make.

import (
	"testing"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// An input of a time to come, which no client sends by itself, does not make those after it
// look old.
func TestInputOfATimeToCome(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 1, netsim.Conditions{})
	server, player := l.machines[0], l.machines[1]
	l.until("the player plays", func() bool { return mine(player, Walker) != nil && mine(player, Controller) != nil })
	if err := Steer.Send(mine(player, Controller), Input{Tick: player.rep.Tick() + 1<<20}); err != nil {
		t.Fatal(err)
	}
	l.steps(10)
	before := *Place.Get(l.walker(server, player.rep.Me()))
	player.held.Keys = Right
	l.until("the walker moves", func() bool { return Place.Get(l.walker(server, player.rep.Me())).Pos.X > before.Pos.X })
}
