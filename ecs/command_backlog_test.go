package ecs_test

import (
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

// Presses made while the server stands still count once, when it goes on: also those that it did not
// keep because they came too long before their ticks. If more are made than wait for a tick, they are counted.
func TestPressesWhileTheServerStalls(t *testing.T) {
	seed := uint64(os.Getpid())
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	for _, c := range []netsim.Conditions{{}, {Delay: 40 * time.Millisecond}, {Delay: 60 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.1}} {
		for _, stall := range []int{30, 70, 100, 180} {
			for _, every := range []int{4, 10, 25} {
				x := newRace(t, c)
				presses := 0
				press := func() {
					if rng.IntN(every) == 0 && !x.input.Jump {
						x.input.Jump, presses = true, presses+1
					}
				}
				for round := range 3 {
					for range 60 + round {
						press()
						x.steps(1)
					}
					for range stall {
						press()
						x.net.Advance(time.Second / 60)
						x.stepOf(x.client)
					}
				}
				x.steps(300)
				lost := int(*x.client.Counter("press lost") + *x.server.Counter("press lost"))
				if got := int(x.onServer().Jumps); got+lost != presses || lost > 0 && stall/every < 10 {
					t.Errorf("%+v, stalls of %d steps, a press in %d: %d of %d presses counted, %d said to be lost; %+v", c, stall, every, got, presses, lost, x.server.CommandStats())
				}
			}
		}
	}
}
