package island

import (
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
)

// A server that was held up is fewer ticks on than its clients expect. The clients play on.
func TestInputAfterAStall(t *testing.T) {
	l := newLab(t, tendon.Listen, 1, noNetwork)
	server, client := l.machines[0], l.machines[1]
	l.until("the client plays", func() bool { _, ok := tendon.Mine(client.rep, Controller); return ok })
	l.steps(2 * Steps)
	me := client.rep.Me()
	l.put(me, PlaceData{Pos: Middle})
	l.network.Advance(900 * time.Millisecond) // nobody steps
	client.held.Keys = Right
	l.steps(Steps)
	if at := Place.Get(l.walker(server, me)).Pos; at.X < Middle.X+walkSpeed/2 {
		t.Errorf("a second after the stall the walker is at %v, ticks %d and %d", at, server.rep.Tick(), client.rep.Tick())
	}
}
