package rpl_test

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// An update is coded once for all peers at the same baseline, which share its bits.
func TestPeersShareBits(t *testing.T) {
	w := newWorld(t, 11, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 40 * time.Millisecond}, 30)
	const peers = 8
	for p := range peers {
		if _, err := w.net.Join(rpl.Peer(p + 2)); err != nil {
			t.Fatal(err)
		}
	}
	for range 60 {
		w.net.Tick(func(rpl.Tick) { w.step(t) })
	}
	before := w.net.A.Counters()
	for range 120 {
		w.net.Tick(func(rpl.Tick) { w.step(t) })
	}
	after := w.net.A.Counters()
	records, shared := after.Records-before.Records, after.Shared-before.Shared
	if coded := records - shared; coded*peers > records*3/2 {
		t.Errorf("%d updates to %d peers were coded %d times", records, peers, coded)
	}
	for _, c := range w.net.Clients {
		if len(c.Log.Errors) > 0 {
			t.Error(c.Log.Errors[0])
		}
	}
}

// Without loss arrivals and removals are sent once; with more loss they are sent more
// often.
func TestCopiesFollowTheLoss(t *testing.T) {
	said := func(loss float64) float64 {
		w := newWorld(t, 12, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: loss}, 20)
		if _, err := w.net.Join(2); err != nil {
			t.Fatal(err)
		}
		for range 240 { // long enough to measure the loss
			w.net.Tick(func(rpl.Tick) { w.step(t) })
		}
		before, n := w.net.A.Counters(), 0
		for i := range 400 {
			w.net.Tick(func(rpl.Tick) {
				if i%4 == 0 {
					w.spawn(t)
					w.net.A.Remove(w.nodes[0].id)
					w.nodes = w.nodes[1:]
					n++
				}
				w.step(t)
			})
		}
		for range 60 {
			w.net.Tick(nil)
		}
		after := w.net.A.Counters()
		return float64(after.Arrivals+after.Removals-before.Arrivals-before.Removals) / float64(2*n)
	}
	none, some, much := said(0), said(0.015), said(0.2)
	if none > 1.1 { // step also removes and spawns nodes now and then
		t.Errorf("without loss each is said %.2f times", none)
	}
	if !(some > 1.4 && some < 3 && much > some+1 && much < 7) {
		t.Errorf("each is said %.2f times without loss, %.2f at 1.5 %%, %.2f at 20 %%", none, some, much)
	}
}
