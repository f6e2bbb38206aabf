package rpl_test

// Changes that are told several times where packets are lost.

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// Changes of what stands are told again where packets are lost, until they are acked.
// Changes of what moves are not.
func TestCopiesOfChanges(t *testing.T) {
	const changes, every = 100, 30 // ticks from a change to the next
	told := func(network netsim.Conditions, change func(th *thing)) float64 {
		w := busyWorld(t, 3, network, 1)
		w.rest()
		before := w.net.A.Counters()
		for tick := range changes * every {
			w.net.Tick(func(rpl.Tick) {
				if th := w.nodes[0]; tick%every == 0 {
					th.words[5] = int32(tick/every + 1)
					change(th)
					w.net.A.SetWords(th.item, th.words)
				} else if th.words[2] != 0 {
					th.words[0] += th.words[2] / 60
					w.net.A.SetWords(th.item, th.words)
				}
			})
		}
		return float64(w.net.A.Counters().Records-before.Records) / changes
	}
	stays := func(*thing) {}
	far := netsim.Conditions{Delay: 50 * time.Millisecond}
	lossy := netsim.Conditions{Delay: 50 * time.Millisecond, Loss: 0.05}
	near := netsim.Conditions{Delay: time.Millisecond, Loss: 0.05}
	if got := told(far, stays); got != 1 {
		t.Errorf("without loss a change is told %.2f times", got)
	}
	if got := told(lossy, stays); got < 3.5 || got > 4.5 {
		t.Errorf("at a loss of 5 %% a change is told %.2f times, not 4", got)
	}
	if got := told(near, stays); got > 2.5 {
		t.Errorf("at a loss of 5 %% a change is told %.2f times though acks are there soon", got)
	}
	if got := told(lossy, func(th *thing) { th.words[2] = 600 }); got < 1.8 || got > 2.2 {
		t.Errorf("at a loss of 5 %% a change of what moves is told %.2f times, not twice", got)
	}
}

// Copies of changes take only what a budget has to spare, and keep no change waiting.
func TestCopiesAreSpared(t *testing.T) {
	for budget, enough := range map[int]bool{0: true, 20_000: true, 1500: false} {
		w := newWorld(t, 4, rpl.AuthorityConfig{Budget: budget}, netsim.Conditions{Delay: 50 * time.Millisecond, Loss: 0.05}, 100)
		if _, err := w.net.Join(2); err != nil {
			t.Fatal(err)
		}
		for _, th := range w.nodes {
			w.net.A.SetWords(th.item, th.words)
		}
		before := rpl.Counters{}
		for tick := range 1800 {
			if tick == 900 { // until loss is measured
				before = w.net.A.Counters()
			}
			w.net.Tick(func(rpl.Tick) {
				for i, th := range w.nodes {
					if (tick+i)%40 == 0 {
						th.words[5] = int32(w.r.IntN(4096))
						w.net.A.SetWords(th.item, th.words)
					}
				}
			})
		}
		after := w.net.A.Counters()
		all, copies := after.Records-before.Records, after.Repeats-before.Repeats
		if enough && copies < all/2 || !enough && copies > all/20 {
			t.Errorf("with a budget of %d bytes a second %d of %d records are copies", budget, copies, all)
		}
		if n := after.Starved - before.Starved; n != 0 {
			t.Errorf("with a budget of %d bytes a second %d updates waited", budget, n)
		}
	}
}
