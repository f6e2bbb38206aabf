package ecs_test

// Much that comes into view at once, at a join or after a teleport, over lines of which it is not known
// what they carry.

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/quasilyte/gmath"
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/netsim"
)

// An onlooker is a client whose own node sees a crowd of n crates, of which some walk unpredictably,
// or is far off from it. What the own node says changes in each step, also unpredictably.
type onlooker struct {
	*lab
	server, client *machine
	own            donburi.Entity
	n              int

	age, oldest int // of the own node's news at the client, in steps
	newest, gap int // step of the newest of them, and the most steps from one to the next
}

func newOnlooker(t *testing.T, way netsim.Conditions, n, walking int, far bool) *onlooker {
	l := newLab(t, way)
	rng := rand.New(rand.NewPCG(1, l.seed))
	c := &onlooker{lab: l, n: n, server: l.server(tendon.Config{Interest: rpl.Grid{Enter: 400, Exit: 500}})}
	var walk []*donburi.Entry
	for i := range n {
		e := Crate.Spawn(c.server.World(), CrateArgs{Label: fmt.Sprintf("crate %d of the crowd", i), Pos: gmath.Vec{X: float64(rng.IntN(250)), Y: float64(rng.IntN(250))}})
		if i < walking {
			walk = append(walk, e)
		}
	}
	id := rpl.Node(0)
	c.server.OnJoin(func(p rpl.Peer) {
		e := c.server.Create(Foreign, Body, components.Observer)
		c.own, id = e.Entity(), tendon.ID(e)
		if far {
			Body.Get(e).Pos = gmath.Vec{X: 10_000, Y: 10_000}
		}
		tendon.Give(e, p)
	})
	c.server.step = func() {
		for _, e := range walk {
			b := Body.Get(e)
			b.Pos.X = min(max(b.Pos.X+float64(rng.IntN(65)-32)/8, 0), 250)
			b.Pos.Y = min(max(b.Pos.Y+float64(rng.IntN(65)-32)/8, 0), 250)
		}
		if c.server.World().Valid(c.own) {
			Foreign.Get(c.server.World().Entry(c.own)).Value = int32(c.server.Tick())<<1 | rng.Int32N(2)
		}
	}
	c.client = l.client(tendon.Config{})
	c.client.step = func() {
		e, _ := c.client.Find(id)
		if e == nil || Foreign.Get(e).Value == 0 {
			return
		}
		told := int(Foreign.Get(e).Value >> 1)
		if c.newest > 0 {
			c.gap = max(c.gap, told-c.newest)
		}
		c.newest, c.age = told, int(c.server.Tick())-told
		c.oldest = max(c.oldest, c.age)
	}
	return c
}

// teleport has the own node leap into the crowd.
func (c *onlooker) teleport() {
	e := c.server.World().Entry(c.own)
	Body.Get(e).Pos = gmath.Vec{}
	tendon.Teleport(e)
	c.oldest, c.gap = 0, 0
}

// all runs steps until the client has the whole crowd, and returns how many, and how many of these came
// after the first of the crowd.
func (c *onlooker) all(most int) (steps, after int) {
	c.Helper()
	for first := 0; steps < most; {
		c.steps(1)
		steps++
		n := c.client.count(Paint)
		if n > 0 && first == 0 {
			first = steps
		}
		if n == c.n {
			return steps, steps - first
		}
	}
	c.Fatalf("after %d steps the client has %d of %d", most, c.client.count(Paint), c.n)
	return 0, 0
}

// A slow line with a deep queue is not filled by what comes into view: neither as the client joins, nor
// later. What the player does is told meanwhile.
func TestSlowLineIsNotFilledByArrivals(t *testing.T) {
	for _, line := range []struct {
		rate   int
		oldest time.Duration
	}{{8000, 1500 * time.Millisecond}, {20_000, 600 * time.Millisecond}} {
		for _, delay := range []time.Duration{20 * time.Millisecond, 75 * time.Millisecond} {
			for _, walking := range []int{0, 400} {
				slow := netsim.Conditions{Delay: delay, Rate: line.rate, Queue: 64 << 10}
				n, oldest, gap := 800, line.oldest+delay, 30
				if walking > 0 { // also all that moves is told at first: 36 kB a second
					n, oldest, gap = 400, 2*line.oldest+delay, 180
				}
				check := func(what string, c *onlooker) {
					steps, _ := c.all(1800)
					c.steps(120)
					t.Logf("%d B/s, %v, %d of %d walk, %s: all in %d steps, news up to %d steps old, at most %d apart", line.rate, delay, walking, n, what, steps, c.oldest, c.gap)
					if got := time.Duration(c.oldest) * time.Second / 60; got > oldest || c.gap > gap {
						t.Errorf("%d B/s, %v, %d of %d walk, %s: the own node's news are up to %v old and %d steps apart", line.rate, delay, walking, n, what, got, c.gap)
					}
				}
				check("a join", newOnlooker(t, slow, n, walking, false))

				c := newOnlooker(t, slow, n, walking, true)
				c.joined()
				c.steps(60)
				c.teleport()
				check("a teleport", c)

				c = newOnlooker(t, netsim.Conditions{Delay: delay}, n, walking, true)
				c.joined()
				c.steps(40)
				c.net.SetConditions(slow) // the line was a good one until then
				c.teleport()
				check("a teleport as the line turns slow", c)
			}
		}
	}
}

// On a line that carries all, a join comes as fast as the budget has it.
func TestJoinsOnGoodLines(t *testing.T) {
	for _, delay := range []int{0, 25, 75, 150} {
		for _, n := range []int{100, 400, 1500} {
			for _, walking := range []int{0, n} {
				c := newOnlooker(t, netsim.Conditions{Delay: time.Duration(delay) * time.Millisecond}, n, walking, false)
				steps, after := c.all(600)
				t.Logf("%d ms, %d crates, %d walk: all in %d steps, %d after the first", delay, n, walking, steps, after)
				if after > 2 {
					t.Errorf("%d ms, %d crates, %d walk: the last come %d steps after the first", delay, n, walking, after)
				}
				c = newOnlooker(t, netsim.Conditions{Delay: time.Duration(delay) * time.Millisecond}, n, walking, true)
				c.joined()
				c.steps(60)
				c.teleport()
				steps, _ = c.all(600)
				t.Logf("%d ms, %d crates, %d walk: after a teleport all in %d steps", delay, n, walking, steps)
				if roundTrip := 2 * delay * 60 / 1000; steps > 2*roundTrip+16 {
					t.Errorf("%d ms, %d crates, %d walk: after a teleport all in %d steps", delay, n, walking, steps)
				}
			}
		}
	}
}

// What has come into view on a line that loses packets is told of while its arrival is under way: copies of
// arrivals leave room for that.
func TestNewNodesAreToldOfOnLossyLine(t *testing.T) {
	c := newOnlooker(t, netsim.Conditions{Delay: 150 * time.Millisecond, Loss: 0.05}, 0, 0, true)
	c.joined()
	c.steps(400) // what the line loses is known
	rng := rand.New(rand.NewPCG(2, c.seed))
	var walk []*donburi.Entry
	others := c.server.step
	c.server.step = func() {
		others()
		for _, e := range walk {
			Body.Get(e).Pos.X += float64(1+rng.IntN(16)) / 8
		}
	}
	var longest []int // steps without news of one, for each time
	for range 9 {
		for i := range 80 {
			walk = append(walk, Crate.Spawn(c.server.World(), CrateArgs{Label: strings.Repeat(string(rune(97+i%26)), 32), Pos: gmath.Vec{X: 10_000, Y: 10_000}}))
		}
		type news struct {
			x  float64
			at int
		}
		last, most := map[donburi.Entity]news{}, 0
		for at := range 50 {
			c.steps(1)
			for e := range Paint.Iter(c.client.World()) {
				x := Body.Get(e).Pos.X
				n, ok := last[e.Entity()]
				if ok && n.x != x {
					most = max(most, at-n.at)
				}
				if !ok || n.x != x {
					last[e.Entity()] = news{x, at}
				}
			}
		}
		if longest = append(longest, most); len(last) < 80 {
			t.Errorf("the client has %d of 80", len(last))
		}
		for _, e := range walk {
			e.Remove()
		}
		walk = walk[:0]
		c.steps(90)
	}
	slices.Sort(longest)
	t.Logf("steps without news of one: %v", longest)
	if got := longest[len(longest)/2]; got > 12 {
		t.Errorf("of one that has just come are no news for %d steps, usually", got)
	}
}
