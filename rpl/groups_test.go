package rpl_test

import (
	"reflect"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type badgeItem struct {
	Open   int16 `rpl:""`
	Red    int16 `rpl:"to=red"`
	Common int16 `rpl:"to=blue"`
}

// When a peer joins or leaves a group, the authority judges only the nodes and looks
// only at the items that the group may see.
func TestGroupAsksAboutItsOwn(t *testing.T) {
	s := rpl.NewSchema("groups")
	red, blue := s.Group("red"), s.Group("blue")
	dots, badge := s.Item("dot", reflect.TypeFor[dot](), nil), s.Item("badge", reflect.TypeFor[badgeItem](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, CheckEvery: -1}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	spawn := func(it *rpl.ItemType, r rpl.Relevance) rpl.Node {
		n, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{it}, Streaming: rpl.Streaming{Relevance: r}})
		if err != nil {
			t.Fatal(err)
		}
		return n
	}
	for range 500 {
		spawn(dots, rpl.Near)
	}
	var badges, reds []rpl.Node
	for range 20 {
		badges = append(badges, spawn(badge, rpl.Near))
	}
	for i := range 30 {
		n := spawn(dots, rpl.Grouped)
		net.A.SetNodeGroup(n, []rpl.Audience{red, blue}[i%2], true)
		if i%2 == 0 {
			reds = append(reds, n)
		}
	}
	shows := func(when string, in bool, reds ...rpl.Node) {
		t.Helper()
		for range 60 {
			net.Tick(nil)
		}
		for _, n := range reds {
			if _, ok := c.P.Replica(n); ok != in {
				t.Fatalf("%s: it has %v: %t", when, n, ok)
			}
		}
		r, _ := c.P.Replica(badges[3])
		var got badgeItem
		c.P.Inject(r, 0, badge, unsafe.Pointer(&got))
		want := badgeItem{Open: 5}
		if in {
			want.Red = 7
		}
		if got != want {
			t.Fatalf("%s: its badge shows %+v, not %+v", when, got, want)
		}
	}
	it, _ := net.A.Item(badges[3], 0)
	net.A.Set(it, unsafe.Pointer(&badgeItem{Open: 5, Red: 7, Common: 9}))
	shows("outside", false, reds...)
	for _, in := range []bool{true, false, true} {
		net.A.SetGroup(2, red, in)
		if judged, marked := net.A.AboutGroups(2); judged != len(reds) || marked != len(badges) {
			t.Errorf("in %t: %d trees are judged and %d nodes looked at, want %d and %d", in, judged, marked, len(reds), len(badges))
		}
		shows("then", in, reds...)
	}
	net.A.Remove(reds[0])
	net.A.SetStreaming(reds[1], rpl.Streaming{Relevance: rpl.OwnerOnly, Weight: 1})
	spawn(dots, rpl.Near) // takes the slot of reds[0]
	shows("two are not its own any more", true, reds[2:]...)
	net.A.SetGroup(2, red, false)
	if judged, _ := net.A.AboutGroups(2); judged != len(reds)-2 {
		t.Errorf("%d trees are judged, want %d", judged, len(reds)-2)
	}
}
