package island

// The rules of the island's game. lab_test.go has the machines that play it.

import (
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

var noNetwork = netsim.Conditions{}

// The same script works whoever plays it and wherever the authority is: walk, paint a
// sphere, get into a car, drive, get out.
func TestSameScriptInFourModes(t *testing.T) {
	for _, c := range []struct {
		name    string
		mode    tendon.Mode
		clients int
		plays   int // the machine that plays the script
	}{
		{"single player", tendon.Single, 0, 0},
		{"listen server", tendon.Listen, 1, 0},
		{"client of a listen server", tendon.Listen, 1, 1},
		{"client of a dedicated server", tendon.Dedicated, 2, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := newLab(t, c.mode, c.clients, netsim.Conditions{Delay: 20 * time.Millisecond})
			server, player := l.machines[0], l.machines[c.plays]
			l.until("the player has a walker and sees a car", func() bool {
				_, ok := tendon.Mine(player.rep, Walker)
				_, car := Car.First(player.rep.World())
				return ok && car
			})
			me := player.rep.Me()
			car := carOf(l, server, 0)
			l.put(me, PlaceData{Pos: Middle})
			l.steps(Steps / 2) // until its commands come in time

			l.press(player, Right)
			if at := Where(l.walker(server, me)); at.Pos.X < Middle.X+10 || at.Pos.Y != Middle.Y {
				t.Errorf("after walking to the right the walker is at %v", at.Pos)
			}

			before := Sphere.Get(server.rep.World().Entry(server.spheres[4])).Colour
			l.press(player, Paint<<4)
			l.until("the pressed sphere has the next colour, once", func() bool {
				return Sphere.Get(player.rep.World().Entry(player.spheres[4])).Colour == (before+1)%sphereCount
			})

			l.put(me, PlaceData{Pos: Place.Get(car).Pos.Add(gmath.Vec{X: 50})})
			l.press(player, Use)
			l.until("the player's own machine sees it in its own car", func() bool {
				mine, _ := tendon.Mine(player.rep, Walker)
				p, driving := ParentOf(mine)
				return driving && tendon.ID(p) == tendon.ID(car) && tendon.Owner(p) == me
			})
			from := Place.Get(car).Pos
			player.held.Keys = Up
			l.steps(Steps)
			player.held.Keys = 0
			if went := Place.Get(car).Pos.DistanceTo(from); went < 60 {
				t.Errorf("the car went %.0f units in a second", went)
			}
			l.press(player, Use)
			l.until("out of the car, which is nobody's", func() bool {
				mine, _ := tendon.Mine(player.rep, Walker)
				_, driving := ParentOf(mine)
				return !driving && tendon.Owner(car) == 0 && Place.Get(mine).Pos.DistanceTo(Place.Get(car).Pos) < 80
			})
			for i, m := range l.machines {
				if m.ended != nil {
					t.Errorf("machine %d: %v", i, m.ended)
				}
			}
		})
	}
}

func carOf(l *lab, m *machine, i int) *donburi.Entry {
	l.Helper()
	for e := range Car.Iter(m.rep.World()) {
		if i--; i < 0 {
			return e
		}
	}
	l.Fatal("there are too few cars")
	return nil
}

// Shots open a crate: a coin lies in its place, and another crate appears.
func TestCrateBecomesCoin(t *testing.T) {
	l := newLab(t, tendon.Single, 0, noNetwork)
	l.steps(2)
	g := l.machines[0].Game
	crate, _ := Crate.First(g.rep.World())
	at, entity := Place.Get(crate).Pos, crate.Entity()
	for range crateHealth {
		g.hitCrate(crate)
	}
	if g.rep.World().Valid(entity) {
		t.Fatal("the crate is still there")
	}
	if n := len(g.collect(Crate)); n != crateCount {
		t.Errorf("%d crates, want %d as before", n, crateCount)
	}
	coins := g.collect(Coin)
	if len(coins) != 1 || Place.Get(coins[0]).Pos != at {
		t.Fatalf("%d coins, want one where the crate was", len(coins))
	}
	l.put(rpl.Server, PlaceData{Pos: at})
	l.steps(1)
	score, _ := tendon.Mine(g.rep, Score)
	if len(g.collect(Coin)) != 0 || Score.Get(score).Points != coinPoints {
		t.Errorf("the coin was not picked up: %d points", Score.Get(score).Points)
	}
}

// A player that goes down stands up again, and loses points to the player that shot it.
func TestDownAndUp(t *testing.T) {
	l := newLab(t, tendon.Listen, 1, noNetwork)
	server := l.machines[0]
	l.until("two walkers", func() bool { return len(server.collect(Walker)) == 2 })
	victim, other := l.walker(server, 1), l.walker(server, 2)
	server.reward(victim.Entity(), 10, "sheep")
	server.hurt(victim, FullHealth, other.Entity())
	if Walker.Get(victim).Health != 0 || server.scoreOf(victim.Entity()).Points != 10-downPoints || server.scoreOf(other.Entity()).Points != downPoints {
		t.Errorf("health %d, points %d and %d", Walker.Get(victim).Health, server.scoreOf(victim.Entity()).Points, server.scoreOf(other.Entity()).Points)
	}
	l.until("the walker stands up", func() bool { return Walker.Get(l.walker(server, 1)).Health == FullHealth })
}

// A car with enough damage blows up, with a blast for everyone near, and comes back where
// it began.
func TestCarBlowsUp(t *testing.T) {
	l := newLab(t, tendon.Listen, 1, noNetwork)
	server, client := l.machines[0], l.machines[1]
	l.until("the client sees a car", func() bool { return len(client.collect(Car)) > 0 })
	car := carOf(l, server, 0)
	id, cars := tendon.ID(car), len(server.collect(Car))
	for range carHealth {
		server.damage(car, donburi.Null)
	}
	l.until("the client sees the blast, and the car no more", func() bool {
		_, there := client.rep.Find(id)
		return !there && len(client.collect(Flight)) == 1
	})
	l.until("the blast ends", func() bool { return len(client.collect(Flight)) == 0 })
	server.wrecks[0].left = 1
	l.steps(1)
	if n := len(server.collect(Car)); n != cars {
		t.Errorf("%d cars, want %d again", n, cars)
	}
}

// A button opens the gate on every machine, for a while.
func TestButtonOpensGate(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 1, noNetwork)
	server, client := l.machines[0], l.machines[1]
	l.until("the client plays", func() bool { _, ok := tendon.Mine(client.rep, Walker); return ok })
	button := server.rep.World().Entry(server.button)
	l.put(client.rep.Me(), PlaceData{Pos: Place.Get(button).Pos.Add(gmath.Vec{Y: 20})})
	l.press(client, Use)
	open := func() bool { return Switch.Get(client.rep.World().Entry(client.gate)).On }
	l.until("the client sees the gate open", open)
	Switch.Get(button).left = 1
	l.until("the client sees the gate shut", func() bool { return !open() })
	plate := server.rep.World().Entry(server.plate)
	l.put(client.rep.Me(), PlaceData{Pos: Place.Get(plate).Pos})
	l.until("standing on the plate opens it", open)
}

// Only the owner is sent its ammunition.
func TestOthersDoNotSeeAmmunition(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 2, noNetwork)
	one, two := l.machines[1], l.machines[2]
	l.until("both see both", func() bool { return len(one.collect(Walker)) == 2 && len(two.collect(Walker)) == 2 })
	l.steps(10)
	if got := Walker.Get(l.walker(one, one.rep.Me())).Ammo; got != maxAmmo {
		t.Errorf("its owner sees %d shots, want %d", got, maxAmmo)
	}
	if got := Walker.Get(l.walker(two, one.rep.Me())).Ammo; got != 0 {
		t.Errorf("another sees %d shots, want none", got)
	}
	if n := len(two.collect(Controller)); n != 1 {
		t.Errorf("a client has %d controllers, want its own alone", n)
	}
}

// A round lasts two minutes and has a winner; after a pause another round begins.
func TestRound(t *testing.T) {
	l := newLab(t, tendon.Single, 0, noNetwork)
	l.steps(2)
	g := l.machines[0].Game
	me := l.walker(l.machines[0], rpl.Server).Entity()
	g.reward(me, 9, "sheep")
	match := func() *MatchData { e, _ := Match.First(g.rep.World()); return Match.Get(e) }
	for range roundSeconds * Steps {
		g.keepTime()
	}
	if m := match(); !m.Over || m.Best != 9 || m.Winner != "Player 1" {
		t.Fatalf("after %d s: %+v", roundSeconds, *m)
	}
	if g.reward(me, 5, "sheep"); g.scoreOf(me).Points != 9 {
		t.Error("points count after the end")
	}
	for range pauseSeconds * Steps {
		g.keepTime()
	}
	if m := match(); m.Over || m.Left != roundSeconds || g.scoreOf(me).Points != 0 {
		t.Errorf("after the pause: %+v, %d points", *m, g.scoreOf(me).Points)
	}
}

// Names are cut, and have nothing that a terminal obeys.
func TestNamesAreCut(t *testing.T) {
	for _, c := range []struct{ hello, want string }{
		{"", "Player 1"},
		{"Ada", "Ada"},
		{strings.Repeat("x", 40), strings.Repeat("x", maxName)},
		{strings.Repeat("ä", 9), strings.Repeat("ä", 8)},
		{"\xff", "Player 1"},
		{"\x1b[2J\nAda\xff\a ", "[2JAda"},
	} {
		config := Config(nil)
		config.Hello = []byte(c.hello)
		rep, err := tendon.New(donburi.NewWorld(), Protocol, config)
		if err != nil {
			t.Fatal(err)
		}
		if got := Setup(rep, 1).Name(rpl.Server); got != c.want {
			t.Errorf("%q is called %q, want %q", c.hello, got, c.want)
		}
	}
}
