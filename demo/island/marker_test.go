package island

// The map, and islands full of animals.

import (
	"testing"

	"github.com/quasilyte/gmath"

	tendon "github.com/tendonengine/tendon/ecs"
)

// A client has the markers of its team while its map is open, of players out of its sight
// too, and none while it is closed. Nobody moves a marker that nobody has.
func TestMapShowsTeamMates(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 4, noNetwork)
	server := l.machines[0]
	l.until("four walkers", func() bool { return len(server.collect(Walker)) == 4 })
	l.steps(Steps / 2)
	red, mate := l.machines[1], l.machines[3] // every second one is of the same team
	if teamOf(red.rep.Me()) != teamOf(mate.rep.Me()) {
		t.Fatalf("peers %d and %d are of different teams", red.rep.Me(), mate.rep.Me())
	}
	markers := func(m *machine) (n int) { return len(m.collect(Marker)) }
	far := Middle.Add(gmath.Vec{X: 1200})
	l.put(mate.rep.Me(), PlaceData{Pos: far})
	l.steps(Steps)
	for _, e := range server.collect(Marker) {
		if tendon.Watched(e) || Marker.Get(e).Pos.DistanceTo(far) < 100 {
			t.Error("a marker is kept up to date though every map is closed")
		}
	}
	if n := markers(red); n != 0 {
		t.Errorf("%d markers with a closed map", n)
	}
	red.OpenMap(true)
	l.until("the team's markers", func() bool { return markers(red) == 2 })
	l.steps(Steps)
	seen := false
	for m := range red.Mates() {
		seen = seen || m.Pos.DistanceTo(far) < 20
	}
	if !seen {
		t.Error("the map does not show where the team mate is")
	}
	for _, m := range l.machines[2:] {
		if n := markers(m); n != 0 {
			t.Errorf("peer %d has %d markers with a closed map", m.rep.Me(), n)
		}
	}
	red.OpenMap(false)
	l.until("no markers", func() bool { return markers(red) == 0 })
	mate.rep.Close("gone")
	l.until("the marker of who has left is gone", func() bool { return markers(server) == 3 })
}

// With thousands of animals those near players live, the others rest, and a client has what
// is near.
func TestCrowd(t *testing.T) {
	l := newLab(t, tendon.Dedicated, 1, noNetwork)
	server := l.machines[0]
	server.Crowd = 3000
	l.until("a walker", func() bool { return len(server.collect(Walker)) == 1 })
	if n := len(server.collect(Animal)); n != 3000 {
		t.Fatalf("%d animals", n)
	}
	if n := len(server.collect(Crate)); n != 1500 {
		t.Fatalf("%d crates", n)
	}
	before := map[any]PlaceData{}
	for _, e := range server.collect(Animal) {
		before[e.Entity()] = Place.GetValue(e)
	}
	l.steps(5 * Steps)
	at := Where(server.collect(Walker)[0]).Pos
	moved := 0
	for _, e := range server.collect(Animal) {
		if Place.GetValue(e) == before[e.Entity()] {
			continue
		}
		moved++
		if d := before[e.Entity()].Pos.DistanceTo(at); d > Exit+200 {
			t.Errorf("an animal %v from the only player has moved", d)
		}
	}
	if moved < 10 {
		t.Errorf("%d animals have moved", moved)
	}
	client := l.machines[1]
	if p := client.rep.Progress(); !p.Done {
		t.Errorf("the client has not come in: %+v", p)
	}
	if n := len(client.collect(Animal)); n < 10 || n > 1500 {
		t.Errorf("the client has %d animals", n)
	}
}
