package island

// Calls that a client made on another of its nodes than the game's own program would.

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

// What is called on a controller does nothing on a walker, which its player owns as well.
// A client that was tampered with calls so, and so does a packet with a flipped bit.
func TestCallsOnAnotherNode(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 1, netsim.Conditions{})
	server, player := l.machines[0], l.machines[1]
	l.until("the player plays", func() bool { return mine(player, Walker) != nil && mine(player, Controller) != nil })
	walker := mine(player, Walker)
	called := *server.called
	player.Sample = nil // no input of its own
	for _, err := range []error{
		Steer.Send(walker, Input{Keys: Up, Tick: player.rep.Tick()}),
		UseSlot.Send(walker, 0),
		Push.Send(walker, UseDoor{player.doors[0]}),
		Turn.Send(walker, TurnSphere{player.spheres[0]}),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	l.until("the calls are there", func() bool { return *server.called >= called+4 })
	for _, d := range server.doors {
		if Door.Get(server.rep.World().Entry(d)).Open {
			t.Error("a door has opened")
		}
	}
}
