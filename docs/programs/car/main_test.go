package main

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/docs/programs/internal/stage"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A driver is one machine, with what was called there.
type driver struct {
	*Game
	calls map[string]int // "simulate 2": on the car of peer 2
}

func open(s *stage.Stage, c tendon.Config, in InputData) *driver {
	d := &driver{calls: map[string]int{}}
	rep := s.Open(Protocol, c, func(*tendon.Replication) { d.Step() })
	d.Game = NewGame(rep, func() InputData { return in })
	d.called = func(what string, e *donburi.Entry) { d.calls[fmt.Sprint(what, " ", tendon.Owner(e))]++ }
	return d
}

func (d *driver) car(t *testing.T, owner rpl.Peer) *donburi.Entry {
	t.Helper()
	for e := range Car.Iter(d.rep.World()) {
		if tendon.Owner(e) == owner {
			return e
		}
	}
	t.Fatalf("%v has no car of %d", d.rep.Mode(), owner)
	return nil
}

// The table of main.go: what is called where, on whose car, once a step and nothing else.
func TestWhatIsCalledWhere(t *testing.T) {
	const steps = 60
	for _, c := range []struct {
		mode    tendon.Mode
		clients int
		want    []string // by machine, the server first
	}{
		{tendon.Single, 0, []string{"give input 1, simulate 1"}},
		{tendon.Listen, 2, []string{
			"give input 1, simulate 1, simulate 2, simulate 3",
			"give input 2, move 1, move 3, simulate 2",
			"give input 3, move 1, move 2, simulate 3",
		}},
		{tendon.Dedicated, 2, []string{
			"simulate 2, simulate 3",
			"give input 2, move 3, simulate 2",
			"give input 3, move 2, simulate 3",
		}},
	} {
		t.Run(c.mode.String(), func(t *testing.T) {
			s := stage.New(t, stage.Lossy)
			drivers := []*driver{open(s, tendon.Config{Dedicated: c.mode == tendon.Dedicated}, InputData{Gas: 1})}
			if c.mode != tendon.Single {
				s.Host(drivers[0].rep)
			}
			for i := range c.clients {
				d := open(s, tendon.Config{}, InputData{Gas: 0.5, Wheel: -1})
				s.Join(d.rep)
				s.Until("it is in", func() bool { return int(d.rep.Me()) == 2+i })
				drivers = append(drivers, d)
			}
			s.Play(60) // everyone has everything
			for _, d := range drivers {
				clear(d.calls)
			}
			s.Play(steps)
			for i, d := range drivers {
				if got := strings.Join(slices.Sorted(maps.Keys(d.calls)), ", "); got != c.want[i] {
					t.Errorf("machine %d (%v): called %s; not %s", i, d.rep.Mode(), got, c.want[i])
				}
				for what, n := range d.calls {
					spare := 0
					if i > 0 && strings.HasPrefix(what, "simulate") {
						spare = 3 // a client's step may make no tick, or two, to keep the time
					}
					if max(n-steps, steps-n) > spare {
						t.Errorf("machine %d (%v): %s was called %d times in %d steps", i, d.rep.Mode(), what, n, steps)
					}
				}
			}
		})
	}
}

// The input drives the authority's car, and everyone's model ends there.
func TestEveryoneSeesTheDrive(t *testing.T) {
	s := stage.New(t, stage.Lossy)
	server := open(s, tendon.Config{}, InputData{})
	s.Host(server.rep)
	in := InputData{Gas: 1, Wheel: 1}
	d := &driver{calls: map[string]int{}}
	rep := s.Open(Protocol, tendon.Config{}, func(*tendon.Replication) { d.Step() })
	d.Game = NewGame(rep, func() InputData { return in })
	s.Join(rep)
	s.Until("it is in", func() bool { return rep.Me() == 2 && len(slices.Collect(server.rep.Peers())) == 2 })
	s.Until("it drives", func() bool { return Car.Get(server.car(t, 2)).Speed > 5 })
	in = InputData{}
	s.Play(600) // it rolls out
	at := Car.Get(server.car(t, 2)).Pos
	if at.Len() < 2 {
		t.Errorf("it got no further than %v", at)
	}
	if seen := Model.Get(d.car(t, 2)).Pos; seen.DistanceTo(at) > 0.25 {
		t.Errorf("the driver sees it at %v, the server at %v", seen, at)
	}
	if other := Car.Get(server.car(t, 1)).Pos; other.Len() != 0 {
		t.Errorf("the other's car moved to %v", other)
	}
}
