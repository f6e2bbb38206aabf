package main

import (
	"fmt"
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tendonengine/tendon/transport/kcp"
	"github.com/tendonengine/tendon/transport/netsim"
)

// network is the simulated network between the panes, or what is added to the network to a
// server elsewhere. Keys change its conditions during play.
type network struct {
	simulation *kcp.Simulation
	rtt        time.Duration
	loss       float64
}

func newNetwork(rtt time.Duration, loss float64) *network {
	n := &network{rtt: rtt, loss: loss}
	n.simulation = kcp.NewSimulation(1, n.conditions())
	return n
}

// conditions returns the conditions of one direction; both directions have the same.
func (n *network) conditions() netsim.Conditions {
	return netsim.Conditions{Delay: n.rtt / 2, Loss: n.loss}
}

// keys changes the round trip time with [ and ], and the loss with - and =.
func (n *network) keys() {
	was := *n
	if inpututil.IsKeyJustPressed(ebiten.KeyBracketLeft) {
		n.rtt = max(n.rtt-20*time.Millisecond, 0)
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyBracketRight) {
		n.rtt = min(n.rtt+20*time.Millisecond, time.Second)
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyMinus) {
		n.loss = max(n.loss-0.01, 0)
	}
	if inpututil.IsKeyJustPressed(ebiten.KeyEqual) {
		n.loss = min(n.loss+0.01, 0.5)
	}
	if n.rtt != was.rtt || n.loss != was.loss {
		n.simulation.SetConditions(n.conditions())
	}
}

// note returns the line that stands under the client's pane.
func (p *program) note() string {
	predicted := "on"
	if p.unpredicted {
		predicted = "off"
	}
	return fmt.Sprintf("[ ] round trip %d ms   - = loss %.0f %%   F4 prediction %s", p.network.rtt.Milliseconds(), 100*p.network.loss, predicted)
}
