package ecs_test

// What a game says of single peers and nodes, and policies of its own.

import (
	"cmp"
	"errors"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
)

// newSight is a server and two clients whose eyes are at the origin, by peer.
func newSight(t *testing.T, in rpl.Interest) (l *lab, server *machine, clients [2]*machine, eyes map[rpl.Peer]donburi.Entity) {
	l = newLab(t, lan)
	server = l.server(tendon.Config{Interest: in})
	eyes = map[rpl.Peer]donburi.Entity{}
	server.OnJoin(func(p rpl.Peer) {
		e := server.Create(Body, components.Observer)
		tendon.Give(e, p)
		eyes[p] = e.Entity()
	})
	clients = [2]*machine{l.client(tendon.Config{}), l.client(tendon.Config{})}
	l.joined()
	return l, server, clients, eyes
}

// A node is shown to a peer, and hidden from it, against distance and relevance, until that
// is taken back; children go with the top.
func TestShowAndHide(t *testing.T) {
	l, server, clients, _ := newSight(t, rpl.Grid{Enter: 100, Exit: 120})
	far, near, own := server.Create(Body), server.Create(Body), server.Create(Body)
	Body.Get(far).Pos.X = 5000
	child := server.Create(Paint)
	if err := tendon.Attach(child, far); err != nil {
		t.Fatal(err)
	}
	secret := server.Create(Body)
	components.RplNode.Get(secret).Relevance = rpl.OwnerOnly
	a, b := clients[0].Me(), clients[1].Me()
	tendon.Give(own, a)
	has := func(e *donburi.Entry) [2]bool {
		return [2]bool{clients[0].has(tendon.ID(e)), clients[1].has(tendon.ID(e))}
	}
	l.steps(90)
	check(t, "by rule, far", has(far), [2]bool{})
	check(t, "by rule, near", has(near), [2]bool{true, true})
	tendon.Show(far, a)
	tendon.Show(secret, b)
	tendon.Hide(near, b)
	tendon.Hide(own, a)
	l.steps(90)
	check(t, "shown, far", has(far), [2]bool{true, false})
	check(t, "shown, its child", has(child), [2]bool{true, false})
	check(t, "shown, its owner's alone", has(secret), [2]bool{false, true})
	check(t, "hidden, near", has(near), [2]bool{true, false})
	check(t, "hidden from its owner", has(own), [2]bool{true, true})
	for _, e := range []*donburi.Entry{far, near, own, secret} {
		tendon.ByRule(e, a)
		tendon.ByRule(e, b)
	}
	l.steps(120)
	check(t, "by rule again, far", has(far), [2]bool{})
	check(t, "by rule again, near", has(near), [2]bool{true, true})
	check(t, "by rule again, its owner's alone", has(secret), [2]bool{})
	e, _ := clients[0].Find(tendon.ID(near))
	tendon.Show(e, b)
	check(t, "Show on a client is counted", *clients[0].Counter("stale show"), uint64(1))
	tendon.Show(near, 99)
	tendon.ByRule(near, 99)
	check(t, "Show for who is not here is counted", *server.Counter("stale show"), uint64(1))
}

// What is said of a node goes with it from tree to tree and ends with it, and hidden counts for more
// than shown.
func TestShowingGoesWithTheNode(t *testing.T) {
	l, server, clients, _ := newSight(t, rpl.Grid{Enter: 100, Exit: 120})
	a, b := clients[0].Me(), clients[1].Me()
	at := func(x float64) *donburi.Entry {
		e := server.Create(Body)
		Body.Get(e).Pos.X = x
		return e
	}
	near, far, spy, bearer := at(10), at(5000), at(0), at(5000)
	has := func(what string, e *donburi.Entry, want [2]bool) {
		t.Helper()
		l.steps(90)
		check(t, what, [2]bool{clients[0].has(tendon.ID(e)), clients[1].has(tendon.ID(e))}, want)
	}
	attach := func(e, to *donburi.Entry) {
		t.Helper()
		if err := tendon.Attach(e, to); err != nil {
			t.Fatal(err)
		}
	}
	seat := server.Create(Paint)
	attach(seat, far)
	tendon.Hide(spy, a)
	tendon.Show(bearer, b)
	has("a hidden spy", spy, [2]bool{false, true})
	has("a bearer who is shown", bearer, [2]bool{false, true})
	attach(spy, near)
	attach(bearer, seat)
	has("what the spy boards", near, [2]bool{false, true})
	has("the spy on board", spy, [2]bool{false, true})
	has("what the bearer boards", far, [2]bool{false, true})
	attach(seat, near) // with the bearer on it
	attach(spy, far)
	has("what the spy has left", near, [2]bool{true, true})
	has("the bearer near", bearer, [2]bool{true, true})
	has("the spy far away", spy, [2]bool{})
	tendon.Show(far, a)
	has("a tree both shown and hidden", far, [2]bool{})
	tendon.ByRule(spy, a)
	has("the spy is hidden no more", spy, [2]bool{true, false})
	tendon.ByRule(bearer, b)
	attach(bearer, nil)
	Body.Get(bearer).Pos.X = 5000
	has("a bearer who was shown on board", bearer, [2]bool{})
	tendon.Hide(seat, a)
	has("with a hidden seat", near, [2]bool{false, true})
	seat.Remove()
	has("without it", near, [2]bool{true, true})
}

// A peer that is lost comes back to what was said, before and meanwhile.
func TestShowingOfWhoIsLost(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}, Dedicated: true})
	server.OnJoin(func(p rpl.Peer) { tendon.Give(server.Create(Body, components.Observer), p) })
	ann := l.player(tendon.Config{})
	l.joined()
	server.tellPeers()
	spy, flag, late := server.Create(Body), server.Create(Body), server.Create(Body)
	Body.Get(flag).Pos.X = 5000
	me := ann.Me()
	tendon.Hide(spy, me)
	tendon.Show(flag, me)
	has := func(what string, e *donburi.Entry, want bool) {
		t.Helper()
		check(t, what, ann.has(tendon.ID(e)), want)
	}
	l.steps(60)
	has("hidden", spy, false)
	has("shown", flag, true)
	ann.cut()
	l.outlives(server, "lost")
	tendon.Hide(late, me)
	check(t, "what is said of who is lost", *server.Counter("stale show"), uint64(0))
	ann.mend()
	l.until("ann is back", func() bool { return ann.Me() == me && ann.has(tendon.ID(flag)) })
	l.steps(90)
	has("hidden, once back", spy, false)
	has("hidden meanwhile", late, false)
	ann.cut()
	server.Load("the next")
	l.steps(30)
	spy, flag = server.Create(Body), server.Create(Body)
	Body.Get(flag).Pos.X = 5000
	tendon.Hide(spy, me)
	tendon.Show(flag, me)
	l.seconds(12) // her loss is noticed, and the game is not told: her OnJoin has not run in this level
	ann.mend()
	l.until("ann is back in the next level", func() bool { return ann.has(tendon.ID(flag)) })
	l.steps(90)
	has("hidden in the next level", spy, false)
	check(t, "what is said of who builds a level", *server.Counter("stale show"), uint64(0))
	ann.again = false
	ann.cut()
	l.outlives(server, "lost 2, back 2, join 2, lost 2")
	l.seconds(31)
	tendon.Show(flag, me)
	check(t, "what is said of who has left", *server.Counter("stale show"), uint64(1))
}

// What is round a point is there before the player is taken to it, and goes when the time is
// over and the player did not come.
func TestPreload(t *testing.T) {
	l, server, clients, eyes := newSight(t, rpl.Grid{Enter: 100, Exit: 120})
	there := server.Create(Body)
	Body.Get(there).Pos.X = 5000
	a, b := clients[0].Me(), clients[1].Me()
	id := tendon.ID(there)
	l.steps(30)
	for _, p := range []rpl.Peer{a, b} {
		if err := server.Preload(p, gmath.Vec{X: 5010}, time.Second); err != nil {
			t.Fatal(err)
		}
	}
	l.steps(40)
	check(t, "preloaded", [2]bool{clients[0].has(id), clients[1].has(id)}, [2]bool{true, true})
	Body.Get(server.World().Entry(eyes[a])).Pos.X = 4990 // one goes there, the other does not
	l.steps(150)
	check(t, "after its time", [2]bool{clients[0].has(id), clients[1].has(id)}, [2]bool{true, false})
	if err := server.Preload(a, gmath.Vec{}, -time.Second); !errors.Is(err, rpl.ErrRange) {
		t.Errorf("a time below 0: %v", err)
	}
}

// The game is told when what was round a preloaded place is there: not before, also under loss, and a round trip
// and some after it was asked for, however much comes meanwhile.
func TestPreloadedOnceAllIsThere(t *testing.T) {
	for seed := range someRuns(uint64(6)) {
		for _, loss := range []float64{0, 0.2} {
			line := lan
			line.Delay, line.Loss = 50*time.Millisecond, loss
			l := newLab(t, line)
			l.seed = cmp.Or(*seedFlag, seed+1)
			l.net = mem.NewNetwork(l.seed, line)
			l.listener = l.net.Listener()
			server := l.server(tendon.Config{Interest: rpl.Grid{Enter: 100, Exit: 120}, Dedicated: true})
			server.OnJoin(func(p rpl.Peer) { tendon.Give(server.Create(Body, components.Observer), p) })
			ann := l.client(tendon.Config{})
			l.joined()
			var far []rpl.Node
			for i := range 300 {
				e := server.Create(Body)
				Body.Get(e).Pos = gmath.Vec{X: 5000 + float64(i%20), Y: float64(i / 20)}
				far = append(far, tendon.ID(e))
			}
			l.steps(30)
			there := gmath.Vec{X: 5010}
			if server.Preloaded(ann.Me(), there) {
				t.Fatal("there before it was asked for")
			}
			if err := server.Preload(ann.Me(), there, 5*time.Second); err != nil {
				t.Fatal(err)
			}
			waited := 0
			for ; !server.Preloaded(ann.Me(), there) && waited < 200; waited++ {
				l.steps(1)
				Body.Get(server.Create(Body)).Pos.X = float64(waited % 50) // round the player, too, something comes
			}
			for _, id := range far {
				if !ann.has(id) {
					t.Fatalf("seed %d, loss %v: %v is not there after %d steps", l.seed, loss, id, waited)
				}
			}
			if loss == 0 && waited > 10 || waited == 200 {
				t.Errorf("seed %d, loss %v: known after %d steps", l.seed, loss, waited)
			}
			l.seconds(6)
			check(t, "once its time is over", server.Preloaded(ann.Me(), there), false)
			check(t, "for who is not here", server.Preloaded(99, there), true)
		}
	}
}

// Observers have ranges of their own; a bad one is counted, and sees as usual.
func TestObserversWithScales(t *testing.T) {
	l, server, clients, eyes := newSight(t, rpl.Grid{Enter: 100, Exit: 120})
	a := server.World().Entry(eyes[clients[0].Me()])
	var dots []rpl.Node
	for _, x := range []float64{40, 90, 190, 390} {
		e := server.Create(Body)
		Body.Get(e).Pos.X = x
		dots = append(dots, tendon.ID(e))
	}
	sees := func() (n int) {
		for _, id := range dots {
			if clients[0].has(id) {
				n++
			}
		}
		return n
	}
	for _, c := range []struct {
		scale float64
		want  int
	}{{0, 2}, {2, 3}, {4, 4}, {0.5, 1}, {-1, 2}} {
		components.Observer.Get(a).Scale = c.scale
		l.steps(120)
		if got := sees(); got != c.want {
			t.Errorf("at a scale of %v it sees %d, not %d", c.scale, got, c.want)
		}
	}
	if *server.Counter("bad observer") == 0 {
		t.Error("a bad scale is not counted")
	}
	scope := server.Create(Body, components.Observer) // a second observer, elsewhere
	Body.Get(scope).Pos.X = 390
	components.Observer.Get(scope).Scale = 0.1
	tendon.Give(scope, clients[0].Me())
	components.Observer.Get(a).Scale = 0.5
	l.steps(120)
	check(t, "with a scope on what is far", sees(), 2)
}
