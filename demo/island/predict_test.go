package island

// What a player feels: keys that act at once, shots that hit what is seen.

import (
	"testing"
	"time"

	"github.com/quasilyte/gmath"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

var farAway = netsim.Conditions{Delay: 60 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: 0.03}

// plays returns a machine that plays in a mode, with its walker in the middle of the plaza.
func plays(t *testing.T, mode tendon.Mode, clients, who int) (*lab, *machine) {
	t.Helper()
	l := newLab(t, mode, clients, farAway)
	m := l.machines[who]
	l.until("the player has a walker", func() bool { return mine(m, Walker) != nil && mine(m, Controller) != nil })
	l.put(m.rep.Me(), PlaceData{Pos: Middle})
	l.steps(Steps)
	return l, m
}

// A key moves the own walker in its own step, in single player, on a listen host and on a
// client whose server is far away.
func TestKeysActInTheirStep(t *testing.T) {
	for _, c := range []struct {
		name         string
		mode         tendon.Mode
		clients, who int
	}{{"single player", tendon.Single, 0, 0}, {"listen host", tendon.Listen, 1, 0}, {"client", tendon.Dedicated, 1, 1}} {
		t.Run(c.name, func(t *testing.T) {
			l, m := plays(t, c.mode, c.clients, c.who)
			was := Place.Get(mine(m, Walker)).Pos
			m.held.Keys = Right
			l.steps(1)
			if is := Place.Get(mine(m, Walker)).Pos; is.X < was.X+2 {
				t.Errorf("in the step of the key it is at %v, was at %v", is, was)
			}
			m.held = Input{Keys: Fire | Aims, Aim: 3}
			l.steps(1)
			bullets := 0
			for e := range Flight.Iter(m.rep.World()) {
				if tendon.IsOwner(e) {
					bullets++
				}
			}
			if bullets != 1 {
				t.Errorf("in the step of the key there are %d bullets", bullets)
			}
		})
	}
}

// A walker and a car go where their player's machine has them; the authority agrees.
func TestPredictionsHold(t *testing.T) {
	l, m := plays(t, tendon.Dedicated, 1, 1)
	server := l.machines[0]
	var told []tendon.Correction
	m.rep.OnCorrection(func(c tendon.Correction) { told = append(told, c) })
	for _, k := range []Keys{Right, Right | Up, Left, Left | Down} {
		m.held.Keys = k
		l.steps(Steps / 2)
	}
	if len(told) > 0 {
		t.Errorf("on foot %d corrections: %+v", len(told), told[0])
	}
	m.held.Keys = 0
	car := carOf(l, server, 0)
	l.put(m.rep.Me(), PlaceData{Pos: Place.Get(car).Pos.Add(gmath.Vec{X: 50})})
	l.steps(Steps)
	l.press(m, Use)
	l.until("the player drives", func() bool { return mine(m, Car) != nil })
	for _, e := range server.collect(Animal) {
		e.Remove() // none is in the way
	}
	l.steps(Steps)
	told = nil
	was := Place.Get(mine(m, Car)).Pos
	m.held.Keys = Up
	l.steps(1)
	if is := Place.Get(mine(m, Car)).Pos; is == was {
		t.Error("the car does not move in the step of the key")
	}
	for _, k := range []Keys{Up, Up | Right, Down, Down | Left, Up} {
		m.held.Keys = k
		l.steps(Steps / 3)
	}
	if len(told) > 2 { // crates that it has run into
		t.Errorf("in the car %d corrections: %+v", len(told), told)
	}
	m.held.Keys = 0
	l.steps(2 * Steps)
	if a, b := Place.Get(mine(m, Car)).Pos, Place.Get(car).Pos; a.DistanceTo(b) > 1 {
		t.Errorf("in the end the car is at %v, on the server at %v", a, b)
	}
}

// A player who sees its bullet meet somebody has hit, although on the server that body is far
// on by then.
func TestShotsHitWhatIsSeen(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 2, netsim.Conditions{Delay: 100 * time.Millisecond})
	server, shooter, target := l.machines[0], l.machines[1], l.machines[2]
	l.until("both play", func() bool {
		return len(shooter.collect(Walker)) == 2 && mine(shooter, Walker) != nil && mine(target, Walker) != nil
	})
	for _, e := range append(server.collect(Animal), server.collect(Crate)...) {
		e.Remove()
	}
	runner := l.walker(server, target.rep.Me())
	hits, met := 0, 0
	for range 5 {
		l.put(shooter.rep.Me(), PlaceData{Pos: Middle})
		l.put(target.rep.Me(), PlaceData{Pos: Middle.Add(gmath.Vec{X: -60, Y: 80})})
		Walker.Get(runner).Health = FullHealth
		l.steps(Steps)
		target.held.Keys = Right
		l.steps(Steps / 3)
		shooter.rep.Frame()
		seen := tendon.View(l.walker(shooter, target.rep.Me()), Place).Pos
		from := Place.Get(mine(shooter, Walker)).Pos
		seen.X += walkSpeed * (seen.DistanceTo(from) - muzzle) / bulletSpeed // where it will be when the bullet is there
		shooter.held = Input{Keys: Fire | Aims, Aim: from.AngleToPoint(seen).Normalized()}
		l.steps(1)
		shooter.held = Input{}
		for range Steps / 2 {
			l.steps(1)
			for e := range Flight.Iter(shooter.rep.World()) {
				if Flight.Get(e).Met == shooter.rep.PredictedTick() {
					met++
				}
			}
		}
		if Walker.Get(runner).Health < FullHealth {
			hits++
		}
		target.held = Input{}
	}
	if met < 4 { // by a pixel it may be otherwise
		t.Errorf("%d of 5 shots that met their target on the screen have ended there at once", met)
	}
	if hits != 5 {
		t.Errorf("%d of 5 shots that met their target on the screen have hit it", hits)
	}
}

// Without prediction the own walker waits for the server, and so does its bullet. It can be
// turned off and on while the game goes on.
func TestPredictionOff(t *testing.T) {
	l, m := plays(t, tendon.Dedicated, 1, 1)
	m.Unpredicted = true
	l.steps(2)
	was := Place.Get(mine(m, Walker)).Pos
	m.held = Input{Keys: Right | Fire}
	l.steps(4)
	if is := Place.Get(mine(m, Walker)).Pos; is != was {
		t.Errorf("67 ms after the key it is at %v already, was at %v", is, was)
	}
	if n := len(m.collect(Flight)); n > 0 {
		t.Errorf("%d bullets", n)
	}
	l.steps(Steps)
	if is := Place.Get(mine(m, Walker)).Pos; is.X < was.X+walkSpeed/2 {
		t.Errorf("the server's answer: at %v, was at %v", is, was)
	}
	m.held = Input{}
	l.steps(Steps) // the server has heard that the key is up, and said so: from there on it is predicted
	l.until("its bullets are gone", func() bool { return len(m.collect(Flight)) == 0 })
	m.Unpredicted = false
	l.steps(2)
	was = Place.Get(mine(m, Walker)).Pos
	m.held.Keys = Left
	l.steps(1)
	if is := Place.Get(mine(m, Walker)).Pos; is.X >= was.X {
		t.Errorf("predicted again, in the step of the key it is at %v, was at %v", is, was)
	}
}
