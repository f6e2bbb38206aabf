package main

import (
	"errors"
	"fmt"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/docs/programs/internal/stage"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A player is one machine with a hand on its keys.
type player struct {
	*Game
	hand uint16
}

func open(s *stage.Stage, c tendon.Config, held bool) *player {
	p := &player{}
	rep := s.Open(Protocol, c, func(*tendon.Replication) { p.Step() })
	p.Game = NewGame(rep, func() uint16 { return p.hand }, held)
	return p
}

// press holds the keys for a fifth of a second and lets go for as long.
func press(s *stage.Stage, p *player, keys ...int) {
	for _, k := range keys {
		p.hand |= 1 << (k - 1)
	}
	s.Play(12)
	p.hand = 0
	s.Play(12)
}

func (p *player) colours() (cs [9]uint8) {
	for i, e := range p.spheres {
		cs[i] = Sphere.Get(p.rep.World().Entry(e)).Colour
	}
	return cs
}

func (p *player) check(t *testing.T, want [9]uint8) {
	t.Helper()
	if got := p.colours(); got != want {
		t.Errorf("%v: %v, not %v", p.rep.Mode(), got, want)
	}
	for i, e := range p.spheres {
		if fill := Circle.Get(p.rep.World().Entry(e)).Fill; fill != Colours[want[i]] {
			t.Errorf("%v: sphere %d is painted %s, not %s", p.rep.Mode(), i+1, fill, Colours[want[i]])
		}
	}
}

// Both ways of input, in all modes, on a bad network: each press counts once,
// and everyone sees the same.
func TestNineKeys(t *testing.T) {
	for _, held := range []bool{false, true} {
		t.Run(fmt.Sprint("held ", held), func(t *testing.T) {
			t.Run("single player", func(t *testing.T) {
				s := stage.New(t, stage.Lossy)
				alone := open(s, tendon.Config{}, held)
				press(s, alone, 5)
				press(s, alone, 5, 9)
				alone.check(t, [9]uint8{4: 2, 8: 1})
			})
			t.Run("listen server", func(t *testing.T) {
				s := stage.New(t, stage.Lossy)
				server, ann := open(s, tendon.Config{}, held), open(s, tendon.Config{}, held)
				s.Host(server.rep)
				s.Join(ann.rep)
				s.Until("ann drives", func() bool { _, ok := tendon.Mine(ann.rep, Controller); return ok && ann.rep.Me() != rpl.Server })
				s.Play(60)
				press(s, server, 1)
				press(s, ann, 1, 2)
				for range 5 { // five presses: once round and one on
					press(s, ann, 3)
				}
				bob := open(s, tendon.Config{}, held)
				s.Join(bob.rep)
				s.Play(60)
				want := [9]uint8{2, 1, 1}
				for _, p := range []*player{server, ann, bob} {
					p.check(t, want)
					if n := len(controllers(p)); p != server && n != 1 {
						t.Errorf("%v %d has %d controllers, not its own alone", p.rep.Mode(), p.rep.Me(), n)
					}
				}
			})
			t.Run("dedicated server", func(t *testing.T) {
				s := stage.New(t, stage.Lossy)
				server, ann := open(s, tendon.Config{Dedicated: true}, held), open(s, tendon.Config{}, held)
				server.hand = 0x1ff // nobody sits there
				s.Host(server.rep)
				s.Join(ann.rep)
				s.Until("ann drives", func() bool { _, ok := tendon.Mine(ann.rep, Controller); return ok && ann.rep.Me() > rpl.Server })
				s.Play(60) // her commands come in time
				press(s, ann, 7)
				s.Play(60)
				server.check(t, [9]uint8{6: 1})
				ann.check(t, [9]uint8{6: 1})
			})
		})
	}
}

func controllers(p *player) (es []donburi.Entity) {
	for e := range Controller.Iter(p.rep.World()) {
		es = append(es, e.Entity())
	}
	return es
}

// What names no sphere paints none, and is counted: an index beyond the ninth,
// a reference to something else, a call on what is no controller.
func TestWhatNamesNoSphere(t *testing.T) {
	s := stage.New(t, stage.Lossy)
	server, ann := open(s, tendon.Config{}, true), open(s, tendon.Config{}, true)
	s.Host(server.rep)
	s.Join(ann.rep)
	s.Until("ann drives", func() bool { _, ok := tendon.Mine(ann.rep, Controller); return ok && ann.rep.Me() != rpl.Server })
	ann.hand = 1<<8 | 1<<9 | 1<<15
	s.Play(60)
	server.check(t, [9]uint8{8: 1})
	if n := *server.rep.Counter("no such sphere"); n != 2 {
		t.Errorf("%d keys without a sphere, not 2", n)
	}

	me, _ := tendon.Mine(ann.rep, Controller)
	for _, what := range []donburi.Entity{me.Entity(), donburi.Null} {
		if err := Press.Send(me, PressArgs{what}); err != nil {
			t.Fatal(err)
		}
	}
	s.Play(60)
	server.check(t, [9]uint8{8: 1})
	if n := *server.rep.Counter("rpc refused"); n != 2 {
		t.Errorf("%d presses of no sphere were refused, not 2", n)
	}

	if err := Press.Send(ann.rep.Session(), PressArgs{ann.spheres[0]}); !errors.Is(err, tendon.ErrNotAllowed) {
		t.Errorf("called on what is no controller: %v", err)
	}
	s.Play(60)
	server.check(t, [9]uint8{8: 1})
}
