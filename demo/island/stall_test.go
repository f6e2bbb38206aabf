package island

import (
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
)

// A program that was held up makes up for its lost steps, as a window does and a server. The
// clients play on.
func TestInputAfterAStall(t *testing.T) {
	l := newLab(t, tendon.Listen, 1, noNetwork)
	server, client := l.machines[0], l.machines[1]
	l.until("the client plays", func() bool { _, ok := tendon.Mine(client.rep, Controller); return ok })
	l.steps(2 * Steps)
	me := client.rep.Me()
	l.put(me, PlaceData{Pos: Middle})
	l.network.Advance(900 * time.Millisecond) // nobody steps
	client.held.Keys = Right
	for _, m := range l.machines {
		for range Steps * 9 / 10 {
			m.rep.Receive()
			m.Step(m.rep)
			m.rep.Send()
		}
	}
	l.steps(Steps)
	if at := Place.Get(l.walker(server, me)).Pos; at.X < Middle.X+walkSpeed/2 {
		t.Errorf("a second after the stall the walker is at %v, ticks %d and %d", at, server.rep.Tick(), client.rep.Tick())
	}
}

// A player whose program stands still, as while a window is dragged or a debugger stops it,
// holds its keys no longer: the walker would run on, and fire, until the connection is
// given up.
func TestKeysOfASilentPlayerAreLetGo(t *testing.T) {
	l := newLab(t, tendon.Listen, 1, noNetwork)
	server, client := l.machines[0], l.machines[1]
	l.until("the client plays", func() bool { _, ok := tendon.Mine(client.rep, Controller); return ok })
	me := client.rep.Me()
	l.put(me, PlaceData{Pos: Middle})
	client.held.Keys = Right
	l.steps(Steps / 2)
	from := Place.Get(l.walker(server, me)).Pos
	if from.X < Middle.X+walkSpeed/4 {
		t.Fatalf("half a second of Right has brought the walker to %v", from)
	}
	l.machines = l.machines[:1] // the client takes no steps
	l.steps(Steps / 2)
	still := Place.Get(l.walker(server, me)).Pos
	l.steps(2 * Steps)
	if at := Place.Get(l.walker(server, me)).Pos; at != still {
		t.Errorf("the walker of a silent player goes on, from %v to %v", still, at)
	}
	l.machines = append(l.machines, client)
	l.steps(Steps)
	if at := Place.Get(l.walker(server, me)).Pos; at.X < still.X+walkSpeed/4 {
		t.Errorf("the player is back, still holds Right, and the walker stays at %v", at)
	}
}
