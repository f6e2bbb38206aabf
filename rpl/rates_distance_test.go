package rpl_test

import (
	"math"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What is far off is told less often, by its distance, and costs less; what is near, and what
// the peer owns, in every send. In the end a client has all as it is.
func TestRatesByDistance(t *testing.T) {
	const seed, peer, full = 3, rpl.Peer(2), 1000.0
	in := rpl.Fading{Grid: rpl.Grid{Enter: 40_000, Exit: 44_000}, Full: full}
	lossy := netsim.Conditions{Delay: 20 * time.Millisecond, Loss: 0.02}
	distances := []int32{0, 900, 2100, 4200, 8400, 16_500, 39_000}
	for range 60 {
		distances = append(distances, 20_000)
	}
	distances = append(distances, 39_000) // the peer's own
	play := func(in rpl.Interest) (told []int, bytes uint64) {
		w := newWorld(t, seed, rpl.AuthorityConfig{Interest: in}, lossy, len(distances))
		c, err := w.net.Join(peer)
		if err != nil {
			t.Fatal(err)
		}
		w.net.A.Observe(peer, [2]float64{})
		own := w.nodes[len(w.nodes)-1]
		w.net.A.Give(own.id, peer)
		told = make([]int, len(distances))
		last := make([]int32, len(distances))
		value, before := int32(0), uint64(0)
		for tick := range 120 + 960 {
			if tick == 120 {
				before = w.net.A.PeerStats(peer).Bytes
			}
			value++
			w.net.Tick(func(rpl.Tick) {
				for i, th := range w.nodes {
					th.words[0], th.words[1], th.words[4], th.words[5] = distances[i], 0, value%101, value%4096
					w.net.A.SetWords(th.item, th.words)
				}
			})
			for i, th := range w.nodes {
				if r, ok := c.P.Replica(th.id); ok && tick >= 120 && r.Words(0, nil)[5] != last[i] {
					last[i] = r.Words(0, nil)[5]
					told[i]++
				}
			}
		}
		bytes = w.net.A.PeerStats(peer).Bytes - before
		for range 90 {
			w.net.Tick(nil)
		}
		if err := w.check(c, nil); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		return told, bytes
	}
	told, bytes := play(in)
	_, always := play(in.Grid)
	for i, d := range distances {
		every := 1.0
		for every < 16 && float64(d) >= 2*every*full && i < len(distances)-1 {
			every *= 2
		}
		if want := 960 / every; math.Abs(float64(told[i])-want) > 0.1*want {
			t.Errorf("seed %d: a node %d away was told %d times, want %.0f", seed, d, told[i], want)
		}
	}
	if bytes > always*4/5 {
		t.Errorf("seed %d: %d bytes, and %d with all told in every send", seed, bytes, always)
	}
	if _, err := rpl.NewAuthority(rpl.AuthorityConfig{Hz: 60, Interest: rpl.Fading{Grid: in.Grid}}); err == nil {
		t.Error("a Fading without a distance is taken")
	}
}
