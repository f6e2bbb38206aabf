package ecs_test

// How long a network with much loss delays reliable calls.

import (
	"slices"
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/mem"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A stall records how late the calls in one direction run.
type stall struct {
	seed    uint64 // the seed of the present session
	sent    []time.Duration
	ran     int
	late    []time.Duration // in all sessions
	most    time.Duration
	slowest uint64 // the seed of the session with the latest call
}

func (s *stall) call(m *machine, rpc *tendon.RPC[string]) {
	if err := rpc.Send(m.Session(), "something short"); err != nil {
		m.lab.Fatalf("seed %d: %v", s.seed, err)
	}
	s.sent = append(s.sent, m.lab.net.Now())
}

func (s *stall) hear(m *machine, rpc *tendon.RPC[string]) {
	s.seed, s.sent, s.ran = m.lab.seed, nil, 0
	rpc.Handle(m.Replication, func(tendon.Call, string) {
		late := m.lab.net.Now() - s.sent[s.ran]
		s.ran++
		s.late = append(s.late, late)
		if late > s.most {
			s.most, s.slowest = late, s.seed
		}
	})
}

func (s *stall) done() bool { return s.ran == len(s.sent) }

// atMost checks how late the slowest percent, the slowest tenth of a percent and the
// slowest call were.
func (s *stall) atMost(t *testing.T, way string, want [3]time.Duration) {
	t.Helper()
	slices.Sort(s.late)
	n := len(s.late)
	got := [3]time.Duration{s.late[n*99/100], s.late[n*999/1000], s.late[n-1]}
	t.Logf("%s %d calls: %v, the slowest with seed %d", way, n, got, s.slowest)
	for i := range got {
		if got[i] > want[i] {
			t.Errorf("%s: %v late, want %v at most", way, got, want)
			return
		}
	}
}

// When every fifth packet is lost in both directions and packets overtake each other, a
// reliable call from or to the server is late by a few round trips at most: a segment is
// sent twice each time, and the segments waiting behind it are delivered with it.
func TestCallsDoNotStall(t *testing.T) {
	var down, up stall
	for seed := uint64(1); seed <= 30; seed++ {
		net := mem.NewNetwork(seed, netsim.Conditions{Delay: 50 * time.Millisecond, Jitter: 40 * time.Millisecond, Loss: 0.2})
		l := &lab{T: t, net: net, listener: net.Listener(), seed: seed}
		server, client := l.server(tendon.Config{}), l.client(tendon.Config{})
		down.hear(client, Tell)
		up.hear(server, Chat)
		l.joined()
		l.steps(120) // until both ends have measured the loss
		for range 600 {
			down.call(server, Tell)
			up.call(client, Chat)
			l.steps(3)
		}
		l.until("all calls have run", func() bool { return down.done() && up.done() })
	}
	down.atMost(t, "to the client", [3]time.Duration{500e6, 800e6, 1300e6})
	up.atMost(t, "to the server", [3]time.Duration{500e6, 850e6, 1300e6}) // of four times as many calls the slowest 0.1 % take 770 ms
}
