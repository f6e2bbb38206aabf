package rpl_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Numbers of sets of items, which are used again when all were taken.

// A wardrobe is a postman's session whose nodes have sets of small items.
type wardrobe struct {
	*postman
	kinds []*rpl.ItemType
	tried int
}

func newWardrobe(t *testing.T) *wardrobe {
	s := rpl.NewSchema("wardrobe")
	w := &wardrobe{}
	for i := range 8 {
		w.kinds = append(w.kinds, s.Build(fmt.Sprintf("kind%d", i)).Int("x", 0, 255).Done())
	}
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	w.postman = &postman{net: net}
	if w.c, err = net.Join(2); err != nil {
		t.Fatal(err)
	}
	w.c.Deaf = true
	net.OnPacket = func(_ rpl.Peer, seq uint64, b []byte) {
		w.letters = append(w.letters, letter{seq, append([]byte(nil), b...)})
	}
	return w
}

// node makes one that has some kinds of items.
func (w *wardrobe) node(t *testing.T, kinds ...int) rpl.Node {
	t.Helper()
	id, err := w.make(rpl.Always, kinds...)
	if err != nil {
		t.Fatal(err)
	}
	for k := range kinds {
		w.set(id, k)
	}
	return id
}

func (w *wardrobe) make(r rpl.Relevance, kinds ...int) (rpl.Node, error) {
	s := rpl.Spawn{Streaming: rpl.Streaming{Relevance: r}}
	for _, k := range kinds {
		s.Items = append(s.Items, w.kinds[k])
	}
	return w.net.A.Spawn(s)
}

func (w *wardrobe) set(id rpl.Node, ord int) {
	it, _ := w.net.A.Item(id, ord)
	w.net.A.SetWords(it, []int32{int32(200 + ord)})
}

// another makes a node that nobody is sent, with a set of items that no node had.
func (w *wardrobe) another() (rpl.Node, error) {
	w.tried++
	kinds := []int{7, 7} // sets of the tests themselves are shorter
	for n := w.tried; n > 0; n /= 7 {
		kinds = append(kinds, n%7)
	}
	return w.make(rpl.OwnerOnly, kinds...)
}

// exhaust takes all numbers that are left, each for a moment: the next set has one that
// another had, of those that no node has the lowest.
func (w *wardrobe) exhaust(t *testing.T) {
	t.Helper()
	for w.net.A.Layouts() < rpl.MaxLayouts {
		id, err := w.another()
		if err != nil {
			t.Fatal(err)
		}
		w.net.A.Remove(id)
	}
}

// shows is that the client has a node with the items that it has here.
func (w *wardrobe) shows(t *testing.T, id rpl.Node, kinds ...int) {
	t.Helper()
	r, ok := w.c.P.Replica(id)
	if !ok {
		t.Fatalf("%v has not come", id)
	}
	if len(r.Items) != len(kinds) {
		t.Fatalf("%v has %d items, want %d", id, len(r.Items), len(kinds))
	}
	for ord, k := range kinds {
		if r.Items[ord] != w.kinds[k] {
			t.Fatalf("item %d of %v is another", ord, id)
		}
		if words := r.Words(ord, nil); words[0] != int32(200+ord) {
			t.Errorf("item %d of %v shows %d", ord, id, words[0])
		}
	}
}

// A game that goes on making new sets of items, and has few of them at a time, makes
// as many as it likes; one that has too many at a time is told.
func TestSetsOfItemsWithoutEnd(t *testing.T) {
	w := newWardrobe(t)
	stays := w.node(t, 1, 2)
	for range 3 {
		w.exhaust(t)
		if _, err := w.another(); err != nil {
			t.Fatal(err)
		}
		w.ticks(t, 10)
		w.shows(t, stays, 1, 2)
	}
	id := w.node(t, 3, 4)
	w.ticks(t, 10)
	w.shows(t, id, 3, 4)
	var err error
	var all []rpl.Node
	for err == nil && len(all) <= rpl.MaxLayouts {
		if id, err = w.another(); err == nil {
			all = append(all, id)
		}
	}
	if !errors.Is(err, rpl.ErrLimit) || len(all) != rpl.MaxLayouts-6 { // and the session's, and five
		t.Errorf("%d sets at a time: %v", len(all)+6, err)
	}
	w.net.A.Remove(all[100])
	if _, err := w.another(); err != nil {
		t.Errorf("one is free: %v", err)
	}
}

// What the number of a set says in a packet is what it said when that was sent: what a
// set was, told late, does not replace what its number is now, and a node that is told
// late, by number alone, is not taken for one of the present set.
func TestLateSetsOfItems(t *testing.T) {
	for _, defined := range []bool{true, false} {
		w := newWardrobe(t)
		w.ticks(t, 10)
		if !defined { // the client is known to know the set
			id := w.node(t, 5, 6)
			w.ticks(t, 10)
			w.net.A.Remove(id)
			w.ticks(t, 10)
		}
		var old rpl.Node
		late := w.tick(func() { old = w.node(t, 5, 6) })
		w.net.A.Remove(old)
		w.ticks(t, 10)
		w.exhaust(t)
		id := w.node(t, 6, 5) // has its number
		w.ticks(t, 10)
		w.shows(t, id, 6, 5)
		for _, l := range late {
			w.c.P.Receive(l.seq, w.net.Now, l.b)
		}
		before := w.c.P.Counters()
		w.c.P.Apply(w.net.Now, &w.c.Log)
		if n := w.c.P.Counters().Packets - before.Packets; (n > 0) != defined {
			t.Errorf("defined %t: %d late packets were read", defined, n)
		}
		next := w.node(t, 6, 5) // is told by number alone
		w.ticks(t, 10)
		w.shows(t, id, 6, 5)
		w.shows(t, next, 6, 5)
		if w.holds(old) || len(w.c.Log.Errors) > 0 {
			t.Errorf("defined %t: it has a node that is gone: %t, %v", defined, w.holds(old), w.c.Log.Errors)
		}
	}
}

// A late ack of what a set was is none of what its number is now.
func TestLateAckOfASet(t *testing.T) {
	w := newWardrobe(t)
	w.ticks(t, 10)
	w.c.Mute = true
	old := w.node(t, 5, 6)
	w.ticks(t, 1)
	w.net.A.Remove(old)
	w.exhaust(t)
	var id rpl.Node
	w.tick(func() { id = w.node(t, 1, 2, 3) }) // is lost
	w.c.Mute = false
	for range 30 {
		w.tick(nil) // it says that it had the first
	}
	w.ticks(t, 60)
	w.shows(t, id, 1, 2, 3)
	if n := w.c.P.Counters().Refused; n > 0 {
		t.Errorf("%d packets were refused", n)
	}
}

// A node whose set is changed, and changed again to one that has the number of the first
// by now, before the client has heard of either, is shown with the last.
func TestSetThatHasTheNumberOfTheLast(t *testing.T) {
	w := newWardrobe(t)
	id := w.node(t, 5)
	w.ticks(t, 10)
	w.shows(t, id, 5)
	w.tick(func() {
		if _, err := w.net.A.AddItem(id, w.kinds[6]); err != nil {
			t.Fatal(err)
		}
		w.set(id, 1)
		w.exhaust(t)
		if _, err := w.net.A.AddItem(id, w.kinds[1]); err != nil {
			t.Fatal(err)
		}
		w.set(id, 2)
	}) // is lost
	w.ticks(t, 60)
	w.shows(t, id, 5, 6, 1)
}
