package play

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/cpu"
	"github.com/tendonengine/tendon/demo/bench/trace"
	"github.com/tendonengine/tendon/rpl"
)

// patience is how long the clients may take to equal the world once it stands still.
const patience = 10 * time.Second

// ErrTrace is wrapped by the error of Run for a trace that can be read but that the
// library's schema cannot hold.
var ErrTrace = errors.New("the trace cannot be replicated")

// A session is one authority and its current clients.
type session struct {
	o       Options
	config  rpl.AuthorityConfig
	net     network
	server  *server
	layout  *layout
	send    *accumulator
	clients []*client
	peers   int           // peers made so far; the next peer's number follows from it
	frame   int           // ticks since the session began
	at      time.Duration // when the last tick ran
	up      []int         // payload bytes of the last answer, by client

	tap func(c *client) // for tests: called with each client that connects

	// decided is called with Stream's decisions while a phase is measured; nil before.
	decided func(p rpl.Peer, n rpl.Node, in bool)
}

// Run plays the trace. It returns an error if the run was impossible or broke off;
// mismatches are not errors but figures of the report.
func Run(o Options) (Report, error) {
	if err := o.Check(); err != nil {
		return Report{}, err
	}
	o.Send = min(o.Send, o.Trace.Hz)
	s, err := newSession(o)
	if err != nil {
		return Report{}, err
	}
	defer s.net.close() // the run is over, so an error does not matter
	if o.Warm != nil {
		if err := s.warm(o.Warm); err != nil {
			return Report{}, fmt.Errorf("while warming up: %w", err)
		}
	}
	return s.measure()
}

func newSession(o Options) (*session, error) {
	s := &session{o: o, send: newAccumulator(o.Send, o.Trace.Hz)}
	s.config = rpl.AuthorityConfig{Hz: o.Trace.Hz, SendHz: o.Send, Budget: o.Budget}
	t := bounds(o.Trace, o.Warm)
	if o.Radius > 0 {
		r := o.Radius
		if isGenerated(t) {
			r /= perUnit
		}
		s.config.Interest = rpl.Grid{Enter: r, Exit: exitFactor * r}
	}
	w, err := newWorld(t, s.config, s.o.Explicit)
	if err != nil {
		return nil, fmt.Errorf("%w: %s", ErrTrace, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	s.config.Schema = w.schema()
	if s.layout, err = w.layout(); err != nil {
		return nil, err
	}
	if s.net, err = newNetwork(&s.o); err != nil {
		return nil, err
	}
	s.server = &server{world: w, core: w.core(), workers: o.Workers, budget: o.Budget > 0}
	w.core().OnDecide(func(p rpl.Peer, n rpl.Node, in bool) {
		if s.decided != nil {
			s.decided(p, n, in)
		}
	})
	return s, nil
}

// bounds returns the trace with bounds that hold the values of both traces. The schema
// is made from it, so that one schema serves both.
func bounds(t, warm *trace.Trace) *trace.Trace {
	if warm == nil {
		return t
	}
	u := *t
	u.Fields = append([]trace.Field(nil), t.Fields...)
	for i := range u.Fields {
		f, w := &u.Fields[i], warm.Fields[i]
		if f.Role != trace.Angle {
			f.Min, f.Max = min(f.Min, w.Min), max(f.Max, w.Max)
		}
	}
	return &u
}

// now returns the session's time.
func (s *session) now() time.Duration { return s.at }

// due returns when the next tick is to run. It is computed from the tick's number, so
// rounding does not add up.
func (s *session) due() time.Duration {
	return time.Duration(int64(s.frame) * int64(time.Second) / int64(s.o.Trace.Hz))
}

// tick returns the authority's tick; the first is 1.
func (s *session) tick() rpl.Tick { return rpl.Tick(s.frame + 1) }

// connect makes o.Clients new clients and connects them.
func (s *session) connect(p *phase) error {
	for i := range s.o.Clients {
		s.peers++
		id := rpl.Server + rpl.Peer(s.peers)
		proxy, err := rpl.NewProxy(rpl.ProxyConfig{Schema: s.config.Schema, Hz: s.config.Hz}, id)
		if err != nil {
			return err
		}
		if i == 0 && s.o.Packets != nil {
			proxy.Trace(s.o.Packets)
		}
		server, end, err := s.net.pair()
		if err != nil {
			return err
		}
		c := &client{index: int32(i), proxy: proxy, end: end, sink: end, spend: spend{rate: float64(s.o.Budget)}}
		c.begin(p)
		if s.tap != nil {
			s.tap(c)
		}
		s.clients = append(s.clients, c)
		s.server.peers = append(s.server.peers, &peer{id: id, index: i, end: server, sink: server})
		if err := s.server.core.Connect(id); err != nil {
			return err
		}
	}
	return nil
}

func (s *session) disconnect() {
	for _, p := range s.server.peers {
		s.server.core.Disconnect(p.id)
	}
	s.server.peers = nil
}

// warm plays another trace without measuring it, and removes its nodes and clients.
func (s *session) warm(t *trace.Trace) error {
	p := newPhase(t, s.tick())
	if err := s.connect(p); err != nil {
		return err
	}
	s.server.nodes = p
	observe := newRelevancy(t, s.o.Clients, s.o.Radius).observer(p)
	for p.tick < t.Ticks {
		s.at = s.net.wait(s.due())
		if err := s.server.run(p, s.now(), s.tick(), s.send.due(), observe); err != nil {
			return err
		}
		for _, peer := range s.server.peers {
			s.server.flush(peer, s.now())
		}
		if _, err := s.receive(); err != nil {
			return err
		}
		s.answer()
		p.tick++
		s.frame++
	}
	s.disconnect()
	s.clients = nil
	s.server.world.clear()
	s.at = s.net.wait(s.due())
	s.server.world.step(s.now(), s.tick(), s.send.due(), s.server) // removes the nodes
	s.server.world.report(p)
	s.frame++
	return p.err
}

// receive lets every client receive the packets that are due, and returns the processor
// time and the allocations of all clients together.
func (s *session) receive() (took stages, err error) {
	now := s.now()
	for _, c := range s.clients {
		if err := c.end.Collect(now); err != nil {
			return took, err
		}
	}
	samples := s.server.samples
	before := samples.mallocs()
	watch := cpu.Start()
	for _, c := range s.clients {
		c.receive(now)
	}
	took.receive = watch.Lap()
	took.mallocs = samples.mallocs() - before
	return took, nil
}

// answer lets every client send, and returns the payload bytes of each, valid until the
// next call, and the allocations of all.
func (s *session) answer() (up []int, allocs uint64) {
	now := s.now()
	for _, c := range s.clients {
		c.end.Begin(now)
	}
	samples := s.server.samples
	before := samples.mallocs()
	for _, c := range s.clients {
		c.proxy.Send(now, c.sink)
	}
	allocs = samples.mallocs() - before
	s.up = s.up[:0]
	for _, c := range s.clients {
		s.up = append(s.up, c.end.Flush(now).Payload)
	}
	return s.up, allocs
}

// heapPerClient disconnects all clients and returns by how many bytes per client the
// heap has shrunk.
func (s *session) heapPerClient() int64 {
	with := heap()
	clients, peers := s.clients, s.server.peers
	s.disconnect()
	without := heap()
	runtime.KeepAlive(clients)
	runtime.KeepAlive(peers)
	runtime.KeepAlive(s) // everything but the authority's memory for the clients stays alive
	return (with - without) / int64(len(clients))
}
