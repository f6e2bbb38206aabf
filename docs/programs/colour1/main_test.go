package main

import (
	"testing"

	"github.com/tendonengine/tendon/docs/programs/internal/stage"
	tendon "github.com/tendonengine/tendon/ecs"
)

func TestAlone(t *testing.T) {
	s := stage.New(t, stage.Lossy)
	rep := s.Open(Protocol, tendon.Config{}, step)
	setup(rep)
	for round := range 2 {
		for i, want := range Colours {
			if got := show(rep); got != want {
				t.Errorf("round %d, colour %d: %q, not %q", round, i, got, want)
			}
			s.Play(period)
		}
	}
}

// In a session every machine has a sphere of its own, in its own colour.
func TestEachItsOwn(t *testing.T) {
	s := stage.New(t, stage.Lossy)
	server, client := s.Open(Protocol, tendon.Config{}, step), s.Open(Protocol, tendon.Config{}, step)
	setup(server)
	s.Host(server)
	s.Play(period) // the client's sphere begins later
	setup(client)
	s.Join(client)
	s.Until("the client is in", func() bool { return client.Me() != 0 })
	s.Play(period)
	if a, b := show(server), show(client); a == b {
		t.Errorf("both show %s: was something replicated?", a)
	}
	for _, rep := range []*tendon.Replication{server, client} {
		if n := len(show(rep)); n > len("yellow") {
			t.Errorf("%v has more than its own sphere: %s", rep.Mode(), show(rep))
		}
	}
}
