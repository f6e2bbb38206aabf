package play

import (
	"time"

	"github.com/tendonengine/tendon/demo/bench/internal/link"
	"github.com/tendonengine/tendon/rpl"
)

// An end is one side of a connection, in virtual time (link.End) or over UDP
// (link.UDPEnd). The authority and the proxies use it as a rpl.Sink.
type end interface {
	rpl.Sink
	Collect(now time.Duration) error
	Received() ([]link.Datagram, [][]byte)
	Begin(now time.Duration)
	Flush(now time.Duration) link.Counters
	Held() int
	Oversize() int
}

// A network connects clients and gives the time.
type network interface {
	// pair connects one more client and returns both ends.
	pair() (server, client end, err error)
	// wait blocks until a tick is due, and returns the time at which it runs.
	wait(due time.Duration) time.Duration
	close() error
}

// virtual is the simulated network. Its time is always the tick's due time.
type virtual struct {
	conditions link.Conditions
	seed, made uint64
}

func (v *virtual) pair() (server, client end, err error) {
	v.made++
	server, client = link.Pair(v.seed<<20+v.made, v.conditions)
	return server, client, nil
}

func (v *virtual) wait(due time.Duration) time.Duration { return due }
func (v *virtual) close() error                         { return nil }

// loopback is UDP and KCP on 127.0.0.1 in real time.
type loopback struct {
	network *link.Network
	start   time.Time // when session time was 0; set at the first tick
}

func (l *loopback) pair() (server, client end, err error) { return l.network.Pair() }

func (l *loopback) wait(due time.Duration) time.Duration {
	if l.start.IsZero() {
		l.start = time.Now().Add(-due)
	}
	time.Sleep(due - time.Since(l.start))
	return time.Since(l.start)
}

func (l *loopback) close() error { return l.network.Close() }

func newNetwork(o *Options) (network, error) {
	c := link.Conditions{RTT: o.RTT, Jitter: o.Jitter, Loss: o.Loss}
	if !o.UDP {
		return &virtual{conditions: c, seed: o.Seed}, nil
	}
	n, err := link.Listen(o.Seed, c)
	if err != nil {
		return nil, err
	}
	return &loopback{network: n}, nil
}
