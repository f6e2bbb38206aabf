package ecs_test

// Transient nodes where packets are lost: after their arrival each machine moves its own.

import (
	"testing"

	"github.com/quasilyte/gmath"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Copies of an arrival, of which there are more where packets are lost, tell where the
// authority's node is by then. What has arrived already is the client's to move.
func TestTransientIsSentOnce(t *testing.T) {
	l := newLab(t, networks["lossy"])
	server := l.server(tendon.Config{})
	client := l.client(tendon.Config{})
	l.joined()
	l.steps(60)
	server.step = func() {
		for e := range Body.Iter(server.World()) {
			Body.Get(e).Pos.X++
		}
	}
	was := map[rpl.Node]gmath.Vec{}
	for range 100 {
		Flash.Spawn(server.World(), CrateArgs{})
		for range 6 {
			l.steps(1)
			for e := range Body.Iter(client.World()) {
				id, at := tendon.ID(e), Body.Get(e).Pos
				if first, ok := was[id]; !ok {
					was[id] = at
				} else if at != first {
					t.Fatalf("%v was at %v when it came, and the client, which does not move it, has it at %v", id, first, at)
				}
			}
		}
	}
}
