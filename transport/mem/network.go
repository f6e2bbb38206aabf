// Package mem is a whole network in memory, for tests and simulations: listeners
// and any number of clients on a virtual clock, connected by the seeded simulator
// of package netsim. Handshake, packets, lanes and timeouts are those of package
// kcp, with two differences: a simulated path replaces the socket, and the reliable
// lane runs on lane.ARQ, which takes the time as an argument. The same seed and the
// same calls give the same session, byte for byte.
//
// Time passes and packets arrive only in Advance:
//
//	n := mem.NewNetwork(1, netsim.Conditions{Loss: 0.05, Delay: 50 * time.Millisecond})
//	l := n.Listener()
//	server, _ := l.Listen(offer)
//	client, _ := n.Dialer(l).Dial(offer)
//	for range 60 {
//		n.Advance(time.Second / 60)
//		server.Poll(serverHandler)
//		client.Poll(clientHandler)
//	}
package mem

import (
	"math/rand/v2"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/lane"
	"github.com/tendonengine/tendon/transport/netsim"
)

// step is the longest step of the virtual clock: endpoints' timers run at least
// this often, however far Advance goes.
const step = 25 * time.Millisecond

// A Network is a virtual clock and the endpoints that run on it. Its methods are
// called on one goroutine; Conns may send from several goroutines between two calls
// of Advance.
type Network struct {
	now atomic.Int64

	mu         sync.Mutex // guards wires and their paths, not Advance
	conditions netsim.Conditions
	wires      []*wire
	byClient   map[netip.AddrPort]*wire
	seed       uint64
	addresses  uint32

	random struct {
		sync.Mutex
		*rand.Rand
	}
	listeners []*Listener
	live      []*endpoint.Endpoint
	shakes    atomic.Bool // a handshake waits at a listener
}

// A wire is the two paths between one client and its listener.
type wire struct {
	paths  netsim.Pair
	client *Link
	addr   netip.AddrPort // the client's
	to     *Listener
	own    bool // the conditions are its Dialer's, not the network's
}

// NewNetwork makes a network. All of its clients have the conditions c, in both
// directions, until Dialer.SetConditions or Network.SetConditions changes them. All
// three panic if the conditions are out of range (see netsim.Conditions.Check).
func NewNetwork(seed uint64, c netsim.Conditions) *Network {
	must(c)
	n := &Network{conditions: c, seed: seed, byClient: map[netip.AddrPort]*wire{}}
	n.random.Rand = rand.New(rand.NewPCG(seed, 0x6d656d))
	return n
}

// Now returns the virtual time since the network was made.
func (n *Network) Now() time.Duration { return time.Duration(n.now.Load()) }

func must(c netsim.Conditions) {
	if err := c.Check(); err != nil {
		panic(err)
	}
}

// SetConditions changes the conditions of every present and future client, but of those
// of Dialers that were given conditions of their own.
func (n *Network) SetConditions(c netsim.Conditions) {
	must(c)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.conditions = c
	for _, w := range n.wires {
		if !w.own {
			w.paths.SetConditions(c)
		}
	}
}

// Advance moves the clock on by d. Packets that are due by then, or at that very
// instant, are there for the next Poll.
func (n *Network) Advance(d time.Duration) {
	n.shakeHands()
	for end := n.Now() + d; n.Now() < end; {
		n.now.Store(int64(min(end, n.Now()+step)))
		n.deliver()
		n.shakeHands()
		for _, e := range n.endpoints() {
			e.Tick()
		}
	}
}

// shakeHands is what the listeners' worker of a real transport does beside the game: a
// handshake takes some tenths of a millisecond, which the game's own step does not have.
func (n *Network) shakeHands() {
	if !n.shakes.Swap(false) {
		return
	}
	for _, e := range n.endpoints() {
		e.Work()
	}
}

// deliver gives the packets that are due to their endpoints, wire by wire.
func (n *Network) deliver() {
	n.mu.Lock()
	defer n.mu.Unlock()
	now, kept := n.Now(), n.wires[:0]
	for _, w := range n.wires {
		for n.carry(w, now) {
		}
		if w.client.over() && w.paths.Up.InFlight() == 0 {
			delete(n.byClient, w.addr)
			continue
		}
		kept = append(kept, w)
	}
	clear(n.wires[len(kept):])
	n.wires = kept
}

// carry gives the packets of one wire that are due to its ends, which may answer at once,
// and reports whether there were any. n.mu is held, but not while an end has the packet.
func (n *Network) carry(w *wire, now time.Duration) (any bool) {
	arrive := func(e *endpoint.Endpoint, at time.Duration, from netip.AddrPort, b []byte) {
		any = true
		if e != nil {
			n.mu.Unlock()
			defer n.mu.Lock()
			e.Arrive(at, endpoint.Path{Remote: from}, b)
		}
	}
	for b, at, ok := w.paths.Up.Receive(now); ok; b, at, ok = w.paths.Up.Receive(now) {
		arrive(w.to.endpoint(), at, w.addr, b)
	}
	for b, at, ok := w.paths.Down.Receive(now); ok; b, at, ok = w.paths.Down.Receive(now) {
		arrive(w.client.e, at, w.to.addr, b)
	}
	return any
}

// endpoints returns the endpoints in use; the next call reuses the slice.
func (n *Network) endpoints() []*endpoint.Endpoint {
	n.mu.Lock()
	defer n.mu.Unlock()
	es := n.live[:0]
	n.listeners = slices.DeleteFunc(n.listeners, (*Listener).over)
	for _, l := range n.listeners {
		if e := l.endpoint(); e != nil {
			es = append(es, e)
		}
	}
	for _, w := range n.wires {
		if !w.client.over() {
			es = append(es, w.client.e)
		}
	}
	clear(n.live[min(len(es), len(n.live)):]) // who has gone can be collected
	n.live = es
	return es
}

// address returns a new address: 10.0.0.1, 10.0.0.2 and so on.
func (n *Network) address() netip.AddrPort {
	n.addresses++
	a := n.addresses
	return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, byte(a >> 16), byte(a >> 8), byte(a)}), 7777)
}

func (n *Network) config(addr netip.AddrPort, send func(to endpoint.Path, b []byte)) endpoint.Config {
	return endpoint.Config{
		Transport: "mem", Local: addr.String(), Now: n.Now, Send: send, Machine: lane.NewARQ,
		Random: func() uint64 {
			n.random.Lock()
			defer n.random.Unlock()
			return n.random.Uint64()
		},
		Listener: endpoint.Listener{Wake: func() { n.shakes.Store(true) }},
	}
}

// A Link is an endpoint in use on a Network.
type Link struct {
	n      *Network
	e      *endpoint.Endpoint
	closed bool // by the game or its listener; guarded by n.mu
}

var _ transport.Link = (*Link)(nil)

// Now implements transport.Link. It is the network's virtual time.
func (l *Link) Now() time.Duration { return l.n.Now() }

// Poll implements transport.Link.
func (l *Link) Poll(h transport.Handler) { l.e.Poll(h) }

// Close implements transport.Link.
func (l *Link) Close(reason string) {
	l.e.Close(reason)
	l.free()
}

// Wait implements transport.Link. Time passes in Advance alone, so there is nothing to wait for.
func (l *Link) Wait() error { return nil }

// free makes the network forget the endpoint, once its goodbyes are said.
func (l *Link) free() {
	l.n.mu.Lock()
	defer l.n.mu.Unlock()
	l.closed = true
}

// over reports whether nothing is done here any more, not even a goodbye said again. n.mu
// is held.
func (l *Link) over() bool { return l.closed && !l.e.Lingers() }

// Err implements transport.Link. It is never ErrSocket.
func (l *Link) Err() error { return l.e.Err() }

// Counters implements transport.Link. There are no socket errors to count.
func (l *Link) Counters() transport.Counters { return l.e.Counters() }
