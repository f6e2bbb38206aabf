package ecs_test

// Lost peers and the world: load-time nodes and levels.

import (
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A lost client keeps its load-time nodes, and they are the same nodes when it is back.
// Load-time nodes that were destroyed meanwhile end then; its other proxies end when it is
// lost.
func TestLostAndNamed(t *testing.T) {
	l := newLab(t, lan)
	server, ann := l.server(tendon.Config{}), l.player(tendon.Config{})
	doors := map[*machine][]donburi.Entity{}
	for _, m := range l.machines {
		for _, name := range []string{"door/1", "door/2"} {
			e := m.World().Entry(m.World().Create(Paint))
			tendon.Named(e, name)
			doors[m] = append(doors[m], e.Entity())
		}
	}
	l.joined()
	id := tendon.ID(server.World().Entry(doors[server][0]))
	donburi.Add(server.Session(), Body, &BodyData{})
	server.Create(Ammo)
	l.steps(20)
	check(t, "a proxy", ann.count(Ammo), 1)
	ann.again = false
	ann.cut()
	server.tellPeers()
	l.outlives(server, "lost")
	l.seconds(1)
	check(t, "alone", ann.Alone(), true)
	check(t, "the proxy has gone", ann.count(Ammo), 0)
	check(t, "the doors are there", ann.count(Paint), 2)
	server.World().Remove(doors[server][1])
	Paint.Get(server.World().Entry(doors[server][0])).Colour = 9
	ann.mend()
	ann.Join(ann.way)
	l.outlives(server, "back")
	l.steps(30)
	check(t, "the door is the entity that it was", ann.find(id).Entity(), doors[ann.machine][0])
	check(t, "its colour", Paint.Get(ann.find(id)).Colour, 9)
	check(t, "the other has gone", ann.World().Valid(doors[ann.machine][1]), false)
	check(t, "a proxy again", ann.count(Ammo), 1)
	check(t, "the session's state", ann.Session().HasComponent(Body), true)
}

// A peer that comes back after the level has changed gets the new level like a peer that
// joins.
func TestBackInAnotherLevel(t *testing.T) {
	l := newLab(t, lan)
	server := l.machineIn(nil, "server", tendon.Config{Dedicated: true})
	server.Host(l.listener)
	way := l.net.Dialer(l.listener)
	client := l.machineIn(nil, "client", tendon.Config{})
	ann := &player{machine: client, way: way}
	client.joins = true
	client.OnEnd(func(error) { client.Join(way) })
	client.Join(way)
	server.campaign()
	server.OnLost(func(p rpl.Peer) { server.say("lost %d", p) })
	server.OnBack(func(p rpl.Peer) { server.say("back %d", p) })
	client.OnWorld(func(w donburi.World, name string) {
		client.say("world %q", name)
		tendon.Named(w.Entry(w.Create(Paint)), "door")
	})
	server.Load("beach")
	l.joined()
	tendon.Give(Ghost.Spawn(server.World(), CrateArgs{}), 2)
	l.steps(30)
	server.said()
	client.said()
	ann.cut()
	l.outlives(server, "lost")
	server.Load("cave")
	l.steps(10)
	server.heard(`lost 2, world "cave", start`)
	ann.mend()
	l.outlives(server, "join")
	server.heard("back 2, join 2")
	l.seconds(2)
	if said := client.said(); len(said) == 0 || said[len(said)-1] != `world "cave"` {
		t.Errorf("the client heard %q", said)
	}
	check(t, "the new level's crate and door", client.count(Paint), 2)
	check(t, "her number", client.Me(), 2)

	// OnLeave also runs for a peer that is lost before its side of a level is built.
	server.Load("tower")
	ann.cut()
	l.seconds(45)
	server.heard(`world "tower", start, leave 2`)
}

// A level is loaded while a peer is away and nobody has noticed yet: in this level its OnJoin has not
// run, so OnLost does not, nor OnBack; OnJoin tells that it is there again, or OnLeave that it is not.
func TestLostInALevelOfOthers(t *testing.T) {
	for name, x := range map[string]struct {
		seconds int
		want    string
	}{"back": {20, "join 1, join 2"}, "gone": {45, "join 1, leave 2"}} {
		t.Run(name, func(t *testing.T) {
			l := newLab(t, lan)
			server, ann := l.server(tendon.Config{}), l.player(tendon.Config{})
			l.joined()
			server.tellPeers()
			ann.cut()
			l.seconds(5)
			server.Load("another")
			l.seconds(x.seconds)
			check(t, "she has her seat", server.Stats(2).Lost, name == "back")
			ann.mend()
			l.seconds(10)
			heard := server.said()
			if name == "gone" {
				heard = heard[:2] // then she is another peer
			}
			check(t, "the server heard", strings.Join(heard, ", "), x.want)
		})
	}
}
