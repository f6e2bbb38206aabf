package rpl_test

// Nodes that change their owner, their parent or their items while their arrival is on its way.

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What has another owner, another parent or other items before its arrival is acked has news in each
// send all the same, and never one of these without the values that belong to it.

func TestNewsBeforeTheArrivalIsAcked(t *testing.T) {
	type place struct {
		N int32 `rpl:""`
	}
	type state struct {
		tick   rpl.Tick
		owner  rpl.Peer
		parent rpl.Node
		more   bool
		node   int
	}
	for seed := uint64(1); seed <= 40; seed++ {
		r := rand.New(rand.NewPCG(seed, 7))
		s := rpl.NewSchema("changed")
		typ := s.Item("place", reflect.TypeFor[place](), nil)
		more := s.Item("more", reflect.TypeFor[place](), nil)
		path := netsim.Conditions{Delay: time.Duration(r.IntN(160)) * time.Millisecond}
		if seed%2 == 0 {
			path.Loss, path.Jitter = .3*r.Float64(), time.Duration(seed%4/2*r.Uint64N(60))*time.Millisecond
		}
		hz := []int{30, 60}[r.IntN(2)]
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: hz}, seed, path)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		spawn := func() rpl.Node {
			id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
			if err != nil {
				t.Fatal(err)
			}
			return id
		}
		above := []rpl.Node{spawn(), spawn(), 0}
		for range 120 {
			net.Tick(nil)
		}
		if path.Loss > 0 { // what was there waits for a parent that has just come
			above = append(above, spawn(), spawn())
		}
		const nodes = 12
		var ids [nodes]rpl.Node
		var added [nodes]rpl.Item
		var has [nodes]bool
		was := map[int32]state{} // by value, each of which occurs once
		value := int32(0)
		late := rpl.Tick(path.Delay*time.Duration(hz)/time.Second) + 2
		for step := range 60 {
			net.Tick(func(tick rpl.Tick) {
				for i := range ids {
					if ids[i] == 0 {
						if r.IntN(10) > 0 {
							continue
						}
						ids[i] = spawn()
					}
					switch r.IntN(12) {
					case 0:
						net.A.Give(ids[i], 2+rpl.Peer(r.IntN(2)))
					case 1:
						if err := net.A.SetParent(ids[i], above[r.IntN(len(above))]); err != nil {
							t.Fatal(err)
						}
					case 2:
						if has[i] = !has[i]; has[i] {
							added[i], err = net.A.AddItem(ids[i], more)
						} else {
							err = net.A.RemoveItem(added[i])
						}
						if err != nil {
							t.Fatal(err)
						}
					}
					value += 1 + r.Int32N(1000)
					if has[i] {
						net.A.Set(added[i], unsafe.Pointer(&place{-value}))
					}
					it, _ := net.A.Item(ids[i], 0)
					net.A.Set(it, unsafe.Pointer(&place{value}))
					was[value] = state{tick, net.A.Owner(ids[i]), net.A.Parent(ids[i]), has[i], i}
				}
			})
			now := net.TickNumber()
			for i, id := range ids {
				x, ok := c.P.Replica(id)
				if !ok {
					continue
				}
				var got place
				if !c.P.Inject(x, 0, typ, unsafe.Pointer(&got)) {
					t.Fatal("it has no place")
				}
				then, known := was[got.N]
				parent := x.Parent
				if x.Orphaned() {
					parent = then.parent // it is hidden until that comes
				}
				if is := (state{then.tick, x.Owner, parent, slices.Contains(x.Items, more), i}); !known || is != then {
					t.Errorf("seed %d, %+v, step %d: the peer has %+v with the place of %+v", seed, path, step, is, then)
				}
				if behind := now - then.tick; path.Loss == 0 && behind > late {
					t.Errorf("seed %d, %+v, step %d: what the peer has is %d ticks old, not %d", seed, path, step, behind, late)
				}
			}
		}
		if n := c.P.Counters(); n.Resyncs > 0 || n.Refused > 0 && path.Jitter == 0 { // one that others overtook may be
			t.Errorf("seed %d, %+v: %d packets refused, asked %d times for everything", seed, path, n.Refused, n.Resyncs)
		}
	}
}
