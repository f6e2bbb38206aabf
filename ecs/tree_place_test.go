package ecs_test

// Nodes that get another parent and stay where they are.

import (
	"errors"
	"math"
	"testing"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

// AttachInPlace and Detach leave a node where it is in the world, on every machine: under one that is turned and hangs on
// another, under a part, and at the top. What is no thing with a place, and what may not hang there, is as with Attach.
func TestAttachInPlace(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
	l.joined()
	ship, mast, sailor, plain := server.Create(Transform), server.Create(Transform), server.Create(Transform), server.Create(Foreign)
	components.Transform.SetValue(ship, components.TransformData{Pos: gmath.Vec{X: 100, Y: 50}, Rot: 1})
	components.Transform.SetValue(mast, components.TransformData{Pos: gmath.Vec{X: 10, Y: -3}, Rot: -2.5})
	flag := server.World().Entry(server.World().Create(components.Transform))
	components.Transform.SetValue(flag, components.TransformData{Pos: gmath.Vec{X: 4}, Rot: 2})
	tendon.Part(mast, flag)
	if err := tendon.Attach(mast, ship); err != nil {
		t.Fatal(err)
	}
	at := components.TransformData{Pos: gmath.Vec{X: 130, Y: 20}, Rot: 3}
	components.Transform.SetValue(sailor, at)
	for _, x := range []struct {
		what     string
		to, node *donburi.Entry
	}{{"the mast", mast, mast}, {"the ship", ship, ship}, {"the flag", flag, mast}, {"nothing", nil, nil}, {"nothing again", nil, nil}} {
		if err := tendon.AttachInPlace(sailor, x.to); err != nil {
			t.Fatal(err)
		}
		if up := tendon.Parent(sailor); up != x.node && (up == nil || x.node == nil || up.Entity() != x.node.Entity()) {
			t.Errorf("%s: the parent is %v", x.what, up)
		}
		l.steps(40)
		for name, got := range map[string]components.TransformData{
			"on the server": tendon.WorldTransform(sailor), "on the client": tendon.WorldTransform(client.find(tendon.ID(sailor))), "drawn": tendon.WorldView(client.find(tendon.ID(sailor))),
		} {
			if got.Pos.DistanceTo(at.Pos) > 0.2 || math.Abs(float64(got.Rot-at.Rot)) > 0.02 {
				t.Errorf("on %s, %s: it is at %v, not %v", x.what, name, got, at)
			}
		}
	}
	if err := tendon.AttachInPlace(plain, ship); err != nil || tendon.Parent(plain).Entity() != ship.Entity() {
		t.Errorf("without a place: %v", err)
	}
	if err := tendon.AttachInPlace(ship, mast); err == nil || tendon.WorldTransform(ship).Pos.X != 100 {
		t.Errorf("in a ring: %v, at %v", err, tendon.WorldTransform(ship))
	}
	if err := tendon.AttachInPlace(client.find(tendon.ID(sailor)), client.find(tendon.ID(ship))); !errors.Is(err, tendon.ErrNotAllowed) {
		t.Errorf("on a client: %v", err)
	}
}
