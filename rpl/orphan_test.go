package rpl_test

import (
	"testing"

	"github.com/tendonengine/tendon/rpl"
)

// Protocol rules 18 and 20: a parent that goes before its children are told of their
// new parent.

// A riders is a session with two cars and a rider in one of them. The rider carries a
// node that the peer owns, so the peer sees the rider and the car that it sits in, and
// not the other car.
type riders struct {
	*postman
	cars  [2]rpl.Node
	rider rpl.Node
}

func newRiders(t *testing.T) *riders {
	d := &riders{postman: newPostman(t)}
	d.ticks(t, 10)
	return d
}

func (d *riders) spawn(t *testing.T) {
	t.Helper()
	for i := range d.cars {
		d.cars[i] = d.one(t, rpl.Spawn{Streaming: rpl.Streaming{Relevance: rpl.OwnerOnly}})
	}
	d.rider = d.one(t, rpl.Spawn{Parent: d.cars[0]})
	d.one(t, rpl.Spawn{Parent: d.rider, Owner: 2})
}

func (d *riders) one(t *testing.T, s rpl.Spawn) rpl.Node {
	t.Helper()
	s.Items = []*rpl.ItemType{d.sch.body}
	id, err := d.net.A.Spawn(s)
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// change moves the rider into a car, and returns that tick's packets undelivered.
func (d *riders) change(t *testing.T, car int) []letter {
	return d.tick(func() {
		if err := d.net.A.SetParent(d.rider, d.cars[car]); err != nil {
			t.Fatal(err)
		}
	})
}

// sits checks that the adapter was told that the rider is in this car.
func (d *riders) sits(t *testing.T, car int) {
	t.Helper()
	r, ok := d.c.P.Replica(d.rider)
	if !ok {
		t.Fatal("the rider is not here")
	}
	if up := d.c.Log.Held[d.cars[car]]; r.Orphaned() || r.Parent != d.cars[car] || up == nil || d.c.Log.Under(r) != up {
		t.Errorf("adrift %v, under %v, told %v, want %v, which is here: %v", r.Orphaned(), r.Parent, d.c.Log.Under(r), d.cars[car], up != nil)
	}
}

// adrift checks that the rider has no parent at the client and is not a root either.
func (d *riders) orphaned(t *testing.T) {
	t.Helper()
	r, ok := d.c.P.Replica(d.rider)
	if !ok {
		t.Fatal("the rider is not here")
	}
	if up := d.c.Log.Under(r); !r.Orphaned() || up != nil {
		t.Errorf("adrift %v, under %v, told %v", r.Orphaned(), r.Parent, up)
	}
}

// A parent that has streamed out and in again is a new replica, and the adapter is told
// of it as the child's parent.
func TestParentComesBack(t *testing.T) {
	for gap := range 8 {
		d := newRiders(t)
		d.spawn(t)
		d.ticks(t, 10)
		d.sits(t, 0)
		d.deliver(t, d.change(t, 1))
		d.ticks(t, gap)
		d.deliver(t, d.change(t, 0))
		d.ticks(t, 30)
		d.sits(t, 0)
	}
}

// A child does not become a root when its update or its arrival names a parent that has
// already gone, in the same Apply or because the packet was overtaken.
func TestUpdateNamesAParentThatHasGone(t *testing.T) {
	tests := map[string]func(d *riders, early, late []letter){
		"in one Apply": func(d *riders, early, late []letter) { d.deliver(t, append(early, late...)) },
		"overtaken":    func(d *riders, early, late []letter) { d.deliver(t, late); d.deliver(t, early) },
	}
	for name, play := range tests {
		t.Run(name, func(t *testing.T) {
			d := newRiders(t)
			d.spawn(t)
			d.ticks(t, 10)
			early := d.tick(func() { d.net.A.HandOver(d.rider, 9) })
			play(d, early, d.change(t, 1))
			d.orphaned(t)
			d.ticks(t, 30)
			d.sits(t, 1)
		})
		t.Run("as it comes, "+name, func(t *testing.T) {
			d := newRiders(t)
			early := d.tick(func() { d.spawn(t) })
			play(d, early, d.change(t, 1))
			if r, ok := d.c.P.Replica(d.rider); ok && r.Parent == 0 && !r.Orphaned() {
				t.Error("it has become a root")
			}
			d.ticks(t, 30)
			d.sits(t, 1)
		})
	}
}

// A parent that a proxy has lost and gets again has its children again, without a
// resync.
func TestParentIsSentAgain(t *testing.T) {
	w := still(t, rpl.AuthorityConfig{CheckEvery: -1}, 5)
	c, car, rider := w.net.Clients[0], w.nodes[2], w.nodes[3].id
	if err := w.net.A.SetParent(rider, car.id); err != nil {
		t.Fatal(err)
	}
	ticks := func(n int) {
		for range n {
			w.net.Tick(func(tick rpl.Tick) {
				car.words[4] = int32(tick % 100)
				w.net.A.SetWords(car.item, car.words)
			})
		}
	}
	ticks(60)
	rpl.FaultsOf(c.P).Lose(car.id)
	ticks(120)
	r, ok := c.P.Replica(rider)
	if up := c.Log.Held[car.id]; !ok || up == nil || c.Log.Under(r) != up || r.Orphaned() {
		t.Errorf("it is told to be under %v, want %v: %+v", c.Log.Under(r), up, c.P.Counters())
	}
	if n := w.net.A.Counters().Resyncs; n != 0 {
		t.Errorf("told all anew %d times", n)
	}
}
