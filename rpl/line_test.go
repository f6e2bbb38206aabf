package rpl_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A hopper is a node whose values go straight for a few ticks and then somewhere else.
type hopper struct {
	node  rpl.Node
	items []rpl.Item
	words [2][]int32
	speed [2][]int32
	past  map[rpl.Tick][2][]int32
	end   rpl.Tick // in which it was removed …
	sure  bool     // … on a line whose loss was known
}

// lineSchema has a body whose place is inferred, and a tool with a declared velocity, a value
// for the owner and plain values.
func lineSchema() (s *rpl.Schema, body, tool *rpl.ItemType) {
	s = rpl.NewSchema("lines")
	body = s.Build("body").Int("x", -1<<20, 1<<20).Int("y", -1<<20, 1<<20).Int("aim", -1<<14, 1<<14).Int("mood", 0, 3).Pos("x", "y").Done()
	tool = s.Build("tool").Int("v", -4000, 4000).Int("at", -1<<20, 1<<20).Predict("at", "v", false).Int("heat", 0, 1000).Done()
	return s, body, tool
}

// Values that go along lines are right at every tick on a perfect network, are right for the
// tick that they claim on any, and equal the authority's in the end.
func TestLinesAtRandom(tb *testing.T) {
	tb.Parallel()
	lined := 0
	rapid.Check(tb, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		cond := netsim.Conditions{
			Delay:     rapid.SampledFrom([]time.Duration{0, 30 * time.Millisecond, 60 * time.Millisecond, 250 * time.Millisecond}).Draw(t, "delay"),
			Jitter:    rapid.SampledFrom([]time.Duration{0, 5 * time.Millisecond, 40 * time.Millisecond}).Draw(t, "jitter"),
			Loss:      rapid.SampledFrom([]float64{0, 0.05, 0.2}).Draw(t, "loss"),
			Duplicate: rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "duplicate"),
		}
		hz := rapid.SampledFrom([]int{20, 60}).Draw(t, "sends")
		budget := rapid.SampledFrom([]int{0, 0, 20_000}).Draw(t, "budget")
		peers := rapid.IntRange(1, 3).Draw(t, "peers")
		s, body, tool := lineSchema()
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: hz, Budget: budget, CheckEvery: 100 * time.Millisecond}, seed, cond)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 3))
		var all []*hopper
		for i := range 24 {
			j := &hopper{past: map[rpl.Tick][2][]int32{}}
			types := []*rpl.ItemType{body}
			if i%2 == 0 {
				types = []*rpl.ItemType{body, tool}
			}
			if j.node, err = net.A.Spawn(rpl.Spawn{Items: types}); err != nil {
				t.Fatal(err)
			}
			for k := range types {
				it, _ := net.A.Item(j.node, k)
				j.items, j.words[k], j.speed[k] = append(j.items, it), make([]int32, 4-k), make([]int32, 4-k)
			}
			all = append(all, j)
		}
		var clients []*rpltest.Client
		for p := range peers {
			c, err := net.Join(rpl.Peer(p + 2))
			if err != nil {
				t.Fatal(err)
			}
			clients = append(clients, c)
		}
		step := func(moves bool) {
			net.Tick(func(tick rpl.Tick) {
				for _, j := range all {
					if moves {
						j.move(r)
					}
					for k, it := range j.items {
						net.A.SetWords(it, j.words[k])
					}
					j.past[tick] = [2][]int32{slices.Clone(j.words[0]), slices.Clone(j.words[1])}
				}
			})
		}
		for range 240 {
			step(true)
			if err := linesAreRight(clients, all); err != nil {
				t.Fatal(err)
			}
		}
		if net.A.HasLines() {
			lined++
		}
		for range 240 {
			step(false)
		}
		for _, c := range clients {
			for _, j := range all {
				for k, it := range j.items {
					if words := c.Log.Held[j.node].Words(k, nil); !slices.Equal(words, net.A.Words(it, nil)) {
						t.Fatalf("client %d: %v shows %v in the end, not %v", c.Peer, j.node, words, net.A.Words(it, nil))
					}
				}
			}
			if n := c.P.Counters().Mismatches; n > 0 {
				t.Fatalf("client %d: %d checksums differ", c.Peer, n)
			}
		}
	})
	if lined == 0 {
		tb.Error("nothing went along a line")
	}
}

// What is removed ends on a proxy as it was in the end, whether it has moved in its last tick or not, at
// a tick since the send before: on a line that loses nothing, and on one that is known to lose packets.
func TestEndsAtRandom(tb *testing.T) {
	tb.Parallel()
	rapid.Check(tb, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		cond := netsim.Conditions{
			Delay:     rapid.SampledFrom([]time.Duration{0, 30 * time.Millisecond, 250 * time.Millisecond}).Draw(t, "delay"),
			Jitter:    rapid.SampledFrom([]time.Duration{0, 5 * time.Millisecond, 40 * time.Millisecond}).Draw(t, "jitter"),
			Loss:      rapid.SampledFrom([]float64{0.05, 0.3}).Draw(t, "loss"),
			Duplicate: rapid.SampledFrom([]float64{0, 0.1}).Draw(t, "duplicate"),
		}
		if rapid.Bool().Draw(t, "lossless") { // and in order: what is overtaken by a removal is told on lines that lose packets alone
			cond.Jitter, cond.Loss = min(cond.Jitter, 5*time.Millisecond), 0
		}
		hz := rapid.SampledFrom([]int{10, 20, 60}).Draw(t, "sends")
		every := rpl.Tick(60 / hz)
		s, body, tool := lineSchema()
		net, err := rpltest.New(rpl.AuthorityConfig{Schema: s, Hz: 60, SendHz: hz}, seed, cond)
		if err != nil {
			t.Fatal(err)
		}
		r := rand.New(rand.NewPCG(seed, 5))
		types := []*rpl.ItemType{body, tool}
		born := func() *hopper {
			j := &hopper{past: map[rpl.Tick][2][]int32{}}
			if j.node, err = net.A.Spawn(rpl.Spawn{Items: types}); err != nil {
				t.Fatal(err)
			}
			for k := range types {
				it, _ := net.A.Item(j.node, k)
				j.items, j.words[k], j.speed[k] = append(j.items, it), make([]int32, 4-k), make([]int32, 4-k)
			}
			return j
		}
		var all []*hopper
		for range 12 {
			all = append(all, born())
		}
		ended := map[rpl.Node]*hopper{}
		c, err := net.Join(2)
		if err != nil {
			t.Fatal(err)
		}
		c.Log.OnGone = func(x *rpl.Replica, at rpl.Tick, destroyed bool) {
			j := ended[x.ID]
			if j == nil || !destroyed {
				t.Fatalf("%v goes, destroyed %v", x.ID, destroyed)
			}
			for k := range types {
				if got := x.Words(k, nil); j.sure && !slices.Equal(got, j.words[k]) {
					t.Errorf("%v ends as %v; it was %v", x.ID, got, j.words[k])
				}
			}
			if at > j.end || at < (j.end-1)/every*every {
				t.Errorf("%v ends at tick %d; it was removed in %d", x.ID, at, j.end)
			}
			delete(ended, x.ID)
		}
		for i := range 600 {
			net.Tick(func(tick rpl.Tick) {
				for k, j := range all {
					ends := i > 300 && i < 500 && len(j.past) > 120 && r.IntN(60) == 0
					if stays := ends && r.IntN(2) == 0; !stays {
						j.move(r)
						for k, it := range j.items {
							net.A.SetWords(it, j.words[k])
						}
					}
					j.past[tick] = [2][]int32{slices.Clone(j.words[0]), slices.Clone(j.words[1])}
					if ends {
						j.end, j.sure, ended[j.node] = tick, cond.Loss == 0 || net.A.PeerStats(2).Loss > 0.01, j
						net.A.Remove(j.node)
						all[k] = born()
					}
				}
			})
		}
		for range 120 {
			net.Tick(nil)
		}
		if len(ended) > 0 {
			t.Errorf("%d have not gone", len(ended))
		}
	})
}

// move is a tick of a hopper.
func (j *hopper) move(r *rand.Rand) {
	for k := range j.items {
		most := []int32{1 << 20, 1 << 20, 1 << 14, 3}
		if k == 1 {
			most = []int32{4000, 1 << 20, 1000}
		}
		for i := range j.words[k] {
			switch r.IntN(14) {
			case 0:
				j.speed[k][i] = r.Int32N(200) - 100
			case 1, 2:
				j.speed[k][i] = 0
			}
			if most[i] == 3 && r.IntN(20) > 0 {
				continue
			}
			if x := j.words[k][i] + j.speed[k][i]; x <= most[i] && x >= -most[i] && (x >= 0 || most[i] > 3 && most[i] != 1000) {
				j.words[k][i] = x
			}
		}
	}
}

// linesAreRight compares what clients show of hoppers with what these were at the tick that
// each row claims.
func linesAreRight(clients []*rpltest.Client, all []*hopper) error {
	for _, c := range clients {
		for _, j := range all {
			rep, ok := c.P.Replica(j.node)
			if !ok {
				continue
			}
			for k := range j.items {
				want, ok := j.past[rep.Tick(k)]
				if got := rep.Words(k, nil); ok && !slices.Equal(got, want[k]) && rep.Tick(k) == c.P.Newest() {
					return fmt.Errorf("client %d shows %v of %v at tick %d, where it was %v", c.Peer, got, j.node, rep.Tick(k), want[k])
				}
			}
		}
	}
	return nil
}
