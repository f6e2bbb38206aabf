package rpl_test

import (
	"math/rand/v2"
	"reflect"
	"testing"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A word that the velocity of another item predicts costs no more than one without the tag.
func TestVelocityOfAnotherItemCostsNoMore(t *testing.T) {
	const seed, things, ticks = 1, 50, 600
	type motion struct {
		Vel float64 `rpl:"step=1/256"`
	}
	type tagged struct {
		At float64 `rpl:"step=1/32,interp,predict=motion.Vel/tick"`
	}
	type plain struct {
		At float64 `rpl:"step=1/32,interp"`
	}
	bytes := func(of reflect.Type) int {
		s := rpl.NewSchema("apart")
		items := []*rpl.ItemType{s.Item("at", of, nil), s.Item("motion", reflect.TypeFor[motion](), nil)}
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60}, seed, netsim.Conditions{})
		if err != nil {
			t.Fatal(err)
		}
		var ids [things]rpl.Node
		var at, vel [things]float64
		r := rand.New(rand.NewPCG(seed, 1))
		for i := range ids {
			vel[i] = 1 + r.Float64()
			if ids[i], err = net.A.Spawn(rpl.Spawn{Items: items}); err != nil {
				t.Fatal(err)
			}
		}
		c, err := net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		step := func(rpl.Tick) {
			for i, id := range ids {
				if at[i] += vel[i]; at[i] < 0 || at[i] > 100 {
					vel[i] = -vel[i]
				}
				for ord, p := range []unsafe.Pointer{unsafe.Pointer(&at[i]), unsafe.Pointer(&vel[i])} {
					it, _ := net.A.Item(id, ord)
					net.A.Set(it, p)
				}
			}
		}
		for range 60 {
			net.Tick(step)
		}
		net.Payload = 0
		for range ticks {
			net.Tick(step)
		}
		sent := net.Payload
		for range 30 {
			net.Tick(nil)
		}
		for i, id := range ids {
			rep, ok := c.P.Replica(id)
			if !ok {
				t.Fatal("a node is not there")
			}
			var got float64
			if c.P.Inject(rep, 0, items[0], unsafe.Pointer(&got)); got > at[i]+1.0/32 || got < at[i]-1.0/32 {
				t.Errorf("seed %d: it is at %v, not %v", seed, got, at[i])
			}
		}
		return sent
	}
	with, without := bytes(reflect.TypeFor[tagged]()), bytes(reflect.TypeFor[plain]())
	if with > without+without/50 {
		t.Errorf("seed %d: with the tag %d bytes, without %d", seed, with, without)
	}
}
