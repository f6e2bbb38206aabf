package rate

// What little is sent is not held back, whatever passes for a queue.

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport/netsim"
)

// A way of 100 ms more than before, on which all is lost for a while now and then, as where a phone goes from one network to
// the next: it is taken for a queue time and again. What the game sends is no more than hardly any line carries less of.
func TestLittleIsNotHeldBack(t *testing.T) {
	const sends = 4500
	least := float64(budget)
	for seed := range uint64(20) {
		s := newSender(1+seed, netsim.Conditions{}, sends)
		way := netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: time.Millisecond}
		for tick := range 60 * 20 {
			switch since := tick % 120; {
			case tick < 60:
			case tick == 60:
				s.down.SetConditions(way)
				s.up.SetConditions(way)
			case since == 0, since == 9:
				c := way
				c.Loss = float64(1 - since/9)
				s.down.SetConditions(c)
			}
			s.tick()
			if l := s.line.Limit(); l > 0 {
				least = min(least, l)
			}
		}
	}
	t.Logf("the lowest limit is %.0f bytes a second", least)
	if least < sends {
		t.Errorf("less than the %d that are sent", sends)
	}
}
