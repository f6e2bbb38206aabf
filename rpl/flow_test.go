package rpl_test

// Lines that carry less than is sent, and more packets than are remembered.

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/rpl/rpltest"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A flood is a world of nodes that change more than a line carries.
type flood struct {
	net   *rpltest.Net
	c     *rpltest.Client
	rng   *rand.Rand
	nodes []flooder
}

// A flooder is a node of a flood. Its first word tells which of its values it has.
type flooder struct {
	id    rpl.Node
	item  rpl.Item
	words []int32
	set   []rpl.Tick // when each of its values was set
}

func newFlood(t *testing.T, nodes, words int, c rpl.AuthorityConfig, cond netsim.Conditions) *flood {
	t.Helper()
	s := rpl.NewSchema("flood")
	b := s.Build("noise").Int("n", 0, 1<<20)
	for i := range words {
		b = b.Int(fmt.Sprint("n", i), -1<<30, 1<<30)
	}
	typ := b.Done()
	c.Schema, c.Hz = s, 60
	net, err := rpltest.New(c, 1, cond)
	if err != nil {
		t.Fatal(err)
	}
	f := &flood{net: net, rng: rand.New(rand.NewPCG(1, 1))}
	for range nodes {
		id, err := net.A.Spawn(rpl.Spawn{Items: []*rpl.ItemType{typ}})
		if err != nil {
			t.Fatal(err)
		}
		it, _ := net.A.Item(id, 0)
		f.nodes = append(f.nodes, flooder{id: id, item: it, words: make([]int32, 1+words), set: []rpl.Tick{0}})
	}
	if f.c, err = net.Join(2); err != nil {
		t.Fatal(err)
	}
	return f
}

// play plays some ticks, in each of which so many nodes change.
func (f *flood) play(ticks int, changes float64) {
	for owed := 0.; ticks > 0; ticks-- {
		f.net.Tick(func(now rpl.Tick) {
			for owed += changes; owed >= 1; owed-- {
				n := &f.nodes[f.rng.IntN(len(f.nodes))]
				n.words[0] = int32(len(n.set))
				n.set = append(n.set, now)
				for i := range n.words[1:] {
					n.words[1+i] = f.rng.Int32N(1<<30) - 1<<29
				}
				f.net.A.SetWords(n.item, n.words)
			}
		})
	}
}

// age is for how long, on average, what the client has of a node has not been true, in
// seconds, and how many nodes it does not have.
func (f *flood) age() (mean float64, missing int) {
	sum := 0
	for i := range f.nodes {
		n := &f.nodes[i]
		r, ok := f.c.P.Replica(n.id)
		if !ok {
			missing++
			continue
		}
		if k := r.Words(0, nil)[0]; int(k)+1 < len(n.set) {
			sum += int(f.net.TickNumber() - n.set[k+1])
		}
	}
	return float64(sum) / 60 / float64(len(f.nodes)), missing
}

// Without a budget, updates of more nodes than a line's round trip has room for leave as acks
// come back. What is forgotten before its ack comes would be told again, and again.
func TestManyUpdatesUnderWay(t *testing.T) {
	for _, budget := range []int{0, 1 << 30} {
		t.Run(fmt.Sprint("budget ", budget), func(t *testing.T) {
			const nodes = 2000
			f := newFlood(t, nodes, 40, rpl.AuthorityConfig{Budget: budget}, netsim.Conditions{Delay: 150 * time.Millisecond, Loss: 0.3})
			f.play(90, nodes)
			before := f.net.Packets
			f.play(60, nodes)
			packets, n := f.net.Packets-before, f.net.A.Counters()
			age, _ := f.age()
			f.play(240, 0)
			end, missing := f.age()
			t.Logf("%d packets in a second; %.2f s old; %d told again, %d keyframes, %d packets lost", packets, age, n.Repeats, n.Keyframes, n.PacketsLost)
			if packets > 4000 || n.Keyframes > nodes*2 || age > 1 {
				t.Errorf("%d packets in a second, %d keyframes, %.2f s old", packets, n.Keyframes, age)
			}
			if end > 0 || missing > 0 {
				t.Errorf("%.1f s old four seconds after the last change, and %d nodes are missing", end, missing)
			}
		})
	}
}
