package island

// What players are there for: shots, chickens and sheep.

import (
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
)

// While the key is held a walker fires as fast as it can reload, each shot takes one from
// its ammunition, and each hit takes health from who stands there, until that walker is
// down. The shooter gets the points.
func TestShots(t *testing.T) {
	l := newLab(t, tendon.Listen, 1, noNetwork)
	server := l.machines[0]
	l.until("two walkers", func() bool { return len(server.collect(Walker)) == 2 })
	shooter, victim := l.walker(server, 1), l.walker(server, 2)
	for _, e := range server.collect(Animal) {
		e.Remove() // none gets between the two
	}
	*Place.Get(shooter) = PlaceData{Pos: Middle}
	*Place.Get(victim) = PlaceData{Pos: Middle.Add(gmath.Vec{X: 60})}
	server.held = Input{Keys: Fire | Aims}
	for shots := 1; shots <= 4; shots++ {
		l.until("it fires", func() bool { return Walker.Get(shooter).Ammo == uint8(maxAmmo-shots) })
		if shots < 4 {
			l.steps(reload)
			if got := Walker.Get(shooter).Ammo; got != uint8(maxAmmo-shots) {
				t.Fatalf("%d shots are left while it reloads, want %d", got, maxAmmo-shots)
			}
		}
	}
	server.held = Input{}
	l.steps(Steps / 2)
	if got := Walker.Get(victim).Health; got != FullHealth-4*bulletHurts {
		t.Errorf("health %d after four hits, want %d", got, FullHealth-4*bulletHurts)
	}
	server.held = Input{Keys: Fire | Aims}
	l.until("the victim is down", func() bool { return Walker.Get(victim).Health == 0 })
	server.held = Input{}
	if s := server.scoreOf(shooter.Entity()); s.Points != downPoints || s.Tally["knockouts"] != 1 {
		t.Errorf("%d points of %v, want %d of a knockout", s.Points, s.Tally, downPoints)
	}
	server.held = Input{}
	for server.rep.Tick()%refill > 0 {
		l.steps(1)
	}
	Walker.Get(shooter).Ammo = 0
	server.held = Input{Keys: Fire | Aims}
	l.steps(Steps)
	if n := len(server.collect(Flight)); n != 0 {
		t.Errorf("%d bullets from a walker without any", n)
	}
}

// A chicken that a walker reaches is caught: points, a feather, and the chicken is
// elsewhere. A sheep that comes into the pen brings points to the nearest walker, and none when it runs
// away again.
func TestChickensAndSheep(t *testing.T) {
	l := newLab(t, tendon.Single, 0, noNetwork)
	g := l.machines[0]
	l.until("a walker", func() bool { return len(g.collect(Walker)) == 1 })
	walker := l.walker(g, 1)
	near := Pen.Rect.Center().Add(gmath.Vec{X: Pen.Rect.Width()/2 + 40})
	*Place.Get(walker) = PlaceData{Pos: near}
	var hen, ewe *donburi.Entry
	for _, e := range g.collect(Animal) {
		if a := Animal.Get(e); a.bird {
			hen = e
		} else if !a.home {
			ewe = e
		}
	}
	Place.Get(hen).Pos = Place.Get(walker).Pos
	l.steps(1)
	s := g.scoreOf(walker.Entity())
	if s.Points != birdPoints || s.Tally["chickens"] != 1 || Place.Get(hen).Pos.DistanceTo(near) < pickUp {
		t.Errorf("%d points of %v, and the chicken is %.0f away", s.Points, s.Tally, Place.Get(hen).Pos.DistanceTo(near))
	}
	for range 5 {
		Place.Get(ewe).Pos = Pen.Rect.Center()
		l.steps(1)
	}
	Place.Get(ewe).Pos = near // it runs away again
	l.steps(1)
	if s := g.scoreOf(walker.Entity()); s.Points != birdPoints+sheepPoints || s.Tally["sheep"] != 1 {
		t.Errorf("%d points of %v, want %d", s.Points, s.Tally, birdPoints+sheepPoints)
	}
	pack := mine(l.machines[0], Controller)
	for _, name := range []string{Feather, Wool} {
		n := 0
		for _, item := range Controller.Get(pack).Pack {
			if item.Name == name {
				n += int(item.Count)
			}
		}
		if n != 1 {
			t.Errorf("%d of %s in the pack, want 1", n, name)
		}
	}
}
