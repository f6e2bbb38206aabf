package rpl_test

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A change of an explicit item is not sent before the item is bumped, whichever peers
// come and go.
func TestDirtyRows(t *testing.T) {
	type quiet struct {
		Pos xy    `rpl:"step=1/8,pos"`
		N   int32 `rpl:"explicit"`
	}
	net, c, id, w := lone[quiet](t, netsim.Conditions{Delay: 20 * time.Millisecond})
	look := func(x float64) { net.A.Observe(2, [2]float64{x, 0}) }
	play := func(ticks int) {
		for range ticks {
			net.Tick(func(rpl.Tick) { net.A.SetColumn(w.column, w.at) })
		}
	}
	has := func(when string, want int32) {
		t.Helper()
		play(10)
		r := c.Log.Held[id]
		if r == nil {
			t.Fatalf("%s: the client does not have it", when)
		}
		if n := r.Words(0, nil)[2]; n != want {
			t.Errorf("%s: the client has %d, not %d", when, n, want)
		}
	}
	bump := func() {
		if !w.column.Bump(0) {
			t.Fatal("its row is none")
		}
	}
	w.is.N = 1
	bump()
	look(0)
	has("made", 1)
	w.is.N = 2
	has("not bumped", 1)
	bump()
	has("bumped", 2)
	w.is.N, w.is.Pos.X = 3, 5
	look(2000)
	play(20)
	if c.Log.Held[id] != nil {
		t.Fatal("the client has it out of sight")
	}
	look(0)
	has("seen again, not bumped", 2)
	bump()
	has("bumped again", 3)
	look(2000)
	play(20)
	w.is.N = 4
	bump()
	play(20)
	look(0)
	has("bumped out of sight", 4)
	net.A.Give(id, 2)
	play(20)
	net.Suspend(c) // the client owns the node, so it gets the node as soon as it is back
	w.is.N = 5
	bump()
	play(20)
	net.Tick(func(rpl.Tick) { // before this tick's components are passed
		var err error
		if c, err = net.Join(2); err != nil {
			t.Fatal(err)
		}
		net.A.SetColumn(w.column, w.at)
	})
	has("bumped while its owner was away", 5)
	net.A.Give(id, 0)
	look(0)
	w.is.N = 3 // an earlier value, which the column has read
	bump()
	has("bumped to what it was", 3)
	w.is.Pos.X = 2000
	play(20)
	if c.Log.Held[id] == nil {
		t.Error("what was not bumped has left")
	}
	bump()
	play(20)
	if c.Log.Held[id] != nil {
		t.Error("what has left is there still")
	}
	w.column.Put(0, rpl.NoItem)
	if w.column.Bump(0) {
		t.Error("a row that is no item is bumped")
	}
}
