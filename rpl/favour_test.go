package rpl_test

import (
	"math"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// favourites is a policy that lets everything in sight be seen and tells of some of it sooner.
type favourites struct {
	rpl.Grid
	factor map[rpl.Node]float32
}

func (favourites) Sees(rpl.View) bool { return true }

func (f favourites) Favour(_ rpl.Peer, n rpl.Node) float32 { return f.factor[n] }

// Where the budget does not pay for all, what the policy favours comes first, and is updated
// more often; a factor that says nothing counts as 1. What it does not favour comes, too.
func TestPolicyFavours(t *testing.T) {
	const seed, nodes, peer = 7, 600, rpl.Peer(2)
	in := favourites{rpl.Grid{Enter: 40_000, Exit: 44_000}, map[rpl.Node]float32{}}
	w := newWorld(t, seed, rpl.AuthorityConfig{Interest: in, Budget: 3000}, netsim.Conditions{Delay: 20 * time.Millisecond}, nodes)
	odd := []float32{0, -3, float32(math.NaN())}
	for i, th := range w.nodes {
		in.factor[th.id] = 50
		if i%2 == 1 {
			in.factor[th.id] = odd[i%3]
		}
		th.words[0], th.words[1] = int32(i%20), int32(i/20)
	}
	c, err := w.net.Join(peer)
	if err != nil {
		t.Fatal(err)
	}
	w.net.A.Observe(peer, [2]float64{})
	there := func() (favoured, others int) {
		for i, th := range w.nodes {
			if _, ok := c.P.Replica(th.id); ok && i%2 == 0 {
				favoured++
			} else if ok {
				others++
			}
		}
		return favoured, others
	}
	for tick := 0; ; tick++ {
		w.net.Tick(func(rpl.Tick) {
			for _, th := range w.nodes {
				w.net.A.SetWords(th.item, th.words)
			}
		})
		favoured, others := there()
		if favoured < nodes/4 && others > nodes/20 {
			t.Fatalf("seed %d, tick %d: %d favourites have come, and %d others", seed, tick, favoured, others)
		}
		if favoured+others == nodes {
			break
		}
		if tick == 60*60 {
			t.Fatalf("seed %d: after a minute %d favourites have come, and %d others", seed, favoured, others)
		}
	}
	wrong := [2]int{} // ticks at which a client had another state than the server, of nodes of both kinds
	for tick := range 600 {
		w.net.Tick(func(rpl.Tick) {
			for i, th := range w.nodes {
				th.words[5] = int32((tick + 7*i) / 10 % 4096)
				w.net.A.SetWords(th.item, th.words)
			}
		})
		for i, th := range w.nodes {
			if r, ok := c.P.Replica(th.id); !ok || r.Words(0, nil)[5] != th.words[5] {
				wrong[i%2]++
			}
		}
	}
	if 5*wrong[0] > 4*wrong[1] {
		t.Errorf("seed %d: favourites were behind in %d ticks, others in %d", seed, wrong[0], wrong[1])
	}
}

// Ten thousand nodes on one point are in sight or out of it together, and all of them come.
func TestNodesOnOnePoint(t *testing.T) {
	t.Parallel()
	const nodes, peer = 10_000, rpl.Peer(2)
	for _, x := range []int32{0, 1 << 19} {
		w := newWorld(t, 1, rpl.AuthorityConfig{Interest: rpl.Grid{Enter: 400, Exit: 440}}, netsim.Conditions{Delay: 5 * time.Millisecond}, nodes)
		c, err := w.net.Join(peer)
		if err != nil {
			t.Fatal(err)
		}
		play := func(ticks int, at int32) (held int) {
			for range ticks {
				w.net.Tick(func(rpl.Tick) {
					for _, th := range w.nodes {
						th.words[0], th.words[1] = at, 0
						w.net.A.SetWords(th.item, th.words)
					}
				})
			}
			for range c.P.Replicas {
				held++
			}
			return held - 1
		}
		w.net.A.Observe(peer, [2]float64{float64(x), 0})
		if held := play(90, x); held != nodes {
			t.Errorf("at %d the client has %d of %d nodes", x, held, nodes)
		}
		if held := play(90, x-20_000); held != 0 {
			t.Errorf("at %d the client has %d nodes that are out of sight", x, held)
		}
	}
}

// An Interest without a distance is refused, with the reason.
func TestDistancesThatAreNone(t *testing.T) {
	s, _ := schema(t)
	for _, g := range []rpl.Grid{
		{}, {Enter: -1, Exit: 1}, {Enter: 2, Exit: 1}, {Enter: math.NaN(), Exit: 1}, {Enter: 1, Exit: math.NaN()}, {Enter: math.Inf(-1), Exit: 1},
	} {
		if _, err := rpl.NewAuthority(rpl.AuthorityConfig{Schema: s, Hz: 60, Interest: g}); err == nil {
			t.Errorf("%+v is taken", g)
		}
	}
}
