// Package endpoint implements transport.Link and transport.Conn without I/O: packets
// and the time come in, packets go out. It does the handshake and keeps the
// connections, their two lanes and their timeouts. Package kcp gives it a socket,
// package mem a simulated network.
//
// A reader goroutine calls Arrive, a timer calls Tick, any goroutine may call Shut,
// and the game's goroutine calls everything else. No lock is held while a Handler
// runs. While a packet is sent, at most the lock of its own connection is held.
package endpoint

import (
	"fmt"
	"iter"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/lane"
)

// An Endpoint is the common part of every transport.Link. It has one offer and
// either listens, with any number of connections, or has dialled, with one.
type Endpoint struct {
	cfg     Config
	timing  Timing
	offer   transport.Offer
	listens bool
	ignored atomic.Uint64 // Counters.Ignored

	mu      sync.RWMutex // guards the rest; never taken while a Conn's lock is held
	conns   []*Conn      // in the order they came
	byID    map[uint32]*Conn
	asked   map[question]*Conn // listener: connections by HELLO, to give repeats the same answer
	gone    []farewell         // ended at this end, to be reported at the next Poll
	failure error              // of the socket: the next Poll ends every connection with it
	shut    error              // set by Shut: nothing more arrives, and Poll reports the ends
	closed  bool               // by the game's Close: the Handler is not called any more

	inbox inbox
}

// A question identifies one client's attempt to connect: its HELLO and the repeats.
type question struct {
	from    netip.AddrPort
	attempt uint64
}

type farewell struct {
	c   *Conn
	err error
}

func newEndpoint(cfg Config, o transport.Offer, listens bool) (*Endpoint, error) {
	if err := checkOffer(o); err != nil {
		return nil, err
	}
	if o.MaxPeers == 0 {
		o.MaxPeers = transport.MaxPeers
	}
	share := transport.MaxInbox
	if listens {
		share = transport.MaxPeerInbox
	}
	return &Endpoint{
		cfg: cfg, timing: cfg.Timing.orDefault(), offer: o, listens: listens,
		byID: map[uint32]*Conn{}, asked: map[question]*Conn{}, inbox: inbox{share: share},
	}, nil
}

// Listen makes an endpoint that accepts connections.
func Listen(cfg Config, o transport.Offer) (*Endpoint, error) { return newEndpoint(cfg, o, true) }

// Dial makes an endpoint that connects to remote, and sends the first HELLO.
func Dial(cfg Config, o transport.Offer, remote netip.AddrPort) (*Endpoint, error) {
	e, err := newEndpoint(cfg, o, false)
	if err != nil {
		return nil, err
	}
	c := &Conn{e: e, remote: remote, attempt: cfg.Random(), born: cfg.Now(), state: dialing}
	e.conns = append(e.conns, c)
	c.ask()
	return e, nil
}

// Now is the endpoint's clock.
func (e *Endpoint) Now() time.Duration { return e.cfg.Now() }

// Counters returns the counts of ignored and dropped packets; the endpoint knows no
// socket errors. Any goroutine may call it.
func (e *Endpoint) Counters() transport.Counters {
	e.inbox.mu.Lock()
	defer e.inbox.mu.Unlock()
	return transport.Counters{Ignored: e.ignored.Load(), Dropped: e.inbox.dropped}
}

// Arrive takes one packet from the network; at is when the reader got it. It keeps a
// packet that may belong to a connection until Poll, and records at once that the
// peer is alive, so that a game that stalls does not lose its peers. b is copied.
func (e *Endpoint) Arrive(at time.Duration, from netip.AddrPort, b []byte) {
	c, ok := e.concerns(at, from, b)
	if !ok {
		e.ignored.Add(1)
		return
	}
	e.inbox.put(at, from, b, c)
}

// concerns finds the connection that a packet may belong to; a HELLO has none. ok is
// false for a packet that Poll need not see.
func (e *Endpoint) concerns(at time.Duration, from netip.AddrPort, b []byte) (c *Conn, ok bool) {
	if len(b) == 0 {
		return nil, false
	}
	kind, fromListener := wire.Split(b[0])
	if fromListener == e.listens {
		return nil, false
	}
	switch kind {
	case wire.Hello:
		return nil, len(b) == transport.MaxPacket && !e.isOver()
	case wire.Accept, wire.Refuse:
		attempt, ok := wire.Asked(b)
		c := e.asks()
		if !ok || c == nil || c.attempt != attempt || c.remote != from {
			return nil, false
		}
		c.heard.Store(int64(at))
		return c, true
	}
	// Every check that needs no connection's lock is made here: a packet that fails
	// takes no room in the inbox and keeps no connection alive.
	p, err := wire.ParsePacket(b)
	if err != nil || lane.Check(p.Segments) != nil {
		return nil, false
	}
	if c = e.find(p.ID); c == nil || c.remote != from {
		return nil, false
	}
	if p.Seq > c.highest.Load() { // copies of old packets do not keep a connection alive
		c.heard.Store(int64(at))
	}
	return c, true
}

// Tick does what must be done even while the game stalls: it repeats HELLOs and
// sends keepalives. Call it every few tens of milliseconds.
func (e *Endpoint) Tick() {
	now := e.cfg.Now()
	for _, c := range e.snapshot() {
		c.askAgain(now, e.timing.Hello)
		c.keepalive(now, e.timing.Keepalive)
	}
}

// Poll reports the connections that ended at this end, then every packet that has
// arrived, then the connections whose time is up.
func (e *Endpoint) Poll(h transport.Handler) {
	e.mu.Lock()
	gone, failure := e.gone, e.failure
	e.gone = nil
	e.mu.Unlock()
	for _, f := range gone {
		if e.isClosed() { // perhaps by the handler, as everywhere here
			return
		}
		h.Closed(f.c, f.err)
	}
	s := e.inbox.take()
	start := 0
	for _, r := range s.records {
		if e.isClosed() {
			return
		}
		e.packet(r.at, r.from, s.bytes[start:r.end:r.end], h)
		start = r.end
	}
	e.inbox.give(s)
	e.expire(failure, h)
}

// expire ends the connections that were silent, dialling or half-open for too long,
// and all of them when the socket has failed.
func (e *Endpoint) expire(failure error, h transport.Handler) {
	now := e.cfg.Now()
	for _, c := range e.snapshot() {
		c.mu.Lock()
		state := c.state
		c.mu.Unlock()
		switch {
		case state == ended:
		case failure != nil:
			e.lose(c, failure, h)
		case state == dialing && now-c.born >= e.timing.Connect:
			e.lose(c, fmt.Errorf("%w from %s in %v", transport.ErrNoAnswer, c.remote, e.timing.Connect), h)
		case state == halfOpen && now-c.born >= e.timing.HalfOpen:
			c.end(wire.Ended, "")
			e.forget(c)
		case state == open && now-c.silentSince() >= e.timing.Silence:
			e.lose(c, fmt.Errorf("%w: nothing from %s for %v", transport.ErrTimeout, c.remote, e.timing.Silence), h)
		}
	}
}

// Fail reports that the socket has failed: the next Poll ends every connection.
func (e *Endpoint) Fail(err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.failure = fmt.Errorf("%w: %w", transport.ErrSocket, err)
}

// Err implements transport.Link.
func (e *Endpoint) Err() error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	switch {
	case e.closed:
		return nil
	case e.shut != nil: // closing the socket sets failure too, but later
		return e.shut
	}
	return e.failure
}

// Close tells every peer the reason. The endpoint does nothing from then on.
func (e *Endpoint) Close(reason string) {
	e.mu.Lock()
	e.closed = true
	conns := e.clear()
	e.mu.Unlock()
	for _, c := range conns {
		c.end(wire.Ended, reason)
	}
}

// Shut closes the endpoint because its listener was closed. Any goroutine may call it,
// also while the game polls. The next Poll reports Closed for each connection that the
// Handler knows from Connected or is about to.
func (e *Endpoint) Shut(reason string) {
	err := fmt.Errorf("%w: %s", transport.ErrClosed, reason)
	e.mu.Lock()
	if e.isOverLocked() {
		e.mu.Unlock()
		return
	}
	e.shut = err
	conns := e.clear()
	e.mu.Unlock()
	for _, c := range conns {
		if c.end(wire.Ended, reason) == open {
			e.closedHere(c, err)
		}
	}
}

// clear removes and returns all connections. e.mu is held.
func (e *Endpoint) clear() []*Conn {
	conns := e.conns
	e.conns = nil
	clear(e.byID)
	clear(e.asked)
	return conns
}

// lose ends a connection that the peer has not closed, and calls Closed, except for a
// half-open connection, of which the Handler does not know. If the peer can still be
// reached, it gets ErrTimeout, so that it may join again.
func (e *Endpoint) lose(c *Conn, err error, h transport.Handler) {
	was := c.end(wire.Unheard, "")
	if was == ended {
		return
	}
	e.forget(c)
	if was != halfOpen {
		h.Closed(c, err)
	}
}

func (e *Endpoint) closedHere(c *Conn, err error) {
	e.forget(c)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.gone = append(e.gone, farewell{c, err})
	}
}

func (e *Endpoint) forget(c *Conn) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, x := range e.conns {
		if x == c {
			e.conns = append(e.conns[:i:i], e.conns[i+1:]...)
			break
		}
	}
	delete(e.byID, c.id)
	delete(e.asked, question{c.remote, c.attempt})
}

func (e *Endpoint) find(id uint32) *Conn {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.byID[id]
}

// snapshot returns the present connections, in a slice that is never written to again.
func (e *Endpoint) snapshot() []*Conn {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.conns[:len(e.conns):len(e.conns)]
}

// Remotes are the addresses of the present connections. Any goroutine may call it.
func (e *Endpoint) Remotes() iter.Seq[netip.AddrPort] {
	return func(yield func(netip.AddrPort) bool) {
		for _, c := range e.snapshot() {
			if !yield(c.remote) {
				return
			}
		}
	}
}

func (e *Endpoint) isClosed() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.closed
}

// isOver reports whether Close or Shut was called: no client is let in any more.
func (e *Endpoint) isOver() bool {
	e.mu.RLock()
	defer e.mu.RUnlock()
	return e.isOverLocked()
}

func (e *Endpoint) isOverLocked() bool { return e.closed || e.shut != nil }

// asks returns the connection of an endpoint that has dialled and has not been
// accepted yet; nil otherwise.
func (e *Endpoint) asks() *Conn {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.listens || len(e.conns) == 0 || len(e.byID) > 0 {
		return nil
	}
	return e.conns[0]
}
