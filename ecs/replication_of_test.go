package ecs

// Of finds the session of a world.

import (
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/donburix"
)

type pointData struct{ X, Y float64 }

var (
	pointType = donburi.NewComponentType[pointData]()
	tagA      = donburi.NewTag("A")
	tagB      = donburi.NewTag("B")
)

// An unwalkable world is one whose archetypes cannot be inspected.
type unwalkable struct {
	donburi.World // nil
	w             donburi.World
}

func (u unwalkable) StorageAccessor() donburi.StorageAccessor {
	return donburi.StorageAccessor{Components: u.w.StorageAccessor().Components}
}

// Of finds the session of a world, however much the world holds and whatever its first
// archetype is, as long as it has a session. Of touches nothing of donburi's own.
func TestOf(t *testing.T) {
	p := NewProtocol("of")
	w := donburi.NewWorld()
	w.CreateMany(3, pointType, tagA)
	r, err := New(w, p, Config{})
	if err != nil {
		t.Fatal(err)
	}
	e := r.Session()
	donburix.Add(e, pointType)
	if Of(w) != r || Of(unwalkable{w: w}) != r || Of(donburi.NewWorld()) != nil || Of(nil) != nil {
		t.Error("Of does not find the session, or finds one elsewhere")
	}
	for range 3 {
		w.Create(pointType, tagA)
		donburix.Add(w.Entry(w.Create(pointType, tagA)), tagB)
		if Of(w) != r {
			t.Error("Of has lost the session")
		}
	}
	r.attach(donburi.NewWorld())
	if Of(w) != nil || Of(r.World()) != r {
		t.Error("Of finds the session in the world that it has left, or not in its new one")
	}
	r.attach(w) // like any world, it begins without a session
	if Of(w) != r {
		t.Error("Of does not find the session in a world that had one")
	}
	if _, err := New(r.World(), p, Config{}); err == nil {
		t.Error("two sessions in one world")
	}
	again, err := New(donburi.NewWorld(), p, Config{})
	if err != nil || again == r {
		t.Errorf("a second session of one process: %v", err)
	}
}
