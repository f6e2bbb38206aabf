package ecs_test

// Damaged datagrams: the client is sent all state again.

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
	"github.com/tendonengine/tendon/transport"
)

// A damager is a dialer that damages a share of the datagrams it receives, in ways that the
// network's checksums do not find.
type damager struct {
	transport.Dialer
	share float64
	r     *rand.Rand
}

func (d *damager) Dial(o transport.Offer) (transport.Link, error) {
	l, err := d.Dialer.Dial(o)
	return damagedLink{l, d}, err
}

type damagedLink struct {
	transport.Link
	d *damager
}

func (l damagedLink) Poll(h transport.Handler) { l.Link.Poll(damagedHandler{h, l.d}) }

type damagedHandler struct {
	transport.Handler
	d *damager
}

func (h damagedHandler) Datagram(c transport.Conn, seq uint64, at time.Duration, b []byte) {
	if d := h.d; len(b) > 0 && d.r.Float64() < d.share {
		for range 1 + d.r.IntN(3) {
			b[d.r.IntN(len(b))] ^= 1 << d.r.IntN(8)
		}
	}
	h.Handler.Datagram(c, seq, at, b)
}

// A client that receives some damaged datagrams goes on and gets all state again: its world
// then lacks nothing and has nothing too much.
func TestDamagedDatagramsAreMended(t *testing.T) {
	l := newLab(t, lan)
	r := rand.New(rand.NewPCG(l.seed, 1))
	server := l.server(tendon.Config{})
	client := l.machine("client", tendon.Config{})
	way := &damager{Dialer: l.net.Dialer(l.listener), r: r}
	client.joins = true
	client.Join(way)
	l.joined()

	var nodes []*donburi.Entry
	spawn := func() {
		var e *donburi.Entry
		if r.IntN(4) == 0 {
			e = Tank.Spawn(server.World(), tendon.None{})
		} else {
			e = Crate.Spawn(server.World(), CrateArgs{Label: fmt.Sprint(r.IntN(9)), Pos: gmath.Vec{X: float64(r.IntN(500))}})
		}
		nodes = append(nodes, e)
	}
	server.step = func() {
		for len(nodes) < 30 {
			spawn()
		}
		for i, e := range nodes {
			if r.IntN(10) == 0 {
				Body.Get(e).Pos = gmath.Vec{X: float64(r.IntN(500)), Y: float64(r.IntN(500))}
			}
			if e.HasComponent(Paint) && r.IntN(40) == 0 {
				Paint.Get(e).Name = fmt.Sprint("name ", r.IntN(1000))
			}
			if r.IntN(300) == 0 {
				tendon.Give(e, rpl.Peer(r.IntN(3)))
			}
			if r.IntN(400) == 0 {
				e.Remove()
				nodes[i] = nodes[len(nodes)-1]
				nodes = nodes[:len(nodes)-1]
				break
			}
		}
	}
	for _, share := range []float64{0.02, 0.3, 1} {
		way.share = share
		l.steps(200)
		way.share = 0
		refused, quiet := *client.Counter("packet refused"), 0
		l.until("it reads all again by itself", func() bool {
			if n := *client.Counter("packet refused"); n > refused {
				refused, quiet = n, 0
			}
			quiet++
			return quiet > 120
		})
		client.Resync()
		step := server.step
		server.step = nil
		l.steps(300) // an answer may have been given less than three seconds ago
		bodies := 0  // what was a part of a node that has gone is the server's own
		for _, e := range nodes {
			id := tendon.ID(e)
			here := client.find(id)
			if bodies++; !e.HasComponent(Paint) {
				bodies++ // the turret
			}
			check(t, fmt.Sprintf("place of %v", id), Body.Get(here).Pos, Body.Get(e).Pos)
			check(t, fmt.Sprintf("owner of %v", id), components.Owner.Get(here).Peer, components.Owner.Get(e).Peer)
			if e.HasComponent(Paint) {
				check(t, fmt.Sprintf("paint of %v", id), *Paint.Get(here), *Paint.Get(e))
			}
		}
		check(t, "bodies", client.count(Body), bodies)
		server.step = step
	}
	told, read := server.Core().Counters(), client.ProxyCounters()
	for what, n := range map[string]struct{ session, core, least uint64 }{
		"resyncs of the server":         {*server.Counter("resync"), told.Resyncs, 3},
		"resyncs of the client":         {*client.Counter("resync"), read.Resyncs, 3},
		"packets that it has refused":   {*client.Counter("packet refused"), read.Refused, 3},
		"differences that it has found": {*client.Counter("state differs"), read.Mismatches, 0},
	} {
		if check(t, what, n.session, n.core); n.core < n.least {
			t.Errorf("%d %s", n.core, what)
		}
	}
}
