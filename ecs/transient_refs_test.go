package ecs_test

import (
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

type sparkData struct {
	Pos    gmath.Vec      `rpl:"step=1/32,interp,pos"`
	Target donburi.Entity `rpl:""`
	Hits   uint8          `rpl:"notify"`
}

var (
	spark    = tendon.Replicate(proto, "met ember", donburi.NewComponentType[sparkData]())
	sparks   = tendon.NewGroup(proto, "sparks")
	newEmber = tendon.NewPrefab(proto, "met ember", func(w donburi.World, _ tendon.None) *donburi.Entry {
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
