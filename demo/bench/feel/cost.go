package main

// What it costs: a rollback, a shot that is judged by the past, and memory in the steady state.

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

const pieces = 100 // nodes of which the costs are measured

type pieceData struct {
	Pos, Vel gmath.Vec `rpl:"step=1/256"`
}

type seenData struct {
	Pos gmath.Vec `rpl:"step=1/256,interp"`
}

// play has a server and a client play ten seconds, with a turn for each before its commands run.
func play(p *tendon.Protocol, config tendon.Config, begin func(server, client *tendon.Replication), turn func(i int, r *tendon.Replication)) {
	net := mem.NewNetwork(1, netsim.Conditions{Delay: 60 * time.Millisecond})
	listener := net.Listener()
	session := func(dedicated bool) *tendon.Replication {
		config.Dedicated = dedicated
		r, err := tendon.New(donburi.NewWorld(), p, config)
		if err != nil {
			panic(err)
		}
		return r
	}
	server, client := session(true), session(false)
	begin(server, client)
	server.Host(listener)
	client.Join(net.Dialer(listener))
	for i := range 600 {
		net.Advance(step)
		for _, r := range []*tendon.Replication{server, client} {
			r.Receive()
			turn(i, r)
			r.Send()
		}
	}
}

// rollback returns the microseconds that it takes to go back ten ticks with a hundred predicted
// nodes. It is the median, as rewind's is: what else the machine does is no part of it.
func rollback() float64 {
	p := tendon.NewProtocol("rollback")
	piece := tendon.Replicate(p, "piece", donburi.NewComponentType[pieceData]())
	prefab := tendon.NewPrefab(p, "piece", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(piece)) })
	push := tendon.NewCommand[gmath.Vec](p, "push", piece)
	var spent []float64 // microseconds a tick, of each correction
	play(p, tendon.Config{}, func(server, client *tendon.Replication) {
		for _, r := range []*tendon.Replication{server, client} {
			push.Apply(r, func(c tendon.Call, a gmath.Vec) {
				d := piece.Get(c.Entry)
				d.Vel = d.Vel.Add(a).Mulf(0.9)
				d.Pos = d.Pos.Add(d.Vel)
			})
			push.Sample(r, func(*donburi.Entry) gmath.Vec { return gmath.Vec{X: 1} })
		}
		server.OnJoin(func(q rpl.Peer) {
			for i := range pieces {
				e := prefab.Spawn(server.World(), tendon.None{})
				piece.Get(e).Pos.Y = float64(i)
				tendon.Give(e, q)
			}
		})
		before := time.Duration(0)
		client.OnCorrection(func(c tendon.Correction) {
			all := client.CommandStats().ReplayTime
			spent = append(spent, micros(all-before)/float64(c.Ticks))
			before = all
		})
	}, func(i int, r *tendon.Replication) {
		if r.IsAuthority() && i%20 == 0 { // something that the client does not foresee
			for e := range piece.Iter(r.World()) {
				piece.Get(e).Pos.X += 5
			}
		}
		push.Run(r)
	})
	return median(spent, 10)
}

// rewind returns the microseconds that it takes to set a hundred nodes back to what a client has
// drawn, and forth.
func rewind() float64 {
	p := tendon.NewProtocol("rewind")
	piece := tendon.Replicate(p, "piece", donburi.NewComponentType[seenData]())
	prefab := tendon.NewPrefab(p, "piece", func(w donburi.World, _ tendon.None) *donburi.Entry { return w.Entry(w.Create(piece)) })
	shoot := tendon.NewCommand[gmath.Vec](p, "shoot", piece)
	var spent []float64
	play(p, tendon.Config{Rewind: []donburi.IComponentType{piece}}, func(server, client *tendon.Replication) {
		shoot.Apply(server, func(c tendon.Call, _ gmath.Vec) {
			if c.From == 0 {
				return
			}
			began := time.Now()
			c.Rewind(func() {})
			spent = append(spent, micros(time.Since(began)))
		})
		shoot.Sample(client, func(*donburi.Entry) gmath.Vec { return gmath.Vec{X: 1} })
		server.OnJoin(func(q rpl.Peer) {
			for range pieces {
				prefab.Spawn(server.World(), tendon.None{})
			}
			tendon.Give(prefab.Spawn(server.World(), tendon.None{}), q)
		})
	}, func(i int, r *tendon.Replication) {
		for e := range piece.Iter(r.World()) {
			if tendon.IsAuthority(e) {
				piece.Get(e).Pos.X += 1
			}
		}
		r.Frame()
		shoot.Run(r)
	})
	return median(spent, 1)
}

// median is so many times the median, -1 if nothing was measured.
func median(spent []float64, times float64) float64 {
	if len(spent) == 0 {
		return -1
	}
	return round(times * quantile(spent, 0.5))
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }

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
