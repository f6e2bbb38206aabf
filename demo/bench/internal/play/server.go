package play

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/cpu"
	"github.com/tendonengine/tendon/demo/bench/internal/link"
	"github.com/tendonengine/tendon/rpl"
)

// A peer is the server's side of one client.
type peer struct {
	id    rpl.Peer
	index int // of the client
	end   end
	sink  rpl.Sink // end, converted once: a conversion in each send may allocate
	at    point    // its observer point at this tick
}

// A server is the authority, the world that it replicates, and a stopwatch for each
// stage.
type server struct {
	world   world
	core    *rpl.Authority
	nodes   register
	peers   []*peer
	workers int
	budget  bool // peers have a budget

	samples sampling // of the send that this tick belongs to

	watch cpu.Stopwatch
	tick  stages // of the current tick
	step  stages // of the last send, with the ticks before it that did not send
	since stages // of the ticks since the last send

	looks bool // peers have observer points at this tick
}

// stages has the processor time of each stage, and the allocations of all.
type stages struct {
	receive, extract, stream, schedule, encode time.Duration
	mallocs                                    uint64
}

func (s stages) total() time.Duration {
	return s.receive + s.extract + s.stream + s.schedule + s.encode
}

func (s stages) add(o stages) stages {
	return stages{
		s.receive + o.receive, s.extract + o.extract, s.stream + o.stream,
		s.schedule + o.schedule, s.encode + o.encode, s.mallocs + o.mallocs,
	}
}

// run runs one tick of the authority. The measured time holds the authority's work from
// Receive to Encode; collecting packets, writing the trace into the world and flushing
// are outside.
func (s *server) run(p *phase, now time.Duration, tick rpl.Tick, send bool, observer func(client int) point) error {
	for _, c := range s.peers {
		if err := c.end.Collect(now); err != nil {
			return err
		}
		if send {
			c.end.Begin(now)
		}
	}
	s.world.write(p.t, p.row(p.tick))
	if s.looks = send && observer != nil; s.looks {
		for _, c := range s.peers {
			at := observer(c.index)
			c.at = point{at.x / s.world.unit(), at.y / s.world.unit()}
		}
	}
	p.turnover = 0
	s.measured(now, tick, send)
	s.world.report(s.nodes)
	return p.err
}

func (s *server) measured(now time.Duration, tick rpl.Tick, send bool) {
	s.tick = stages{}
	before := s.samples.mallocs()
	s.watch = cpu.Start()
	for _, c := range s.peers {
		datagrams, messages := c.end.Received()
		for _, d := range datagrams {
			_ = s.core.Receive(c.id, d.Seq, d.At, d.Data) // the authority counts refused packets
		}
		for _, m := range messages {
			_ = s.core.ReceiveMessage(c.id, m)
		}
	}
	s.world.step(now, tick, send, s)
	if send {
		s.encode(now)
		s.tick.encode = s.watch.Lap()
	}
	s.tick.mallocs = s.samples.mallocs() - before
	s.since = s.since.add(s.tick)
	if send {
		s.step, s.since = s.since, stages{}
	}
}

// The watcher's methods: the world calls them at the end of each stage.

func (s *server) received()  { s.tick.receive = s.watch.Lap() }
func (s *server) streamed()  { s.tick.stream = s.watch.Lap() }
func (s *server) scheduled() { s.tick.schedule = s.watch.Lap() }

// extracted also tells the authority the observer points. Its time belongs to Stream,
// because moving observers is the library's work; computing the points would be the
// game's.
func (s *server) extracted() {
	s.tick.extract = s.watch.Lap()
	if !s.looks {
		return
	}
	for _, c := range s.peers {
		s.core.Observe(c.id, [2]float64{c.at.x, c.at.y})
	}
}

// encode writes every peer's packets, on at most s.workers goroutines.
func (s *server) encode(now time.Duration) {
	workers := min(s.workers, len(s.peers))
	if workers <= 1 {
		for _, c := range s.peers {
			s.core.Encode(c.id, now, c.sink)
		}
		return
	}
	var next atomic.Int64
	var wg sync.WaitGroup
	for range workers {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := next.Add(1) - 1; int(i) < len(s.peers); i = next.Add(1) - 1 {
				c := s.peers[i]
				s.core.Encode(c.id, now, c.sink)
			}
		}()
	}
	wg.Wait()
}

// flush ends a peer's send, and charges the peer's budget for the bytes that were no
// datagrams.
func (s *server) flush(c *peer, now time.Duration) link.Counters {
	sent := c.end.Flush(now)
	if s.budget {
		s.core.Charge(c.id, sent.Beside, c.end.Held())
	}
	return sent
}

// heap returns the bytes of live objects.
func heap() int64 {
	runtime.GC()
	runtime.GC() // the first collection leaves the objects in sync.Pools
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
