package island

// Doors, spheres and blasts on the island.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A player's controller opens and shuts a door, which everyone sees and nobody owns, by a
// call that names the door. A door out of reach, or a node that is no door, stays as it
// is.
func TestDoors(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 2, netsim.Conditions{Delay: 30 * time.Millisecond, Loss: 0.1})
	server, player := l.machines[0], l.machines[1]
	l.until("both play", func() bool {
		return len(server.collect(Walker)) == 2 && mine(player, Walker) != nil && mine(l.machines[2], Walker) != nil
	})
	west := Pen.Doors()[0]
	outside := PlaceData{Pos: west.Add(gmath.Vec{X: -40})}
	l.put(player.rep.Me(), outside)
	l.put(l.machines[2].rep.Me(), PlaceData{Pos: west.Add(gmath.Vec{X: -150})})
	l.until("the player stands before the door", func() bool {
		return Place.Get(mine(player, Walker)).Pos.DistanceTo(outside.Pos) < 1
	})

	player.held.Keys = Right
	l.steps(Steps)
	player.held.Keys = 0
	if at := Place.Get(l.walker(server, player.rep.Me())).Pos; at.X > west.X {
		t.Errorf("through the shut door to %v", at)
	}
	l.press(player, Use)
	l.until("all see the door open", func() bool { return l.allSee(0, true) })
	player.held.Keys = Right
	l.until("the player walks through", func() bool {
		return Pen.Rect.Contains(Place.Get(l.walker(server, player.rep.Me())).Pos)
	})
	player.held.Keys = 0
	l.press(player, Use)
	l.until("all see it shut", func() bool { return l.allSee(0, false) })

	refused := server.rep.Counter("rpc refused")
	before := *refused
	for _, wrong := range []donburi.Entity{player.doors[1], player.spheres[0], donburi.Null} {
		if err := Push.Send(mine(player, Controller), UseDoor{wrong}); err != nil {
			t.Fatal(err)
		}
	}
	l.steps(Steps)
	if Door.Get(server.rep.World().Entry(server.doors[1])).Open {
		t.Error("a door out of reach has opened")
	}
	if got := *refused - before; got < 2 {
		t.Errorf("%d calls were refused, want those about a sphere and about nothing", got)
	}
}

// Each press of a sphere's key counts once, whatever the network loses. A press for a
// sphere that the player does not see does not count.
func TestSphereKeysAreReliable(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 1, netsim.Conditions{Delay: 30 * time.Millisecond, Loss: 0.3})
	server, player := l.machines[0], l.machines[1]
	l.until("the player plays", func() bool { return mine(player, Walker) != nil })
	l.put(player.rep.Me(), PlaceData{Pos: Middle})
	colour := func(m *machine, i int) uint8 { return Sphere.Get(m.rep.World().Entry(m.spheres[i])).Colour }
	l.steps(Steps)
	for i := range sphereCount {
		for range i + 1 {
			player.held.Keys = Paint << i
			l.steps(1) // shorter than any real press: three in ten such steps of held keys are lost
			player.held.Keys = 0
			l.steps(1)
		}
	}
	l.until("every sphere has had its presses", func() bool {
		for i := range sphereCount {
			if want := uint8(2*i+1) % sphereCount; colour(server, i) != want || colour(player, i) != want {
				return false
			}
		}
		return true
	})

	l.put(player.rep.Me(), PlaceData{Pos: Middle.Add(gmath.Vec{X: 1.5 * Exit})})
	l.steps(2 * Steps)
	before := colour(server, 0)
	l.press(player, Paint)
	l.steps(Steps)
	if got := colour(server, 0); got != before {
		t.Errorf("a sphere out of sight was turned from %d to %d", before, got)
	}
}

// A blast is a transient node: it is built from its place on every machine near it, does
// not move, and ends by itself.
func TestBlastIsWhereItWas(t *testing.T) {
	l := newLab(t, tendon.Listen, 1, noNetwork)
	server, client := l.machines[0], l.machines[1]
	l.until("the client plays", func() bool { return mine(client, Walker) != nil })
	l.put(client.rep.Me(), PlaceData{Pos: Middle})
	l.steps(Steps)
	at := Middle.Add(gmath.Vec{X: 200, Y: -90})
	server.blast(at, donburi.Null)
	l.until("the client sees it", func() bool { return len(client.collect(Flight)) == 1 })
	if got := Place.Get(client.collect(Flight)[0]).Pos; got.DistanceTo(at) > 1 {
		t.Errorf("the blast is at %v, want %v", got, at)
	}
	l.until("it ends", func() bool { return len(client.collect(Flight)) == 0 && len(server.collect(Flight)) == 0 })
}

// On a client a bullet comes out of the walker that fires it, which is drawn as it was when
// it fired.
func TestBulletLeavesTheMuzzle(t *testing.T) {
	l := newLab(t, tendon.Listen, 1, noNetwork)
	server, client := l.machines[0], l.machines[1]
	l.until("the client plays", func() bool { return mine(client, Walker) != nil })
	l.put(client.rep.Me(), PlaceData{Pos: Middle})
	l.put(server.rep.Me(), PlaceData{Pos: Middle.Add(gmath.Vec{X: 60})})
	l.steps(Steps)
	walker := l.walker(server, server.rep.Me())
	from := Place.Get(walker).Pos.MoveInDirection(muzzle, Place.Get(walker).Rot)
	server.held.Keys = Fire
	l.steps(1)
	server.held.Keys = 0
	l.until("the client draws the bullet", func() bool {
		return len(client.collect(Flight)) == 1 && !client.collect(Flight)[0].HasComponent(components.Hidden)
	})
	const beforeSent = 3 // steps: until the next send, and the one in which it is drawn
	if got := Place.Get(client.collect(Flight)[0]).Pos; got.DistanceTo(from) > beforeSent*bulletSpeed/Steps+1 {
		t.Errorf("the bullet is first drawn at %v, %.0f from where it began, %v", got, got.DistanceTo(from), from)
	}
}

// mine returns the node with component c that a machine's player drives, or nil.
func mine(m *machine, c donburi.IComponentType) *donburi.Entry {
	e, ok := tendon.Mine(m.rep, c)
	if !ok {
		return nil
	}
	return e
}

// allSee reports whether a door is open, or shut, on every machine, and has no owner.
func (l *lab) allSee(door int, open bool) bool {
	for _, m := range l.machines {
		e := m.rep.World().Entry(m.doors[door])
		if Door.Get(e).Open != open || tendon.Owner(e) != rpl.Peer(0) {
			return false
		}
	}
	return true
}
