package rpl_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

type givenBody struct {
	X float64 `rpl:"step=1/16,interp"`
	Y float64 `rpl:"step=1/16,interp"`
}

// To give away several nodes at once, such as a car with its trailer, takes no packet more than any
// other send of the same size.
func TestGiveOfATreeSplitsNoSend(t *testing.T) {
	seed := rand.Uint64()
	rng := rand.New(rand.NewPCG(seed, 1))
	s := rpl.NewSchema("given")
	typ := s.Item("body", reflect.TypeFor[givenBody](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: 30}, seed, netsim.Conditions{Delay: 50 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Join(2); err != nil {
		t.Fatal(err)
	}
	var nodes []rpl.Node
	var items []rpl.Item
	spawn := func(parent rpl.Node) {
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}, Parent: parent})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := net.A.Item(id, 0)
		nodes, items = append(nodes, id), append(items, it)
	}
	for range 8 {
		spawn(0)
	}
	spawn(nodes[3])
	bodies := make([]givenBody, len(nodes))
	several := 0
	for tick := range 1200 {
		before := net.Packets
		net.Tick(func(rpl.Tick) {
			for i := range bodies {
				bodies[i].X, bodies[i].Y = rng.Float64()*1000, rng.Float64()*1000
				net.A.Set(items[i], unsafe.Pointer(&bodies[i]))
			}
			if to := rpl.Peer(2 * (tick / 60 % 2)); tick%60 == 0 {
				net.A.Give(nodes[3], to)
				net.A.Give(nodes[8], to)
			}
		})
		if tick > 60 && net.Packets > before+1 {
			several++
		}
	}
	if several > 0 {
		t.Errorf("seed %d: %d of 600 sends of 9 nodes took several packets", seed, several)
	}
}

// Who was told that a node is its own had it lately, also where the node is passed on before the next tick: what
// comes from there was on its way. Who had it at no tick, and was not told, did not.
func TestOwnersThatWereToldHadIt(t *testing.T) {
	s := rpl.NewSchema("given")
	typ := s.Item("body", reflect.TypeFor[givenBody](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	for p := rpl.Peer(2); p < 6; p++ {
		if _, err := net.Join(p); err != nil {
			t.Fatal(err)
		}
	}
	var n rpl.Node
	net.Tick(func(rpl.Tick) {
		if n, err = net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
			t.Fatal(err)
		}
		net.A.Give(n, 5)
		net.A.Give(n, 2)
	})
	net.A.Give(n, 3)
	net.A.Give(n, 4)
	for i := range 600 {
		for p, lately := range map[rpl.Peer]bool{2: true, 3: false, 4: i > 100, 5: false} {
			if net.A.OwnedLately(n, p) != lately {
				t.Errorf("%d ticks later: peer %d had it lately: %v", i, p, !lately)
			}
		}
		if i == 100 {
			net.A.Give(n, 5)
		}
		net.Tick(nil)
	}
	if net.A.OwnedLately(n, 2) {
		t.Error("ten seconds later it still had it lately")
	}
}
