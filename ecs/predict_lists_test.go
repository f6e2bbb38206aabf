package ecs_test

// Predicted components that hold lists and maps.

import (
	"slices"
	"testing"
	"time"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/ecs/tendontest"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

type snakeData struct {
	X    int32            `rpl:""`
	Tail []int32          `rpl:"max=8"`
	ran  map[rpl.Tick]int // how often each of the last ticks has: it does not travel
}

// A rule that changes a list in place is predicted like any other: the states that are kept have
// lists and maps of their own, and a correction puts them back as they were.
func TestPredictedLists(t *testing.T) {
	net := mem.NewNetwork(1, fine)
	p := tendon.NewProtocol("snakes")
	snake := tendon.Replicate(p, "snake", donburi.NewComponentType[snakeData]())
	crawl := tendon.NewCommand[int8](p, "crawl", snake)
	session := func(dedicated bool) *tendon.Replication {
		r, err := tendon.New(donburi.NewWorld(), p, tendon.Config{Dedicated: dedicated})
		if err != nil {
			t.Fatal(err)
		}
		crawl.Apply(r, func(c tendon.Call, by int8) {
			d := snake.Get(c.Entry)
			if c.Tick%8 == 0 && len(d.Tail) < 8 {
				d.Tail = append(d.Tail, d.X)
			}
			if len(d.Tail) == 8 && c.Tick%64 == 0 {
				d.Tail = d.Tail[:2]
			}
			if n := len(d.Tail); n > 0 {
				d.Tail[int(c.Tick)%n] += int32(by)
			}
			if d.ran == nil {
				d.ran = map[rpl.Tick]int{}
			}
			d.ran[c.Tick]++
			delete(d.ran, c.Tick-32)
			d.X += int32(by)
		})
		return r
	}
	server, client := session(true), session(false)
	crawl.Sample(client, func(*donburi.Entry) int8 { return 1 })
	server.OnJoin(func(q rpl.Peer) { tendon.Give(server.Create(snake), q) })
	told := map[string]int{}
	client.OnCorrection(func(c tendon.Correction) { told[c.Field]++ })
	l := net.Listener()
	server.Host(l)
	client.Join(net.Dialer(l))
	for i := range 900 {
		net.Advance(time.Second / 60)
		for _, r := range []*tendon.Replication{server, client} {
			r.Receive()
			crawl.Run(r)
			r.Send()
		}
		mine, ok := tendon.Mine(client, snake)
		if ok { // what the server has said is a copy, with lists of its own
			tail := slices.Clone(snake.Get(mine).Tail)
			if tendon.Confirmed(mine, snake); !slices.Equal(tail, snake.Get(mine).Tail) {
				t.Fatalf("step %d: Confirmed made the tail %v of %v", i, snake.Get(mine).Tail, tail)
			}
		}
		switch {
		case i < 240 || !ok:
			clear(told)
		case i%40 == 0: // a correction, which runs what is on its way again
			e, _ := server.Find(tendon.ID(mine))
			snake.Get(e).X += 160
		}
	}
	if told["snake.X"] < 10 || told["snake.Tail"] > 0 {
		t.Errorf("corrections: %v", told)
	}
	crawl.Sample(client, func(*donburi.Entry) int8 { return 0 })
	mine, _ := tendon.Mine(client, snake)
	for tick, n := range snake.Get(mine).ran {
		if n != 1 {
			t.Errorf("tick %d counts %d times", tick, n)
		}
	}
	e, _ := server.Find(tendon.ID(mine))
	for range 600 {
		net.Advance(time.Second / 60)
		for _, r := range []*tendon.Replication{server, client} {
			r.Receive()
			r.Send() // paused
		}
	}
	if a, b := snake.Get(mine), snake.Get(e); a.X != b.X || !slices.Equal(a.Tail, b.Tail) {
		t.Errorf("in the end %+v, on the server %+v", *a, *b)
	}
}

// Two components of a predicted node have lists of one length and of other elements: each is compared as what it is.
func TestPredictedListsOfOneLength(t *testing.T) {
	type row struct {
		A, B, C uint8 `rpl:""`
	}
	type bag struct {
		Slots []uint16 `rpl:"max=4"`
		Weigh uint32   `rpl:""`
	}
	type look struct {
		Parts []row `rpl:"max=4"`
	}
	p := tendon.NewProtocol("lists of one length")
	bags := tendon.Replicate(p, "bag", donburi.NewComponentType[bag]())
	looks := tendon.Replicate(p, "look", donburi.NewComponentType[look]())
	dress := tendon.NewCommand[uint8](p, "dress", bags)
	corrections := 0
	lab := tendontest.NewLab(t, tendontest.Game{
		Protocol:  p,
		Configure: func(name string, c *tendon.Config) { c.Dedicated = name == "server" },
		Setup: func(m *tendontest.Machine) {
			m.OnJoin(func(peer rpl.Peer) {
				e := m.Create(bags, looks)
				bags.Get(e).Slots, looks.Get(e).Parts = []uint16{1}, []row{{1, 2, 3}}
				tendon.Give(e, peer)
			})
			m.OnCorrection(func(tendon.Correction) { corrections++ })
			dress.Sample(m.Replication, func(*donburi.Entry) uint8 { return uint8(m.Rand.IntN(3)) })
			dress.Apply(m.Replication, func(c tendon.Call, n uint8) {
				if bags.Get(c.Entry).Weigh += uint32(n); n == 2 {
					looks.Get(c.Entry).Parts = []row{{uint8(c.Tick), 2, 3}}
				}
			})
		},
		Step: func(m *tendontest.Machine) { dress.Run(m.Replication) },
	}, netsim.Conditions{Delay: 50 * time.Millisecond})
	lab.Host()
	lab.Join()
	lab.Steps(300)
	if corrections > 0 {
		t.Errorf("%d corrections", corrections)
	}
}
