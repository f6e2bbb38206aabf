package rpl_test

// Lines that carry less than is sent, and more packets than are remembered.

import (
	"fmt"
	"math/rand/v2"
	"slices"
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

// A line that carries a half or an eighth of what is said for minutes: what the client has
// stays a few seconds old at most, however deep the queue is, no more is sent than the line
// carries if its queue holds more than two seconds of it, and all is right again soon after
// the line has become quick, or nothing changes any more.
func TestSlowLine(t *testing.T) {
	const update = 25 // bytes, roughly
	t.Parallel()
	for _, x := range some([]struct {
		rate  int     // bytes a second
		queue float64 // seconds of it
		over  float64 // how much is said, times the rate
		delay int     // milliseconds one way
		loss  float64
		age   float64 // at most, on average
		sent  float64 // at most, times the rate
	}{
		{8000, 30, 2, 40, 0, 3.5, 1.1},
		{8000, 30, 8, 40, 0, 4.5, 1.1},
		{32000, 5, 2, 300, 0, 3.5, 1.1},
		{32000, 5, 2, 40, 0.3, 4, 1.5},
		{64000, 30, 2, 40, 0, 3.5, 1.1},
		{32000, 0.2, 2, 40, 0, 1.2, 10},
		{16000, 1, 8, 40, 0, 7, 20},
	}) {
		t.Run(fmt.Sprintf("%d bytes a second, %v s, times %v, %d ms, loss %v", x.rate, x.queue, x.over, x.delay, x.loss), func(t *testing.T) {
			said := x.over * float64(x.rate) / update // updates a second
			cond := netsim.Conditions{Delay: time.Duration(x.delay) * time.Millisecond, Loss: x.loss}
			f := newFlood(t, int(said/4), 6, rpl.AuthorityConfig{SendHz: 30, Budget: 256 << 10}, cond)
			f.play(300, said/60)
			slow := cond
			slow.Rate, slow.Queue = x.rate, int(x.queue*float64(x.rate))
			f.c.SetConditions(slow, cond)
			oldest, payload := 0., 0
			for i := range 60 {
				f.play(60, said/60)
				if age, _ := f.age(); i >= 30 { // before that, what left in the first seconds comes
					oldest = max(oldest, age)
				}
				if i == 30 {
					payload = f.net.Payload
				}
			}
			sent := float64(f.net.Payload-payload) / 29
			quick := cond
			quick.Rate, quick.Queue = 1<<20, 1<<30 // what waits comes first
			f.c.SetConditions(quick, cond)
			f.play(300, said/60)
			after, _ := f.age()
			f.play(240, 0)
			end, missing := f.age()
			n := f.net.A.Counters()
			t.Logf("up to %.1f s old, %.1f s after five quick ones; %.0f bytes a second sent; %d packets lost, %d late; %d told again, %d keyframes", oldest, after, sent, n.PacketsLost, n.LateAcks, n.Repeats, n.Keyframes)
			if oldest > x.age || sent > x.sent*float64(x.rate) {
				t.Errorf("state is up to %.1f s old, and %.0f bytes a second are sent; at most %v s and %v times %d", oldest, sent, x.age, x.sent, x.rate)
			}
			if after > 0.5+cond.Delay.Seconds()*4 || end > 0 || missing > 0 {
				t.Errorf("state is %.1f s old after five quick seconds, %.1f s after four in which nothing changed; %d nodes are missing", after, end, missing)
			}
			if n.Resyncs > 0 {
				t.Errorf("%d resyncs", n.Resyncs)
			}
		})
	}
}

// Without a budget, updates of more nodes than a line's round trip has room for leave as acks
// come back. What is forgotten before its ack comes would be told again, and again.
func TestManyUpdatesUnderWay(t *testing.T) {
	t.Parallel()
	for _, budget := range some([]int{0, 1 << 30}) {
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

// What is lost makes a send of several packets begin at another node each time. Each packet
// that arrives can be read, and each node is what it was at the tick that it claims.
func TestRotatedSendsAreExact(t *testing.T) {
	const nodes, seed = 500, 3
	w := newWorld(t, seed, rpl.AuthorityConfig{}, netsim.Conditions{Delay: 40 * time.Millisecond, Loss: 0.05}, nodes)
	c, err := w.net.Join(2)
	if err != nil {
		t.Fatal(err)
	}
	type moment struct {
		node rpl.Node
		tick rpl.Tick
	}
	was := map[moment][]int32{}
	for range 300 {
		w.net.Tick(func(tick rpl.Tick) {
			for _, th := range w.nodes {
				th.words[0] += int32(w.r.IntN(600) - 300)
				th.words[4], th.words[5] = int32(w.r.IntN(101)), int32(w.r.IntN(4096))
				w.net.A.SetWords(th.item, th.words)
				was[moment{th.id, tick}] = slices.Clone(th.words)
			}
		})
		for _, th := range w.nodes {
			r, ok := c.P.Replica(th.id)
			if !ok {
				continue
			}
			if got, tick := r.Confirmed(0, nil); !slices.Equal(got, was[moment{th.id, tick}]) {
				t.Fatalf("seed %d: %v at tick %d is %v, want %v", seed, th.id, tick, got, was[moment{th.id, tick}])
			}
		}
	}
	if n := c.P.Counters().Refused; n > 0 {
		t.Errorf("seed %d: %d packets could not be read", seed, n)
	}
}
