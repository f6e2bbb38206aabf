package tendontest_test

// What a Lab promises of its machines and of its time.

import (
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

type coinData struct {
	N int `rpl:""`
}

// coins makes a lab of a game without rules.
func coins(t *testing.T, c netsim.Conditions, setup func(m *tendontest.Machine), configure func(string, *tendon.Config)) (*tendontest.Lab, *donburi.ComponentType[coinData]) {
	p := tendon.NewProtocol("coins")
	coin := tendon.Replicate(p, "coin", donburi.NewComponentType[coinData]())
	return tendontest.NewLab(t, tendontest.Game{Protocol: p, Setup: setup, Configure: configure, Step: func(*tendontest.Machine) {}}, c), coin
}

// When Join returns, the server has let the client in: OnJoin has run, and what it is given
// right then is its own.
func TestJoinIsWhole(t *testing.T) {
	var in []rpl.Peer
	lab, coin := coins(t, netsim.Conditions{Delay: 100 * time.Millisecond}, func(m *tendontest.Machine) {
		m.OnJoin(func(p rpl.Peer) { in = append(in, p) })
	}, nil)
	server := lab.Host()
	for range 2 {
		client := lab.Join()
		if n := len(in); n == 0 || in[n-1] != client.Me() {
			t.Errorf("OnJoin has run for %v when %s has joined, not for peer %d", in, client.Name, client.Me())
		}
		e := server.Create(coin)
		tendon.Give(e, client.Me())
		lab.Steps(60)
		if tendon.Owner(e) != client.Me() {
			t.Errorf("peer %d owns what %s was given", tendon.Owner(e), client.Name)
		}
	}
}

// A lab's time is that of its machines, wherever the steps a second are set: the same line is as
// many steps long as it takes.
func TestTimeOfConfigure(t *testing.T) {
	for _, steps := range []int{30, 120} {
		lab, coin := coins(t, netsim.Conditions{Delay: 200 * time.Millisecond}, nil, func(_ string, c *tendon.Config) {
			c.Steps, c.Sends = steps, 30
		})
		server := lab.Host()
		client := lab.Join()
		lab.Steps(steps)
		e := server.Create(coin)
		late := 0
		for ; late < 2*steps; late++ {
			if lab.Steps(1); tendon.ID(e) != 0 {
				if _, here := client.Find(tendon.ID(e)); here {
					break
				}
			}
		}
		if least, most := steps/5, steps/5+steps/10; late < least || late > most {
			t.Errorf("at %d steps a second a line of 200 ms takes %d steps, not %d to %d", steps, late, least, most)
		}
	}
}
