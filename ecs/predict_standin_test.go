package ecs_test

// Predicted nodes whose state travels by a stand-in.

import (
	"math"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type (
	cartData struct{ at float64 }
	cartWire struct {
		At float64 `rpl:"step=1/64,interp"`
	}
)

// What a correction moves is drawn away, and what lies between two steps is drawn there, where a
// component travels by a stand-in, too.
func TestStandInsAreSmoothed(t *testing.T) {
	net := mem.NewNetwork(1, netsim.Conditions{Delay: 60 * time.Millisecond})
	p := tendon.NewProtocol("carts")
	cart := tendon.ReplicateAs(p, "cart", donburi.NewComponentType[cartData](),
		func(_ *donburi.Entry, c *cartData) cartWire { return cartWire{c.at} },
		func(_ *donburi.Entry, c *cartData, w cartWire) { c.at = w.At })
	roll := tendon.NewCommand[float64](p, "roll", cart)
	session := func(dedicated bool) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
		if err != nil {
			t.Fatal(err)
		}
		roll.Apply(r, func(c tendon.Call, v float64) { cart.Get(c.Entry).at += v })
		return r
	}
	server, client := session(true), session(false)
	roll.Sample(client, func(*donburi.Entry) float64 { return 2 })
	corrections, most := 0, 0.0
	client.OnCorrection(func(c tendon.Correction) { corrections++; most = c.Size })
	server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(cart), q) })
	l := net.Listener()
	server.Host(l)
	client.Join(net.Dialer(l))
	last, between := math.NaN(), 0
	for i := range 600 {
		net.Advance(time.Second / 120) // two frames a step
		if i == 300 {                  // the clocks have settled
			corrections = 0
		}
		if i%2 == 0 {
			server.Receive()
			if e, ok := cart.First(server.World()); ok && i == 400 {
				cart.Get(e).at -= 20
			}
			roll.Run(server)
			server.Send()
			client.Receive()
			roll.Run(client)
			client.Send()
		}
		client.Frame()
		e, ok := cart.First(client.World())
		if !ok || i < 300 {
			continue
		}
		at := tendon.View(e, cart).at
		if d := at - last; d < -2 || d > 3 {
			t.Errorf("frame %d: it is drawn %v further", i, d)
		}
		if at != cart.Get(e).at && i < 400 {
			between++
		}
		last = at
	}
	if corrections != 1 || most < 19 {
		t.Errorf("%d corrections, of %v", corrections, most)
	}
	if between < 40 {
		t.Errorf("between two steps it is drawn at one of them: %d frames between", between)
	}
}
