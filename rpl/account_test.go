package rpl_test

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// The bits accounted by item type and reason add up to about the bits sent.
func TestBitsByItem(t *testing.T) {
	w := newWorld(t, 5, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 30 * time.Millisecond}, 40)
	if _, err := w.net.Join(2); err != nil {
		t.Fatal(err)
	}
	for range 200 {
		w.net.Tick(func(rpl.Tick) { w.step(t) })
	}
	sum := uint64(0)
	for _, b := range w.net.A.BitsByItem(nil) {
		if b.Item == w.body && (b.Updates == 0 || b.Arrivals == 0) {
			t.Errorf("the item's account is %+v", b)
		}
		if b.Item == nil && (b.Arrivals == 0 || b.Removals == 0) {
			t.Errorf("what belongs to no item: %+v", b)
		}
		sum += b.Updates + b.Keyframes + b.Arrivals + b.Removals
	}
	sent := uint64(w.net.Payload) * 8
	if sum < sent/2 || sum > sent*5/4 {
		t.Errorf("accounted %d bits, sent %d", sum, sent)
	}
}
