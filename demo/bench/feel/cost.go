package main

// What it costs: a rollback, and memory in the steady state.

import (
	"math"
	"runtime"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type pieceData struct {
	Pos, Vel gmath.Vec `rpl:"step=1/256"`
}

// rollback returns the microseconds that it takes to go back ten ticks with a hundred
// predicted nodes.
func rollback() float64 {
	p := tendon.NewProtocol("rollback")
	piece := tendon.Replicate(p, "piece", donburi.NewComponentType[pieceData]())
	pieces := tendon.NewPrefab(p, "piece", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(piece)) })
	push := tendon.NewCommand[gmath.Vec](p, "push", piece)
	net := mem.NewNetwork(1, netsim.Conditions{Delay: 60 * time.Millisecond})
	listener := net.Listener()
	ticks, corrections := 0, 0
	session := func(dedicated bool) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
		if err != nil {
			panic(err)
		}
		push.Apply(r, func(c tendon.Call, a gmath.Vec) {
			d := piece.Get(c.Entry)
			d.Vel = d.Vel.Add(a).Mulf(0.9)
			d.Pos = d.Pos.Add(d.Vel)
		})
		push.Sample(r, func(*donburi.Entry) gmath.Vec { return gmath.Vec{X: 1} })
		return r
	}
	server, client := session(true), session(false)
	server.OnJoin(func(q rpl.Peer) {
		for i := range 100 {
			e := pieces.Spawn(server.World(), tendon.None{})
			piece.Get(e).Pos.Y = float64(i)
			tendon.Give(e, q)
		}
	})
	client.OnCorrection(func(c tendon.Correction) { ticks, corrections = ticks+c.Ticks, corrections+1 })
	server.Host(listener)
	client.Join(net.Dialer(listener))
	for i := range 600 {
		net.Advance(step)
		for _, r := range []*tendon.Replication{server, client} {
			r.Receive()
			if r == server && i%20 == 0 { // something that the client does not foresee
				for e := range piece.Iter(r.World()) {
					piece.Get(e).Pos.X += 5
				}
			}
			push.Run(r)
			r.Send()
		}
	}
	if ticks == 0 {
		return -1
	}
	return round(float64(client.CommandStats().ReplayTime.Microseconds()) / float64(ticks) * 10)
}

// allocations returns the allocations of a step of one machine, while nothing streams in: in
// the quietest quarter of a second of four, because links are looked at once a second and
// tables of codes are learnt anew now and then.
func (g *game) allocations() float64 {
	g.over = true
	const windows, steps = 16, 15
	least := math.Inf(1)
	var before, after runtime.MemStats
	for range windows {
		runtime.ReadMemStats(&before)
		for range steps {
			g.net.Advance(step)
			g.server.Receive()
			g.server.run()
			g.server.Send()
			for _, m := range g.players {
				m.step()
			}
		}
		runtime.ReadMemStats(&after)
		least = min(least, float64(after.Mallocs-before.Mallocs)/steps/float64(1+len(g.players)))
	}
	return round(least)
}
