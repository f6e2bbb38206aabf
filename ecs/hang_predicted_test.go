package ecs_test

// What gets into, or out of, what is predicted is drawn without a leap.

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Two players walk beside a cart that one of them drives, get on and off without leaving their places,
// one of them takes up and lays down a flag, and in the end the cart is removed from under them. On the server nothing is faster than 6 units a tick, and
// nothing leaps; each client draws own and others at the times that it knows them of, which are up to 20
// ticks apart.
func TestWhatIsPredictedIsBoardedWithoutALeap(t *testing.T) {
	for _, c := range []struct {
		netsim.Conditions
		most float64 // units from one frame to the next
	}{
		{netsim.Conditions{}, 12},
		{netsim.Conditions{Delay: 50 * time.Millisecond}, 20},
		{netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05}, 35},
	} {
		t.Run(fmt.Sprintf("%v, %v %% lost", c.Delay, c.Loss*100), func(t *testing.T) {
			for seed := range someRuns(uint64(5)) {
				boardedWay(t, seed+1, c.Conditions, c.most)
			}
		})
	}
}

type (
	wagonData struct{}
	walkKeys  struct {
		Speed  float64 `rpl:"step=1/64"`
		Board  bool    `rpl:"edge"`
		TakeUp bool    `rpl:"edge"`
	}
)

func boardedWay(t *testing.T, seed uint64, c netsim.Conditions, most float64) {
	p := tendon.NewProtocol("cart")
	place := tendon.Replicate(p, "place", components.Transform)
	body := tendon.Replicate(p, "body", donburi.NewComponentType[footData]())
	cart := tendon.Replicate(p, "cart", donburi.NewComponentType[wagonData]())
	walk := tendon.NewCommand[walkKeys](p, "walk", body)
	drive := tendon.NewCommand[float64](p, "drive", cart)
	var cartID, flagID rpl.Node
	toggle := func(r *tendon.Replication, e *donburi.Entry, up rpl.Node) {
		var err error
		if tendon.Parent(e) != nil {
			err = tendon.Detach(e)
		} else {
			to, _ := r.Find(up)
			err = tendon.AttachInPlace(e, to)
		}
		if err != nil {
			t.Error(err)
		}
	}
	session := func(d bool) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: d})
		if err != nil {
			t.Fatal(err)
		}
		walk.Apply(r, func(c tendon.Call, k walkKeys) {
			if tendon.Parent(c.Entry) == nil {
				place.Get(c.Entry).Pos.X += k.Speed
			}
			if !tendon.IsAuthority(c.Entry) {
				return
			}
			if k.Board {
				toggle(r, c.Entry, cartID)
			}
			if k.TakeUp {
				flag, _ := r.Find(flagID)
				toggle(r, flag, tendon.ID(c.Entry))
			}
		})
		drive.Apply(r, func(c tendon.Call, speed float64) { place.Get(c.Entry).Pos.X += speed })
		return r
	}
	server, net := session(true), mem.NewNetwork(seed, c)
	listener := net.Listener()
	server.OnStart(func() {
		cartID = tendon.ID(server.Create(place, cart))
		flagID = tendon.ID(server.Create(place))
	})
	server.OnJoin(func(q rpl.Peer) {
		e := server.Create(place, body)
		place.Get(e).Pos.Y = 20
		tendon.Give(e, q)
		if e, _ := server.Find(cartID); tendon.Owner(e) == 0 {
			tendon.Give(e, q)
		}
	})
	server.Host(listener)
	keys, speed := make([]walkKeys, 2), 0.0
	var players []*tendon.Replication
	for i := range keys {
		r := session(false)
		walk.Sample(r, func(*donburi.Entry) walkKeys {
			k := keys[i]
			keys[i].Board, keys[i].TakeUp = false, false
			return k
		})
		drive.Sample(r, func(*donburi.Entry) float64 { return speed })
		r.OnCorrection(func(c tendon.Correction) {
			if c.Size > 200 {
				t.Errorf("seed %d: a change of parent counts as a correction of %v by %v", seed, c.Field, c.Size)
			}
		})
		r.Join(net.Dialer(listener))
		players = append(players, r)
	}
	rng := rand.New(rand.NewPCG(seed, 1))
	before := []map[rpl.Node]gmath.Vec{{}, {}}
	for step := range 1200 {
		switch {
		case step == 240:
			speed = 5
			for i := range keys {
				keys[i].Speed = 6
			}
		case step > 300 && step < 1100 && step%20 == 0:
			keys[rng.IntN(2)].Board = rng.IntN(2) == 0
			keys[0].TakeUp = rng.IntN(2) == 0
		}
		if cart, ok := server.Find(cartID); ok && step >= 1110 { // they get on once more, and the cart goes from under them
			for e := range body.Iter(server.World()) {
				if step == 1110 && tendon.Parent(e) == nil || step == 1150 && tendon.Parent(e) != nil {
					toggle(server, e, cartID)
				}
			}
			if step == 1150 {
				cart.Remove()
			}
		}
		net.Advance(time.Second / 60)
		for _, r := range append([]*tendon.Replication{server}, players...) {
			r.Receive()
			walk.Run(r)
			drive.Run(r)
			r.Send()
		}
		for i, r := range players {
			r.Frame()
			for e := range place.Iter(r.World()) {
				if e.HasComponent(components.Hidden) {
					continue
				}
				now, id := tendon.WorldView(e).Pos, tendon.ID(e)
				if was, ok := before[i][id]; ok && step > 200 && now.DistanceTo(was) > most {
					t.Fatalf("seed %d, step %d: player %d draws %v %.0f units from where it was a frame before", seed, step, i+1, id, now.DistanceTo(was))
				}
				before[i][id] = now
			}
		}
	}
}
