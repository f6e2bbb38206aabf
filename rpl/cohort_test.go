package rpl_test

// Peers that are told the same.

import (
	"hash/fnv"
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// What is planned once for several peers that are alike says the same to each of them, to
// the bit, as what is planned for each of them.
func TestCohortAtRandom(tb *testing.T) {
	tb.Parallel()
	rapid.Check(tb, func(t *rapid.T) {
		g := cohortGame{
			seed:   rapid.Uint64().Draw(t, "seed"),
			nodes:  rapid.IntRange(3, 150).Draw(t, "nodes"),
			peers:  rapid.IntRange(2, 5).Draw(t, "peers"),
			budget: rapid.SampledFrom([]int{0, 0, 30_000, 100_000}).Draw(t, "budget"),
			loss:   rapid.SampledFrom([]float64{0, 0, 0.002, 0.1}).Draw(t, "loss"),
			late:   rapid.Bool().Draw(t, "late"),
			owners: rapid.Bool().Draw(t, "owners"),
		}
		each, err := g.play(tb, math.MaxInt, math.MaxInt)
		if err != nil {
			t.Fatal(err)
		}
		once, err := g.play(tb, 2, rapid.IntRange(1, 4).Draw(t, "sharers"))
		if err != nil {
			t.Fatal(err)
		}
		if each != once {
			t.Fatal("planned once for several peers, the packets are others than those planned for each")
		}
	})
}

// Where all peers see all of a world over equal lines, nearly every update is planned for one
// of them only.
func TestCohortIsPlannedOnce(t *testing.T) {
	const nodes, peers, ticks = 300, 4, 60
	c := newCrowd(t, nodes, peers)
	c.play(120, false)
	before := c.a.Counters()
	c.play(ticks, false)
	after := c.a.Counters()
	plannedOnce := after.PlannedOnce - before.PlannedOnce
	if most := uint64(nodes * (peers - 1) * ticks); plannedOnce*10 < most*9 {
		t.Errorf("%d updates of three peers were planned for the first of four, want nearly %d", plannedOnce, most)
	}
}

// An cohortGame is a world that all peers see, whose nodes change at random.
type cohortGame struct {
	seed                 uint64
	nodes, peers, budget int
	loss                 float64
	late, owners         bool // peers join late; nodes change owners
}

// play plays the game where least updates of a peer make others be looked for that are alike,
// and so many sharers have a node marked once. It returns a sum of the packets.
func (g *cohortGame) play(t testing.TB, least, sharers int) (sum uint64, err error) {
	cond := netsim.Conditions{Delay: 40 * time.Millisecond, Loss: g.loss}
	w := newWorld(t, g.seed, rpl.AuthorityConfig{Budget: g.budget}, cond, g.nodes)
	w.net.A.SetLeastCohort(least)
	w.net.A.SetAgain(math.MaxInt) // where peers are told as one, names do not go by runs
	w.net.A.NeverLearn()          // what is planned once is learned from once
	w.net.A.SetSharers(sharers)
	h := fnv.New64a()
	w.net.OnDatagram = func(p rpl.Peer, b []byte) {
		h.Write([]byte{byte(p), byte(len(b)), byte(len(b) >> 8)})
		h.Write(b)
	}
	for p := range g.peers {
		if !g.late {
			if _, err := w.net.Join(rpl.Peer(p + 2)); err != nil {
				return 0, err
			}
		}
	}
	for tick := range 80 {
		if g.late && tick%10 == 0 && tick/10 < g.peers {
			if _, err := w.net.Join(rpl.Peer(tick/10 + 2)); err != nil {
				return 0, err
			}
		}
		w.net.Tick(func(rpl.Tick) {
			w.step(t)
			if g.owners {
				w.rule()
			}
			w.stir()
		})
	}
	w.rest()
	if err := converge(w, func() error {
		for _, c := range w.net.Clients {
			if err := w.check(c, nil); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return 0, err
	}
	return h.Sum64(), nil
}

// rule gives some nodes other owners.
func (w *world) rule() {
	for _, th := range w.nodes {
		if w.r.IntN(30) == 0 {
			w.net.A.Give(th.id, rpl.Peer(w.r.IntN(4)+1))
		}
	}
}

// stir has most nodes depart from their predictions.
func (w *world) stir() {
	for _, th := range w.nodes {
		if w.r.IntN(4) > 0 {
			th.words[2], th.words[4] = int32(w.r.IntN(600)-300), int32(w.r.IntN(101))
			w.net.A.SetWords(th.item, th.words)
		}
	}
}

// Updates so long that those of one mark take several packets are told to each peer all the
// same.
func TestCohortWithLongUpdates(t *testing.T) {
	const nodes, words = 200, 10
	f := newFlood(t, nodes, words, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 20 * time.Millisecond})
	for p := range 2 {
		if _, err := f.net.Join(rpl.Peer(p + 3)); err != nil {
			t.Fatal(err)
		}
	}
	f.play(120, nodes)
	before := f.net.A.Counters()
	f.play(60, nodes)
	after := f.net.A.Counters()
	if after.PlannedOnce == before.PlannedOnce {
		t.Error("nothing was planned once")
	}
	if after.Blocks > before.Blocks || after.Keyframes > before.Keyframes {
		t.Errorf("%d blocks and %d keyframes, want none", after.Blocks-before.Blocks, after.Keyframes-before.Keyframes)
	}
	for _, c := range f.net.Clients {
		if n := c.P.Counters().Refused; n > 0 {
			t.Errorf("client %d could not read %d packets", c.Peer, n)
		}
		for _, n := range f.nodes {
			r, ok := c.P.Replica(n.id)
			if !ok {
				t.Fatalf("client %d misses %v", c.Peer, n.id)
			}
			if age := f.net.TickNumber() - r.Tick(0); age > 8 {
				t.Fatalf("client %d has %v as it was %d ticks ago", c.Peer, n.id, age)
			}
		}
	}
}
