package ecs_test

// Transforms in a world without a session: of a unit test, or of a level that has ended.

import (
	"errors"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

func TestTransformsWithoutASession(t *testing.T) {
	at := components.TransformData{Pos: gmath.Vec{X: 1, Y: 2}, Rot: 0.5}
	stands := func(what string, e *donburi.Entry) {
		t.Helper()
		check(t, what+": WorldTransform", tendon.WorldTransform(e), at)
		check(t, what+": WorldView", tendon.WorldView(e), at)
		if err := tendon.Detach(e); err == nil {
			t.Errorf("%s: Detach works", what)
		}
	}
	w := donburi.NewWorld()
	e := w.Entry(w.Create(components.Transform))
	components.Transform.SetValue(e, at)
	stands("a world of its own", e)

	rep, err := tendon.New(nil, tendon.NewProtocol("alone"), tendon.Config{})
	if err != nil {
		t.Fatal(err)
	}
	var old *donburi.Entry
	rep.OnWorld(func(w donburi.World, _ string) {
		if old == nil {
			old = w.Entry(w.Create(components.Transform))
			components.Transform.SetValue(old, at)
		}
	})
	rep.Receive()
	rep.Send()
	rep.Load("next")
	rep.Receive()
	rep.Send()
	if old.World == rep.World() {
		t.Fatal("the level has not ended")
	}
	stands("a level that has ended", old)
}

func TestDetachOfWhatIsNotThere(t *testing.T) {
	server := newLab(t, lan).server(tendon.Config{})
	e := server.Create(Transform)
	e.Remove()
	for _, gone := range []*donburi.Entry{e, nil} {
		if err := tendon.Detach(gone); !errors.Is(err, tendon.ErrNoNode) {
			t.Errorf("Detach(%v): %v", gone, err)
		}
	}
}
