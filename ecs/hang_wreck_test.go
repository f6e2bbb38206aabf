package ecs_test

// What hangs on what is gone, as long as it is not known where it hangs now, is drawn where it was.

import (
	"fmt"
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

// A car becomes a wreck in one step: the wreck is made where the car is, the riders are attached to it where they
// sit, one of them with a flag in hand, and the car is removed. Nobody, not who drove it nor who rode in it, sees
// a rider or the flag vanish or leap for it.
func TestRidersOfAWreckStayDrawn(t *testing.T) {
	for _, c := range []netsim.Conditions{
		{},
		{Delay: 50 * time.Millisecond},
		{Delay: 150 * time.Millisecond},
		{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.05},
		{Delay: 150 * time.Millisecond, Jitter: 20 * time.Millisecond, Loss: 0.2},
	} {
		for _, speed := range []float64{0, 5} {
			t.Run(fmt.Sprintf("%v, %v %% lost, at speed %v", c.Delay, c.Loss*100, speed), func(t *testing.T) {
				for seed := range someRuns(uint64(5)) {
					wrecked(t, seed+1, c, speed)
				}
			})
		}
	}
}

func wrecked(t *testing.T, seed uint64, c netsim.Conditions, speed float64) {
	p := tendon.NewProtocol("wreck")
	place := tendon.Replicate(p, "place", components.Transform)
	body := tendon.Replicate(p, "body", donburi.NewComponentType[footData]())
	cart := tendon.Replicate(p, "cart", donburi.NewComponentType[wagonData]())
	walk := tendon.NewCommand[walkKeys](p, "walk", body)
	drive := tendon.NewCommand[float64](p, "drive", cart)
	session := func(d bool) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: d})
		if err != nil {
			t.Fatal(err)
		}
		walk.Apply(r, func(c tendon.Call, k walkKeys) { place.Get(c.Entry).Pos.X += k.Speed })
		drive.Apply(r, func(c tendon.Call, speed float64) { place.Get(c.Entry).Pos.X += speed })
		return r
	}
	server, net := session(true), mem.NewNetwork(seed, c)
	listener := net.Listener()
	var riders []rpl.Node // two players, and the flag of one
	var cartID rpl.Node
	server.OnStart(func() {
		cart := server.Create(place, cart)
		place.Get(cart).Pos = gmath.Vec{X: 1000, Y: 1000}
		cartID = tendon.ID(cart)
	})
	attach := func(e *donburi.Entry, up rpl.Node, at gmath.Vec) {
		to, _ := server.Find(up)
		if err := tendon.Attach(e, to); err != nil {
			t.Fatal(err)
		}
		place.Get(e).Pos = at
	}
	server.OnJoin(func(q rpl.Peer) {
		if len(riders) == 3 {
			return // who looks on
		}
		e := server.Create(place, body)
		tendon.Give(e, q)
		attach(e, cartID, gmath.Vec{Y: 10 * float64(1+len(riders))})
		riders = append(riders, tendon.ID(e))
		if cart, _ := server.Find(cartID); tendon.Owner(cart) == 0 {
			tendon.Give(cart, q)
		} else {
			flag := server.Create(place)
			attach(flag, riders[1], gmath.Vec{Y: 10})
			riders = append(riders, tendon.ID(flag))
		}
	})
	server.Host(listener)
	goes := 0.
	var players []*tendon.Replication
	for range 3 {
		r := session(false)
		walk.Sample(r, func(*donburi.Entry) walkKeys { return walkKeys{} })
		drive.Sample(r, func(*donburi.Entry) float64 { return goes })
		r.OnEnd(func(error) { r.Join(net.Dialer(listener)) }) // at 20 % loss one of sixty is not let in at first
		r.Join(net.Dialer(listener))
		players = append(players, r)
	}
	before := []map[rpl.Node]gmath.Vec{{}, {}, {}}
	drawn := func(r *tendon.Replication, id rpl.Node) (*donburi.Entry, bool) {
		e, ok := r.Find(id)
		return e, ok && !e.HasComponent(components.Hidden)
	}
	all := func() bool { // every player draws every rider
		for _, r := range players {
			for _, id := range riders {
				if _, ok := drawn(r, id); !ok {
					return false
				}
			}
		}
		return len(riders) == 3
	}
	for step, waited := 0, 0; step < 600; step++ {
		if step == 300 && !all() {
			if waited++; waited > 1000 {
				t.Fatalf("seed %d: the players do not draw all riders", seed)
			}
			step--
		}
		if step == 300 {
			goes = speed
		}
		if step == 400 {
			wreck := server.Create(place)
			car, _ := server.Find(cartID)
			*place.Get(wreck) = *place.Get(car)
			for i, id := range riders[:2] {
				e, _ := server.Find(id)
				attach(e, tendon.ID(wreck), gmath.Vec{Y: 10 * float64(1+i)})
			}
			car.Remove()
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
			for k, id := range riders {
				e, ok := drawn(r, id)
				if step < 380 {
					continue
				}
				if !ok {
					t.Fatalf("seed %d, step %d: player %d does not draw rider %d", seed, step, i+1, k+1)
				}
				now := tendon.WorldView(e).Pos
				if was, ok := before[i][id]; ok && now.DistanceTo(was) > 4*speed+1 {
					t.Errorf("seed %d, step %d: player %d draws rider %d %.0f units from where it was a frame before", seed, step, i+1, k+1, now.DistanceTo(was))
				}
				if before[i][id] = now; step == 599 {
					if e, _ := server.Find(id); now.DistanceTo(tendon.WorldTransform(e).Pos) > 0.1 {
						t.Errorf("seed %d: in the end player %d draws rider %d at %v, and it is at %v", seed, i+1, k+1, now, tendon.WorldTransform(e).Pos)
					}
				}
			}
		}
	}
}
