package ecs_test

// What a predicted rule sees of nodes that are not predicted.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type passerData struct {
	Pos gmath.Vec `rpl:"step=1/32,interp,pos"`
}

// A rule runs ahead of the server by a round trip. What else moves stands where it will be in
// the rule's tick while it runs, in replays too, and where it is told to be again afterwards.
func TestOthersStandAtTheTickOfTheRule(t *testing.T) {
	net := mem.NewNetwork(1, netsim.Conditions{Delay: 60 * time.Millisecond})
	p := tendon.NewProtocol("others")
	passer := tendon.Replicate(p, "passer", donburi.NewComponentType[passerData]())
	walker := tendon.Replicate(p, "walker", donburi.NewComponentType[passerData]())
	look := tendon.NewCommand[uint8](p, "look", walker)

	saw := map[*tendon.Replication]map[rpl.Tick]float64{}
	replays, off, told := 0, 0, 0.0
	place := func(r *tendon.Replication) (x float64) {
		for e := range passer.Iter(r.World()) {
			x = passer.Get(e).Pos.X
		}
		return x
	}
	var server, client *tendon.Replication
	session := func(dedicated bool) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
		if err != nil {
			t.Fatal(err)
		}
		saw[r] = map[rpl.Tick]float64{}
		space := r.Space(nil)
		look.Apply(r, func(c tendon.Call, push uint8) {
			x := place(r)
			if c.Replay {
				replays++
			}
			saw[r][c.Tick] = x
			found := false
			for range space.Within(gmath.Vec{X: x}, 1) {
				found = true
			}
			if !found {
				off++
			}
			walker.Get(c.Entry).Pos.Y += float64(push)
		})
		return r
	}
	server, client = session(true), session(false)
	look.Sample(client, func(*donburi.Entry) uint8 { return 1 })
	server.OnStart(func() { server.Create(passer) })
	server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(walker), q) })
	l := net.Listener()
	server.Host(l)
	client.Join(net.Dialer(l))
	for i := range 400 {
		net.Advance(time.Second / 60)
		server.Receive()
		for e := range passer.Iter(server.World()) {
			passer.Get(e).Pos.X += 2.5
		}
		if i == 250 {
			for e := range walker.Iter(server.World()) {
				walker.Get(e).Pos.Y += 40 // a correction
			}
		}
		look.Run(server)
		server.Send()
		client.Receive()
		told = place(client)
		look.Run(client)
		if x := place(client); x != told {
			t.Fatalf("the rule has left the passer at %v, told was %v", x, told)
		}
		client.Send()
	}
	if replays == 0 {
		t.Fatal("nothing ran again")
	}
	if off > 0 {
		t.Errorf("Space has not found the passer %d times where the rule saw it", off)
	}
	checked := 0
	for tick, x := range saw[client] {
		truth, ok := saw[server][tick]
		if !ok || tick < 150 {
			continue
		}
		checked++
		if d := x - truth; d > 0.1 || d < -0.1 {
			t.Errorf("in tick %d the rule saw the passer %v beside where it was", tick, d)
		}
	}
	if checked < 200 {
		t.Errorf("only %d ticks were run by both", checked)
	}
}
