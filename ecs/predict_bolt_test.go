package ecs_test

// What a predicted spawn does by a command of its own.

import (
	"fmt"
	"testing"
	"time"

	"github.com/quasilyte/gmath"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A shell bursts in its third tick: it flashes, once on each machine however often corrections
// run that tick again, and two splinters fly on, which the server's take over in turn. So it is
// whether the server has told of the shell by then or not, and of each of several shells.
func TestPredictedSpawnSpawns(t *testing.T) {
	for _, delay := range []time.Duration{0, 20 * time.Millisecond, 80 * time.Millisecond} {
		for _, at := range []uint16{2, 20} {
			x := newRange(t, netsim.Conditions{Delay: delay}, 1)
			const shots = 12
			flashes := map[string]int{}
			most := map[*tendon.Replication]int{}
			x.flies = func(c tendon.Call, s *shellData) {
				if s.Age != at || s.Nr > shots {
					return
				}
				if r := tendon.Of(c.Entry.World); r != x.other {
					nr := s.Nr
					c.Once(0, func(time.Duration) { flashes[fmt.Sprint(r == x.client, " ", nr)]++ })
				}
				for k := range 2 {
					x.shells.Predict(c, k, shellArgs{s.Pos.Add(gmath.Vec{Y: float64(k)}), 100 + s.Nr})
				}
			}
			for nr := range shots {
				x.input.Fire, x.input.Nr = true, uint16(nr+1)
				for i := range 25 {
					x.steps(1)
					if i == 3 { // a correction runs what is on its way again
						for e := range x.gun.Iter(x.server.World()) {
							x.gun.Get(e).Pos.Y++
						}
					}
					for _, r := range []*tendon.Replication{x.server, x.client} {
						es, _ := x.all(r)
						splinters := 0
						for _, e := range es {
							if x.shell.Get(e).Nr > 100 {
								splinters++
							}
						}
						most[r] = max(most[r], splinters)
					}
				}
			}
			x.steps(120)
			for nr := 1; nr <= shots; nr++ {
				for _, client := range []bool{true, false} {
					if n := flashes[fmt.Sprint(client, " ", nr)]; n != 1 {
						t.Errorf("delay %v, age %d: shell %d flashes %d times (client %v)", delay, at, nr, n, client)
					}
				}
			}
			if most[x.client] > most[x.server] {
				t.Errorf("delay %v, age %d: %d splinters at once, %d on the server", delay, at, most[x.client], most[x.server])
			}
			if es, _ := x.all(x.client); len(es) > 0 {
				t.Errorf("delay %v, age %d: %d shells are left", delay, at, len(es))
			}
		}
	}
}
