package ecs_test

import (
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
)

// Load by a key of the program, between two steps: what the step before has written arrives before the
// level all the same, whether or not that step was one that sends.
func TestLoadBetweenSteps(t *testing.T) {
	for phase := range 4 {
		l := newLab(t, lan)
		server := l.server(tendon.Config{Sends: 20})
		client := l.client(tendon.Config{Sends: 20})
		for _, m := range []*machine{server, client} {
			m.OnWorld(func(donburi.World, string) {})
		}
		l.joined()
		score := server.Create(Foreign)
		l.steps(60 + phase)
		last := int32(0)
		client.OnStreamOut(Foreign, func(e *donburi.Entry, _ bool) { last = Foreign.Get(e).Value })
		server.step = func() {
			if server.World().Valid(score.Entity()) {
				Foreign.Get(score).Value = 1234
				server.step = nil
			}
		}
		l.steps(1)
		server.Load("next")
		l.steps(60)
		check(t, "the score that the client has seen last", last, 1234)
	}
}
