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

// Blocks change places as nodes stream in, stream out and are removed, and every block
// still belongs to its row.
func TestBlocksStandInOrder(t *testing.T) {
	const nodes, seed = 2500, 5
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewPCG(seed, seed))
	s := rpl.NewSchema("blocks")
	typ := s.Item("walker", reflect.TypeFor[walker](), nil)
	net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, Interest: rpl.Grid{Enter: 400, Exit: 440}}, 1, netsim.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := net.Join(2); err != nil {
		t.Fatal(err)
	}
	a := net.A
	var ids [nodes]rpl.Node
	var items [nodes]rpl.Item
	walkers := make([]walker, nodes)
	at := make([]unsafe.Pointer, nodes)
	columns := [2]*rpl.Column{ // of the first half of the nodes, and of the other half
		a.NewColumn(typ, func(row int) unsafe.Pointer { return at[row] }),
		a.NewColumn(typ, func(row int) unsafe.Pointer { return at[nodes/2+row] }),
	}
	half := func(i int) (c *rpl.Column, row int) { return columns[i*2/nodes], i % (nodes / 2) }
	spawn := func(i int) {
		if ids[i], err = a.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}}); err != nil {
			t.Fatal(err)
		}
		items[i], _ = a.Item(ids[i], 0)
		walkers[i] = walker{Pos: xy{float64(rnd.IntN(2000) - 1000), float64(rnd.IntN(2000) - 1000)}}
		c, row := half(i)
		c.Put(row, items[i])
	}
	for _, c := range columns {
		c.Resize(nodes / 2)
	}
	for i := range nodes {
		at[i] = unsafe.Pointer(&walkers[i])
		spawn(i)
	}
	most := 0
	for tick := range 200 {
		for range rnd.IntN(20) {
			i := rnd.IntN(nodes)
			a.Remove(ids[i])
			spawn(i)
		}
		for range rnd.IntN(20) {
			w := &walkers[rnd.IntN(nodes)]
			w.HP, w.Vel.X = uint8(rnd.IntN(100)), float64(rnd.IntN(50))
		}
		for i := range walkers {
			walkers[i].Pos.X += walkers[i].Vel.X / 60
		}
		a.Observe(2, [2]float64{float64(tick%100)*20 - 1000, 0})
		net.Tick(func(rpl.Tick) {
			a.SetColumn(columns[0], at[:nodes/2])
			a.SetColumn(columns[1], at[nodes/2:])
		})
		wrong, walked := a.MisplacedBlocks()
		if wrong != "" {
			t.Fatalf("tick %d: %s", tick, wrong)
		}
		most = max(most, walked)
		for i, id := range ids {
			if len(a.Holders(id, nil)) == 0 {
				continue
			}
			if hp := a.Words(items[i], nil)[5]; hp != int32(walkers[i].HP) {
				t.Fatalf("tick %d: of node %d the store has %d, the component %d", tick, i, hp, walkers[i].HP)
			}
		}
	}
	if most < 300 {
		t.Errorf("at most %d rows were walked", most)
	}
}
