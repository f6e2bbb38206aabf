package play

import (
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/cpu"
	"github.com/tendonengine/tendon/rpl"
)

// A peer is the server's end of one client.
type peer struct {
	id    rpl.Peer
	index int // the client's
	end   end
}

// A server is the authority, the world it extracts, and a stopwatch around
// each stage.
type server struct {
	core    *rpl.Authority
	feed    feed
	hooks   nodes
	peers   []*peer
	workers int
	unit    float64

	step  stages // of the tick, or of the ticks since the last send
	since stages // of the ticks that did not send
}

// stages are the processor time of one send.
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

// tick runs one tick of the authority. Collecting packets, the world's step and
// the network afterwards are not measured; everything between is. observe says
// where each client looks from, and is nil where everyone sees everything.
func (s *server) tick(p *phase, now time.Duration, tick rpl.Tick, send bool, observe func(client int) point) error {
	for _, c := range s.peers {
		if err := c.end.Collect(now); err != nil {
			return err
		}
		if send {
			c.end.Begin(now)
		}
	}
	s.feed.write(p.t, p.row(p.tick))
	p.made = 0
	err := s.measured(now, tick, send, observe)
	if err == nil {
		err = p.err
	}
	return err
}

func (s *server) measured(now time.Duration, tick rpl.Tick, send bool, observe func(client int) point) error {
	var got stages
	before := mallocs()
	watch := cpu.Start()
	for _, c := range s.peers {
		datagrams, messages := c.end.Received()
		for _, d := range datagrams {
			_ = s.core.Receive(c.id, d.Seq, d.At, d.Data) // refusals are the core's to count
		}
		for _, m := range messages {
			_ = s.core.ReceiveMessage(c.id, m)
		}
	}
	s.core.Step(tick)
	got.receive = watch.Lap()
	if err := s.feed.extract(s.core, &s.hooks); err != nil {
		return err
	}
	got.extract = watch.Lap()
	if send {
		if observe != nil {
			for _, c := range s.peers {
				at := observe(c.index)
				s.core.Observe(c.id, [2]float64{at.x / s.unit, at.y / s.unit})
			}
		}
		s.core.Stream(now)
		got.stream = watch.Lap()
		s.core.Schedule(now)
		got.schedule = watch.Lap()
		s.encode(now)
		got.encode = watch.Lap()
	}
	got.mallocs = mallocs() - before
	s.step = got.add(s.since)
	s.since = stages{}
	if !send {
		s.since = s.step
	}
	return nil
}

// encode writes every peer's packets, on as many goroutines as asked for.
func (s *server) encode(now time.Duration) {
	workers := min(s.workers, len(s.peers))
	if workers <= 1 {
		for _, c := range s.peers {
			s.core.Encode(c.id, now, c.end)
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
				s.core.Encode(c.id, now, c.end)
			}
		}()
	}
	wg.Wait()
}

// mallocs is how many objects the process has allocated so far.
func mallocs() uint64 {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.Mallocs
}

// heap is the bytes of living objects.
func heap() int64 {
	runtime.GC()
	runtime.GC() // the first leaves what pools hold
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
