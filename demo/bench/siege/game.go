package main

// The game that is besieged: bodies that move unpredictably, a clock by which clients see
// how old the newest state is, and a call that is counted.

import (
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"log/slog"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/kcp"
)

type (
	clockData struct {
		Now int32 `rpl:""` // stamp on the server
	}
	moteData struct {
		X float64 `rpl:"step=1/32"`
		Y float64 `rpl:"step=1/32"`
	}
	countArgs struct {
		N    int32  `rpl:""`
		Fill string `rpl:"max=1024"`
	}
)

var (
	protocol = tendon.NewProtocol("siege")
	clock    = tendon.Replicate(protocol, "clock", donburi.NewComponentType[clockData]())
	mote     = tendon.Replicate(protocol, "mote", donburi.NewComponentType[moteData]())
	counted  = tendon.NewRPC[countArgs](protocol, "count", rpl.ToServer, rpl.Reliable).FromAnyone()
	thrown   = tendon.NewRPC[countArgs](protocol, "throw", rpl.ToServer, rpl.Unreliable).FromAnyone()
)

// stamp is the time in milliseconds, the same in all processes of the machine. It begins
// anew every 24 days.
func stamp() int32 { return int32(time.Now().UnixMilli() & math.MaxInt32) }

// A host is the server's side of the game.
type host struct {
	rep   *tendon.Replication
	rng   *rand.Rand
	clock *donburi.Entry
	calls map[rpl.Peer]*tallied
	still bool
	steps int
}

// A tallied peer's calls came in order, or not.
type tallied struct{ next, lost, doubled int32 }

func newHost(c tendon.Config, bodies int) (*host, error) {
	c.Log, c.Dedicated = slog.New(slog.DiscardHandler), true
	rep, err := tendon.New(donburi.NewWorld(), protocol, c)
	if err != nil {
		return nil, err
	}
	h := &host{rep: rep, rng: rand.New(rand.NewPCG(1, 2)), calls: map[rpl.Peer]*tallied{}}
	w := rep.World()
	h.clock = rep.Session()
	h.clock.AddComponent(clock)
	for range bodies {
		w.Create(mote, components.RplNode)
	}
	counted.Handle(rep, func(c tendon.Call, a countArgs) {
		t := h.calls[c.From]
		if t == nil {
			t = &tallied{}
			h.calls[c.From] = t
		}
		switch {
		case a.N < t.next:
			t.doubled++
		default:
			t.lost += a.N - t.next
			t.next = a.N + 1
		}
	})
	thrown.Handle(rep, func(tendon.Call, countArgs) {})
	return h, nil
}

func (h *host) step() {
	h.steps++
	h.rep.Receive()
	if !h.still {
		clock.Get(h.clock).Now = stamp()
		for e := range mote.Iter(h.rep.World()) {
			m := mote.Get(e)
			m.X += float64(h.rng.IntN(64)) / 8
			m.Y += float64(h.rng.IntN(64)) / 8
		}
	}
	h.rep.Send()
}

// A guest is a client's side of the game.
type guest struct {
	rep    *tendon.Replication
	key    kcp.Key   // each is a player of its own, though all are on one machine
	ages   []float64 // ms
	next   int32     // call
	calls  bool
	in     bool
	gone   error
	began  time.Time
	took   time.Duration // from Join to the first state
	number int
}

func newGuest(number int) (*guest, error) {
	rep, err := tendon.New(donburi.NewWorld(), protocol, tendon.Config{
		Sends: 60, Hello: fmt.Appendf(nil, "guest %d", number), Log: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return nil, err
	}
	g := &guest{rep: rep, key: kcp.NewKey(), number: number}
	rep.OnEnd(func(err error) { g.gone, g.in = err, false })
	return g, nil
}

func (g *guest) step() {
	g.rep.Receive()
	g.look()
	if g.in && g.calls && counted.Send(g.rep.Session(), countArgs{N: g.next}) == nil {
		g.next++
	}
	g.rep.Send()
}

// look notes how old the newest state is.
func (g *guest) look() {
	s := g.rep.Session()
	if g.rep.Mode() != tendon.Client || !s.HasComponent(clock) {
		return
	}
	if now := clock.Get(s).Now; now > 0 {
		if !g.in {
			g.in, g.took = true, time.Since(g.began)
		}
		g.ages = append(g.ages, float64(stamp()-now))
	}
}

// state is a sum of a world's motes, of which all are known when it is at rest.
func state(w donburi.World) map[string]float64 {
	sum, n := uint32(0), 0
	for e := range mote.Iter(w) {
		m := mote.Get(e)
		h := fnv.New32a()
		_ = binary.Write(h, binary.LittleEndian, [2]float64{m.X, m.Y}) // never fails
		sum += h.Sum32()
		n++
	}
	return map[string]float64{"sum": float64(sum), "motes": float64(n)}
}

// percentile sorts v.
func percentile(v []float64, p float64) float64 {
	if len(v) == 0 {
		return 0
	}
	slices.Sort(v)
	return v[min(len(v)-1, int(float64(len(v))*p/100))]
}

// memory is the heap in KiB after a collection, and what else must not grow.
func memory() map[string]float64 {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return map[string]float64{"heap_kib": float64(m.HeapAlloc) / 1024, "mallocs": float64(m.Mallocs), "goroutines": float64(runtime.NumGoroutine()), "files": float64(openFiles())}
}
