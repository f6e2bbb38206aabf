package ecs_test

import (
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// SPEC rule 26: first arrivals leave own nodes first. Also without Config.Interest: who joins
// a large world over a slow line gets its avatar first, not last.
func TestOwnNodeComesFirstWithoutInterest(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Budget: 8000})
	var avatar rpl.Node
	server.OnJoin(func(p rpl.Peer) {
		if p != server.Me() {
			e := server.Create(Ammo)
			tendon.Give(e, p)
			avatar = tendon.ID(e)
		}
	})
	for range 6000 {
		server.Create(Body, Paint)
	}
	l.steps(60)
	client := l.client(tendon.Config{})
	l.joined()
	at, had := -1, 0
	for i := range 60 * 30 {
		l.steps(1)
		if client.has(avatar) {
			at, had = i, client.count(Paint)
			break
		}
	}
	t.Logf("its own node came after %d steps, when %d of 6000 others were there", at, had)
	check(t, "the own node is there within a second", at >= 0 && at < 60, true)
}

// flood spawns four short-lived things a step near the player, more than the budget pays for.
func flood(server *machine, at gmath.Vec) func() {
	var live []donburi.Entity
	n := 0
	return func() {
		for range 4 {
			n++
			b := Crate.Spawn(server.World(), CrateArgs{Label: "a bullet with a long name", Pos: at.Add(gmath.Vec{X: float64(n % 50)})})
			live = append(live, b.Entity())
		}
		for len(live) > 240 {
			if server.World().Valid(live[0]) {
				server.World().Remove(live[0])
			}
			live = live[1:]
		}
	}
}

// The guide: of what the budget does not pay for, that is the most urgent which has waited
// longest, and Weight counts. So a tower at the edge of sight comes in the end, though new
// things nearer to the player never cease to come.
func TestFarArrivalComes(t *testing.T) {
	for _, weight := range []float32{0, 1000} {
		l := newLab(t, lan)
		server := l.server(tendon.Config{Budget: 6000, Interest: rpl.Grid{Enter: 1000, Exit: 1100}})
		client := l.client(tendon.Config{})
		l.joined()
		tendon.Give(server.Create(Body, components.Observer), 2)
		l.steps(60)
		server.step = flood(server, gmath.Vec{})
		l.steps(120)
		tower := server.Create(Paint, Body)
		components.RplNode.Get(tower).Weight = weight
		Body.Get(tower).Pos.X = 900
		id := tendon.ID(tower)
		l.steps(60 * 30)
		if !client.has(id) {
			t.Errorf("weight %v: the tower in sight has not come in 30 s", weight)
		}
	}
}

// A node without a place is everyone's, wherever they are. It must not wait as if it stood at
// the origin of the world, far from a player who is elsewhere.
func TestPlacelessArrivalFarFromTheOrigin(t *testing.T) {
	for _, where := range []float64{0, 100_000} {
		l := newLab(t, lan)
		server := l.server(tendon.Config{Budget: 6000, Interest: rpl.Grid{Enter: 1000, Exit: 1100}})
		client := l.client(tendon.Config{})
		l.joined()
		eye := server.Create(Body, components.Observer)
		Body.Get(eye).Pos.X = where
		tendon.Give(eye, 2)
		l.steps(60)
		server.step = flood(server, gmath.Vec{X: where})
		l.steps(120)
		score := server.Create(Paint)
		components.RplNode.Get(score).Relevance = rpl.Always
		id := tendon.ID(score)
		at := -1
		for i := range 60 * 30 {
			l.steps(1)
			if client.has(id) {
				at = i
				break
			}
		}
		if at < 0 {
			t.Errorf("a player at %v has not got the score table in 30 s", where)
		} else {
			t.Logf("a player at %v got the score table after %d steps", where, at)
		}
	}
}
