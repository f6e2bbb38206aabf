package ecs_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

type sparkData struct {
	Pos    gmath.Vec      `rpl:"step=1/32,interp,pos"`
	Target donburi.Entity `rpl:""`
	Hits   uint8          `rpl:"notify"`
}

var (
	spark    = tendon.Replicate(proto, "ember", donburi.NewComponentType[sparkData]())
	sparks   = tendon.NewGroup(proto, "sparks")
	newEmber = tendon.NewPrefab(proto, "ember", func(w donburi.World, _ tendon.None) *donburi.Entry {
		return w.Entry(w.Create(spark))
	}, components.NodeData{Transient: true})
)

// A transient node is each machine's own to move after its arrival. That the node which it
// refers to goes, must not set it back to where it arrived.
func TestTransientWhoseTargetGoes(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	target := server.Create(Paint).Entity()
	l.steps(30)
	s := newEmber.Spawn(server.World(), tendon.None{})
	spark.SetValue(s, sparkData{Pos: gmath.Vec{X: 10}, Target: target})
	id := tendon.ID(s)
	l.until("it is there", func() bool { return client.has(id) })
	spark.Get(client.find(id)).Pos.X = 500 // moved by the client, as the guide says
	l.steps(30)
	check(t, "before", spark.Get(client.find(id)).Pos.X, 500)
	server.World().Remove(target)
	l.steps(60)
	check(t, "after its target has gone: target", spark.Get(client.find(id)).Target, donburi.Null)
	check(t, "after its target has gone: place", spark.Get(client.find(id)).Pos.X, 500)
}

// The same when the node comes into sight later.
func TestTransientWhoseTargetComes(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	target := server.Create(Paint)
	sparks.Add(target)
	ent := target.Entity()
	l.steps(30)
	s := newEmber.Spawn(server.World(), tendon.None{})
	spark.SetValue(s, sparkData{Pos: gmath.Vec{X: 10}, Target: ent, Hits: 1})
	id := tendon.ID(s)
	l.until("it is there", func() bool { return client.has(id) })
	c := spark.Get(client.find(id))
	c.Pos.X, c.Hits = 500, 7
	l.steps(30)
	sparks.Put(server.Replication, 2, true)
	l.steps(60)
	c = spark.Get(client.find(id))
	check(t, "the target is known", c.Target != donburi.Null, true)
	check(t, "place", c.Pos.X, 500)
	check(t, "hits", c.Hits, 7)
}

type swarmData struct {
	Pos   gmath.Vec        `rpl:"step=1/32,interp,pos"`
	Crew  []donburi.Entity `rpl:"max=4"`
	First donburi.Entity   `rpl:""`
	Name  string           `rpl:"max=16"`
	Hits  uint8            `rpl:"notify"`
}

var (
	swarm    = tendon.Replicate(proto, "swarm", donburi.NewComponentType[swarmData]())
	newSwarm = tendon.NewPrefab(proto, "swarm", func(w donburi.World, _ tendon.None) *donburi.Entry {
		hull := w.Entry(w.Create(swarm))
		turret := w.Entry(w.Create(swarm, Local))
		tendon.Part(hull, turret)
		return w.Entry(hull.Entity())
	}, components.NodeData{Transient: true})
)

// A transient node of two parts stays as this machine has moved it, whatever happens to the
// authority's, and refers to nothing that is not here.
func TestTransientWhateverChanges(t *testing.T) {
	changes := map[string]func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity){
		"one of a list goes": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) { server.World().Remove(a) },
		"both go": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) {
			server.World().Remove(a)
			server.World().Remove(b)
		},
		"one goes, one comes": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) {
			server.World().Remove(a)
			sparks.Put(server.Replication, 2, true)
		},
		"owner": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) {
			tendon.Give(at(), 2)
			server.World().Remove(a)
		},
		"added": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) {
			at().AddComponent(Paint)
			server.World().Remove(a)
		},
		"added long before": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) {
			at().AddComponent(Paint)
			l.steps(60)
			server.World().Remove(a)
		},
		"added only": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) { at().AddComponent(Paint) },
		"removed": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) {
			at().AddComponent(Paint)
			l.steps(60)
			at().RemoveComponent(Paint)
			server.World().Remove(a)
		},
		"attach": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) {
			_ = tendon.Attach(at(), server.Create(Transform))
			server.World().Remove(a)
		},
		"values": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) {
			d := swarm.Get(at())
			d.Hits, d.Name, d.Crew, d.Pos.X = 50, "server", []donburi.Entity{b}, 77
		},
		"weight": func(l *lab, server *machine, at func() *donburi.Entry, a, b donburi.Entity) {
			components.RplNode.Get(at()).Weight = 3
		},
	}
	for name, change := range changes {
		for _, c := range []netsim.Conditions{lan, {Delay: 30 * time.Millisecond, Loss: .2}} {
			t.Run(fmt.Sprint(name, c.Loss), func(t *testing.T) {
				l := newLab(t, c)
				server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
				l.joined()
				a, b, hid := server.Create(Paint).Entity(), server.Create(Paint).Entity(), server.Create(Paint)
				sparks.Add(hid)
				hidden := hid.Entity()
				l.steps(30)
				s := newSwarm.Spawn(server.World(), tendon.None{})
				ent := s.Entity()
				for e := range swarm.Iter(server.World()) {
					swarm.SetValue(e, swarmData{Pos: gmath.Vec{X: 10}, Crew: []donburi.Entity{a, b, hidden}, First: a, Name: "x"})
				}
				id := tendon.ID(s)
				l.until("it is there", func() bool { return client.has(id) })
				l.steps(30)
				for e := range swarm.Iter(client.World()) {
					d := swarm.Get(e)
					d.Pos.X, d.Hits, d.Name = 500, 7, "mine"
				}
				l.steps(30)
				change(l, server, func() *donburi.Entry { return server.World().Entry(ent) }, a, b)
				l.steps(90)
				n := 0
				for e := range swarm.Iter(client.World()) {
					n++
					d := swarm.Get(e)
					check(t, "place", d.Pos.X, 500)
					check(t, "hits", d.Hits, 7)
					check(t, "name", d.Name, "mine")
					check(t, "crew", len(d.Crew), 3)
					if server.World().Valid(a) != client.World().Valid(d.First) {
						t.Errorf("first %v, crew %v", d.First, d.Crew)
					}
					for _, c := range d.Crew {
						if c != donburi.Null && !client.World().Valid(c) {
							t.Errorf("dangling %v, first %v", c, d.First)
						}
					}
				}
				check(t, "things", n, 2)
			})
		}
	}
}
