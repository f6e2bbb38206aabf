package ecs_test

// Components that are added to a node and removed from it while it lives.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A component, such as a stun or a shield, may be added and removed as often as a game
// likes, and so may two components that take each other's places while nothing arrives.
func TestComponentsComeAndGo(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 20e6, Jitter: 20e6, Loss: 0.3})
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	e := server.Create(Body)
	id, ent := tendon.ID(e), e.Entity()
	stun := func(i int) {
		if e := server.World().Entry(ent); i%2 == 0 {
			donburi.Remove[PaintData](e, Paint)
			donburi.Add(e, Ammo, &AmmoData{Left: i})
		} else {
			donburi.Remove[AmmoData](e, Ammo)
			donburi.Add(e, Paint, &PaintData{Colour: uint8(i)})
		}
	}
	donburi.Add(e, Paint, &PaintData{})
	for i := range 300 {
		stun(i)
		l.steps(i % 7)
	}
	tendon.Give(server.World().Entry(ent), client.Me())
	for _, last := range []int{99, 100} {
		stun(last)
		l.steps(60)
		e := client.find(id)
		check(t, "has one", e.HasComponent(Paint), last%2 == 1)
		check(t, "has the other", e.HasComponent(Ammo), last%2 == 0)
		if last%2 == 1 {
			check(t, "it is", Paint.Get(e).Colour, uint8(last))
		} else {
			check(t, "it is", Ammo.Get(e).Left, last)
		}
	}
	check(t, "items not added", *server.Counter("item not added"), 0)
}

// A node's place is that of its first present component with a `pos` field. Without such a
// component the node has no place, and everyone sees it.
func TestPlacesComeAndGo(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 110}}), l.client(tendon.Config{})
	l.joined()
	tendon.Give(server.Create(Body, components.Observer), client.Me())
	far := gmath.Vec{X: 1e4}
	two, one := server.Create(Body, Transform), server.Create(Body)
	Body.Get(two).Pos, Body.Get(one).Pos = far, far
	ids := [2]rpl.Node{tendon.ID(two), tendon.ID(one)}
	sees := func(what string, both, single bool) {
		t.Helper()
		l.steps(90)
		check(t, what+": what had two places", client.has(ids[0]), both)
		check(t, what+": what had one", client.has(ids[1]), single)
	}
	sees("far", false, false)
	server.find(ids[0]).RemoveComponent(Body)
	server.find(ids[1]).RemoveComponent(Body)
	sees("by the other place, and nowhere", true, true)
	Transform.Get(server.find(ids[0])).Pos = far
	donburi.Add(server.find(ids[1]), Body, &BodyData{Pos: far}) // its former place
	sees("far again", false, false)
	Body.Get(server.find(ids[1])).Pos = gmath.Vec{}
	donburi.Add(server.find(ids[0]), Body, &BodyData{}) // the second place does not count
	sees("near", false, true)
}

// What an honest client commands until it hears that the component is gone is not refused, and runs again once it is back.
func TestCommandsOfWhatIsRemoved(t *testing.T) {
	p := tendon.NewProtocol("removed")
	ant := tendon.Replicate(p, "ant", donburi.NewComponentType[passerData]())
	move := tendon.NewCommand[antKeys](p, "move", ant)
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(p rpl.Peer) { tendon.Give(m.Create(ant), p) })
			move.Sample(m.Replication, func(*donburi.Entry) antKeys { return antKeys{true} })
			move.Apply(m.Replication, func(c tendon.Call, k antKeys) {
				if k.Go {
					ant.Get(c.Entry).Pos.X++
				}
			})
		},
		Step: func(m *tendontest.Machine) { move.Run(m.Replication) },
	}, netsim.Conditions{Delay: 80 * time.Millisecond, Loss: 0.05})
	server, client := lab.Host(), lab.Join()
	lab.Steps(120)
	mine, _ := tendon.Mine(client.Replication, ant)
	id := tendon.ID(mine)
	e, _ := server.Find(id)
	donburi.Remove[passerData](e, ant)
	lab.Steps(120)
	s := server.CommandStats()
	if refused := *server.Counter("command refused"); s.Former == 0 || s.Refused > 0 || refused > 0 {
		t.Errorf("%d refused: %+v", refused, s)
	}
	e, _ = server.Find(id)
	donburi.Add(e, ant, &passerData{})
	lab.Steps(120)
	if e, _ = server.Find(id); ant.Get(e).Pos.X < 80 {
		t.Errorf("since the component is back it went to %v", ant.Get(e).Pos.X)
	}
	check(t, "commands refused", *server.Counter("command refused"), 0)
}
