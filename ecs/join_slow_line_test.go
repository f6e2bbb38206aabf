package ecs_test

import (
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Over a line that carries no more than the least Config.Budget a game is joined: the questions of the
// handshake do not fill it until the listener waits no more.
func TestJoinOverALineOfTheLeastBudget(t *testing.T) {
	for _, rate := range []int{1200, 1500, 2000} {
		for _, queue := range []int{0, 4000, 8000} {
			for seed := uint64(1); seed <= 4; seed++ {
				game := tendontest.Game{
					Protocol: tendon.NewProtocol("slow"), Seed: seed, Step: func(*tendontest.Machine) {},
					Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
				}
				path := netsim.Conditions{Delay: time.Duration(seed*seed*10) * time.Millisecond, Rate: rate, Queue: queue}
				lab := tendontest.NewLab(t, game, path)
				lab.Host()
				if _, err := lab.TryJoin(); err != nil {
					t.Errorf("seed %d, %d bytes/s, a queue of %d: %v", seed, rate, queue, err)
				}
			}
		}
	}
}
