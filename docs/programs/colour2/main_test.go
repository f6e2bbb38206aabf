package main

import (
	"slices"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/docs/programs/internal/stage"
	tendon "github.com/tendonengine/tendon/ecs"
)

func TestAlone(t *testing.T) {
	s := stage.New(t, stage.Lossy)
	rep := s.Open(Protocol, tendon.Config{}, step)
	setup(rep)
	s.Play(1) // the world begins, and the sphere with it
	for round := range 2 {
		for i, want := range Colours {
			if got := show(rep); got != want {
				t.Errorf("round %d, colour %d: %q, not %q", round, i, got, want)
			}
			s.Play(period)
		}
	}
}

// Everyone sees the same colours in the same order, whenever they join; the
// callback paints on the server and on the clients.
func TestInCommon(t *testing.T) {
	s := stage.New(t, stage.Lossy)
	seen := map[*tendon.Replication][]string{}
	open := func() *tendon.Replication {
		rep := s.Open(Protocol, tendon.Config{}, step)
		setup(rep)
		tendon.OnChange(rep, Sphere, func(e *donburi.Entry, _ SphereData) {
			seen[rep] = append(seen[rep], Circle.Get(e).Fill)
		})
		return rep
	}
	server, early := open(), open()
	s.Host(server)
	s.Join(early)
	s.Until("it is in", func() bool { return early.Me() != 0 && show(early) != "" })
	seen[early] = nil
	for range 2 * len(Colours) {
		s.Play(period)
	}
	late := open()
	s.Join(late)
	s.Until("it is in, too", func() bool { return late.Me() != 0 && show(late) != "" })
	s.Play(20)
	for _, rep := range []*tendon.Replication{early, late} {
		if show(rep) != show(server) {
			t.Errorf("%v %d sees %q, the server %q", rep.Mode(), rep.Me(), show(rep), show(server))
		}
	}
	if !slices.Equal(seen[server], seen[early]) || len(seen[server]) != 2*len(Colours) {
		t.Errorf("the server painted %v, the client %v", seen[server], seen[early])
	}
}
