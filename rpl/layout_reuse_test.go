package rpl_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Layout numbers, which name sets of items on the wire and are used again when all are
// taken.

// A wardrobe is a postman with nodes that have different sets of small items.
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

// node makes a node with items of the given kinds.
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

// another makes a node that no peer is sent, with a set of items that no node has had.
func (w *wardrobe) another() (rpl.Node, error) {
	w.tried++
	kinds := []int{7, 7} // the tests' own sets never begin so
	for n := w.tried; n > 0; n /= 7 {
		kinds = append(kinds, n%7)
	}
	return w.make(rpl.OwnerOnly, kinds...)
}

// exhaust uses up all layout numbers that are left and frees them at once. The next new
// set gets the lowest number that no node's set has.
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

// shows checks that the client has a node with these items and their values.
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

// A game may make any number of sets of items if few exist at a time; Spawn returns
// ErrLimit if too many exist at a time.
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
	if !errors.Is(err, rpl.ErrLimit) || len(all) != rpl.MaxLayouts-6 { // the session's set and the five others made so far
		t.Errorf("%d sets at a time: %v", len(all)+6, err)
	}
	w.net.A.Remove(all[100])
	if _, err := w.another(); err != nil {
		t.Errorf("one is free: %v", err)
	}
}

// A layout number in a late packet has the meaning that it had when the packet was
// sent: a late definition does not replace the number's present set, and a node that
// arrives late by number alone does not get the present set.
func TestLateSetsOfItems(t *testing.T) {
	for _, defined := range []bool{true, false} {
		w := newWardrobe(t)
		w.ticks(t, 10)
		if !defined { // the client already knows the set, so it is sent by number alone
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
		id := w.node(t, 6, 5) // gets the number of the first set
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
		next := w.node(t, 6, 5) // sent by number alone
		w.ticks(t, 10)
		w.shows(t, id, 6, 5)
		w.shows(t, next, 6, 5)
		if w.holds(old) || len(w.c.Log.Errors) > 0 {
			t.Errorf("defined %t: it has a node that is gone: %t, %v", defined, w.holds(old), w.c.Log.Errors)
		}
	}
}

// A late ack of a number's former set does not count as an ack of its present set.
func TestLateAckOfASet(t *testing.T) {
	w := newWardrobe(t)
	w.ticks(t, 10)
	w.c.Mute = true
	old := w.node(t, 5, 6)
	w.ticks(t, 1)
	w.net.A.Remove(old)
	w.exhaust(t)
	var id rpl.Node
	w.tick(func() { id = w.node(t, 1, 2, 3) }) // this packet is lost
	w.c.Mute = false
	for range 30 {
		w.tick(nil) // the client acks the first set
	}
	w.ticks(t, 60)
	w.shows(t, id, 1, 2, 3)
	if n := w.c.P.Counters().Refused; n > 0 {
		t.Errorf("%d packets were refused", n)
	}
}

// A node's items change twice before the client hears of it, and the last set has the
// number that the first set had. The client must show the last set.
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
	}) // this packet is lost
	w.ticks(t, 60)
	w.shows(t, id, 5, 6, 1)
}
