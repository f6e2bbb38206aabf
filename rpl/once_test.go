package rpl_test

import (
	"reflect"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A client that joins late gets the current value of a `once` prop, although a change
// of the prop alone is not sent to clients that have the node.
func TestLateJoinerGetsTheCurrentOnce(t *testing.T) {
	type badge struct {
		Rank uint8 `rpl:"once"`
		HP   uint8 `rpl:""`
	}
	s := rpl.NewSchema("once")
	typ := s.Item("badge", reflect.TypeFor[badge](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, 1, netsim.Conditions{Delay: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
	if err != nil {
		t.Fatal(err)
	}
	it, _ := net.A.Item(id, 0)
	b := badge{Rank: 1, HP: 9}
	ticks := func() {
		for range 30 {
			net.Tick(func(rpl.Tick) { net.A.Set(it, unsafe.Pointer(&b)) })
		}
	}
	join := func(p rpl.Peer) *rpltest.Client {
		c, err := net.Join(p)
		if err != nil {
			t.Fatal(err)
		}
		ticks()
		return c
	}
	first := join(2)
	b.Rank = 2
	ticks()
	second := join(3)
	for want, c := range []*rpltest.Client{first, second} {
		words := c.Log.Held[id].Words(0, nil)
		if words[0] != int32(want+1) || words[1] != 9 {
			t.Errorf("client %d holds %v, want rank %d", c.Peer, words, want+1)
		}
	}
}
