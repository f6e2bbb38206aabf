package ecs_test

// Leaps of many kinds: what leaps itself or with what it rides on, changes what it rides on,
// has just arrived or is handed over, over lines that lose the packet that tells of it.

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A leapLab is a server, a client, and nodes by name, of which "it" is watched.
type leapLab struct {
	server, client *machine
	nodes          map[string]donburi.Entity
}

func (z *leapLab) e(name string) *donburi.Entry { return z.server.World().Entry(z.nodes[name]) }

// make spawns a node under another, if that is named.
func (z *leapLab) make(name, under string, x float64) {
	z.nodes[name] = z.server.Create(Transform).Entity()
	if z.put(name, x); under != "" {
		_ = tendon.Attach(z.e(name), z.e(under))
	}
}

func (z *leapLab) put(name string, x float64) { Transform.Get(z.e(name)).Pos = gmath.Vec{X: x} }

// teleport is put that the game marks.
func (z *leapLab) teleport(name string, x float64) {
	z.put(name, x)
	tendon.Teleport(z.e(name))
}

// hang hangs "it" under another node, or nowhere.
func (z *leapLab) hang(under string, x float64) {
	var up *donburi.Entry
	if under != "" {
		up = z.e(under)
	}
	_ = tendon.Attach(z.e("it"), up)
	z.put("it", x)
}

// A leapScene is what happens from step 0 on; step is called before that, too.
type leapScene struct {
	name  string
	begin func(z *leapLab)
	step  func(z *leapLab, k int)
	ok    func(x float64) bool // where "it" may be drawn
}

// at is near one of some places.
func at(places ...float64) func(float64) bool {
	return func(x float64) bool {
		for _, p := range places {
			if x > p-.2 && x < p+.2 {
				return true
			}
		}
		return false
	}
}

// notBetween is all but what is between two places.
func notBetween(a, b float64) func(float64) bool {
	return func(x float64) bool { return x < a+.2 || x > b-.2 }
}

// once is what happens in step 0.
func once(act func(z *leapLab)) func(*leapLab, int) {
	return func(z *leapLab, k int) {
		if k == 0 {
			act(z)
		}
	}
}

func alone(z *leapLab) { z.make("it", "", 0) }

// riding hangs it under a car, which hangs under a ferry.
func riding(z *leapLab) {
	z.make("ferry", "", 0)
	z.make("car", "ferry", 0)
	z.make("it", "car", 0)
	z.make("bus", "", 300)
	z.make("bike", "", 10)
}

var leapScenes = []leapScene{
	{"there and back", alone, func(z *leapLab, k int) {
		if k >= 0 && k <= 24 && k%6 == 0 {
			z.put("it", float64(1-k/6%2)*300)
		}
	}, at(0, 300)},
	{"there and back, marked", alone, func(z *leapLab, k int) {
		if k >= 0 && k <= 24 && k%6 == 0 {
			z.teleport("it", float64(1-k/6%2)*8)
		}
	}, at(0, 8)},
	{"several marked", alone, func(z *leapLab, k int) {
		if k >= 0 && k < 4 {
			z.teleport("it", float64(k+1)*50)
		}
	}, at(0, 50, 100, 150, 200)},
	{"with what it rides on", riding, once(func(z *leapLab) { z.put("ferry", 300) }), at(0, 300)},
	{"with what it rides on, marked", riding, once(func(z *leapLab) { z.teleport("ferry", 10) }), at(0, 10)},
	{"gets in", func(z *leapLab) { riding(z); z.hang("", 0) }, once(func(z *leapLab) { z.hang("bus", 1) }), at(0, 301)},
	{"gets in, marked", func(z *leapLab) { riding(z); z.hang("", 0) }, once(func(z *leapLab) { z.hang("bike", 1); z.teleport("it", 1) }), at(0, 11)},
	{"gets out", riding, once(func(z *leapLab) { z.hang("", 300) }), at(0, 300)},
	{"gets out, then leaps, marked", riding, func(z *leapLab, k int) {
		switch k {
		case 0:
			z.hang("", 0)
		case 1:
			z.teleport("it", 20)
		}
	}, at(0, 20)},
	{"gets out where what it rides on has leapt", riding, func(z *leapLab, k int) {
		switch k {
		case 0:
			z.put("car", 300)
		case 1:
			z.hang("", 305)
		}
	}, func(x float64) bool { return at(0)(x) || x > 299.8 && x < 305.2 }},
	{"changes", riding, once(func(z *leapLab) { z.hang("bus", 0) }), at(0, 300)},
	{"a runner", alone, func(z *leapLab, k int) {
		if x := float64(k) * 6; k < 0 {
			z.put("it", x)
		} else {
			z.put("it", 1000+x)
		}
	}, notBetween(0, 1000)},
	{"runs from there on", alone, func(z *leapLab, k int) {
		if k >= 0 {
			z.put("it", 400+float64(k)*6)
		}
	}, notBetween(0, 400)},
	{"stops there", alone, func(z *leapLab, k int) {
		if z.put("it", float64(k)*6); k >= 0 {
			z.put("it", 400)
		}
	}, func(x float64) bool { return x < 50 || at(400)(x) }}, // it is drawn running on while a packet is missing
	{"walks on, marked", alone, func(z *leapLab, k int) {
		switch x := float64(k) * 2; {
		case k < 0:
			z.put("it", x)
		case k == 0:
			z.teleport("it", 40)
		default:
			z.put("it", 40+x)
		}
	}, notBetween(0, 40)},
	{"soon after it arrived", func(*leapLab) {}, func(z *leapLab, k int) {
		switch k {
		case 0:
			z.make("it", "", 0)
		case 3:
			z.put("it", 300)
		}
	}, at(0, 300)},
	{"soon after it arrived, marked", func(*leapLab) {}, func(z *leapLab, k int) {
		switch k {
		case 0:
			z.make("it", "", 0)
		case 3:
			z.teleport("it", 10)
		}
	}, at(0, 10)},
	{"where it arrives, marked", func(*leapLab) {}, once(func(z *leapLab) { z.make("it", "", 0); z.teleport("it", 10) }), at(10)},
	{"to another owner", alone, once(func(z *leapLab) { z.put("it", 300); tendon.Give(z.e("it"), 2) }), at(0, 300)},
	{"to another owner, marked", alone, once(func(z *leapLab) { z.teleport("it", 10); tendon.Give(z.e("it"), 2) }), at(0, 10)},
}

func TestLeapsOfManyKinds(t *testing.T) {
	lossy := netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 10 * time.Millisecond, Loss: .1}
	for _, s := range leapScenes {
		for i, line := range []netsim.Conditions{lan, lossy, lossy} {
			for _, sends := range some([]int{0, 20}) {
				for _, noise := range []bool{false, true} {
					if wrong := s.play(t, tendon.Config{Sends: sends}, line, i, noise); wrong != "" {
						t.Errorf("%s, loss %v, line %d, sends %d, noise %v: drawn at%s", s.name, line.Loss, i, sends, noise, wrong)
					}
				}
			}
		}
	}
}

// play returns where it was drawn wrongly.
func (s *leapScene) play(t *testing.T, c tendon.Config, line netsim.Conditions, phase int, noise bool) (wrong string) {
	l := newLab(t, line)
	z := &leapLab{server: l.server(c), client: l.client(c), nodes: map[string]donburi.Entity{}}
	l.joined()
	other := z.server.Create(Paint).Entity()
	s.begin(z)
	for k := -60 - phase; k < 60; k++ {
		if noise {
			Paint.Get(z.server.World().Entry(other)).Colour++
		}
		s.step(z, k)
		l.steps(1)
		z.client.Frame()
		it, there := z.nodes["it"]
		if !there || k < -20 {
			continue
		}
		e, here := z.client.Find(tendon.ID(z.server.World().Entry(it)))
		if !here || e.HasComponent(components.Hidden) {
			continue
		}
		if x := tendon.WorldView(e).Pos.X; !s.ok(x) {
			wrong += fmt.Sprintf(" %.1f", x)
		}
	}
	return wrong
}

// A marked leap of what goes on evenly is cut, too, where the packets that tell of it are lost, and what
// is drawn has gone on without it for a while.
func TestMarkedLeapWhoseNewsIsLost(t *testing.T) {
	for _, lost := range [][][2]int{{{0, 2}}, {{0, 4}}, {{0, 8}}, {{0, 2}, {9, 14}}, {{0, 2}, {7, 20}}, {{0, 4}, {10, 20}}} {
		l := newLab(t, netsim.Conditions{Delay: 75 * time.Millisecond})
		server, client := l.server(tendon.Config{}), l.player(tendon.Config{})
		l.joined()
		e := server.Create(Body).Entity()
		id, since, between := tendon.ID(server.World().Entry(e)), -1, 0
		ok := netsim.Conditions{Delay: 75 * time.Millisecond}
		server.step = func() {
			b := Body.Get(server.World().Entry(e))
			b.Pos.X += 2
			if since++; since == 0 {
				b.Pos.Y += 20
				tendon.Teleport(server.World().Entry(e))
			}
		}
		for round := range 5 {
			since = -120
			for range 300 {
				down := ok
				for _, span := range lost {
					if since >= span[0] && since < span[1] {
						down.Loss = 1
					}
				}
				client.way.SetConditions(ok, down)
				l.steps(1)
				client.Frame()
				if client.has(id) && (round > 0 || since > -60) {
					if y := tendon.View(client.find(id), Body).Pos.Y; math.Abs(y-20*math.Round(y/20)) > 0.1 {
						between++
					}
				}
			}
		}
		if between > 0 {
			t.Errorf("lost %v: drawn between two places in %d frames", lost, between)
		}
	}
}
