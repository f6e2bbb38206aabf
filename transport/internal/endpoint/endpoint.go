// Package endpoint implements transport.Link and transport.Conn without I/O: packets
// and the time come in, packets go out. It does the handshake, seals and opens, and keeps
// the connections, their two lanes and their timeouts. Package kcp gives it a socket,
// package mem a simulated network.
//
// A reader goroutine calls Arrive, a worker Work, a timer Tick, any goroutine may call
// Shut, and the game's goroutine calls everything else. No lock is held while a Handler
// runs. While a packet is sent, at most the lock of its own connection is held.
package endpoint

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/mtu"
	"github.com/tendonengine/tendon/transport/internal/seal"
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
	client  *Conn         // of an endpoint that has dialled
	ignored atomic.Uint64 // Counters.Ignored
	awake   awake
	inbox   inbox
	opened  [transport.MaxPacket]byte // the reader's: the payload of the packet being read, or an answer to a stranger

	// The listener's.
	gate    *gate
	pair    *seal.Pair
	cookies *seal.Prover
	tokens  *seal.Prover // of RESETs
	sieve   sieve
	guide   guide
	desk    desk

	mu      sync.RWMutex // guards the rest; never taken while a Conn's lock is held
	conns   []*Conn      // in the order they came
	byID    map[uint16]*Conn
	asked   map[question]*Conn // half-open connections, to give repeats the same answer
	leaving []*Conn            // ended here, and the peer has not said that it knows
	left    []*Conn            // a listener's, of which all goodbyes are said: see keepParted
	gone    []departure        // ended at this end, to be reported at the next Poll
	failure error              // of the socket: the next Poll ends every connection with it
	shut    error              // set by Shut: nothing more arrives, and Poll reports the ends
	closed  bool               // by the game's Close: the Handler is not called any more
	closing closing
}

// A question identifies one client's attempt to connect: its INIT and the repeats.
type question struct {
	from    netip.AddrPort
	attempt uint64
}

type departure struct {
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
	o.Limits = o.Limits.OrDefault()
	share := transport.MaxInbox
	if listens {
		share = o.Limits.Backlog
	}
	return &Endpoint{
		cfg: cfg, timing: timing(cfg, o), offer: o, listens: listens,
		byID: map[uint16]*Conn{}, asked: map[question]*Conn{}, inbox: inbox{share: share},
	}, nil
}

// Listen makes an endpoint that accepts connections.
func Listen(cfg Config, o transport.Offer) (*Endpoint, error) {
	e, err := newEndpoint(cfg, o, true)
	if err != nil {
		return nil, err
	}
	if e.pair = cfg.Listener.Pair; e.pair == nil {
		if e.pair, err = seal.NewPair(e.random()); err != nil {
			return nil, err
		}
	}
	var fresh seal.Key
	if _, err := e.random().Read(fresh[:]); err != nil {
		return nil, err
	}
	e.gate, e.cookies, e.tokens = newGate(e.offer.Limits), seal.NewProver(fresh), seal.NewProver(e.pair.Derive("tendon reset"))
	e.desk.known = map[question]bool{}
	return e, nil
}

// flush tells the transport that a round of sends is over.
func (e *Endpoint) flush() {
	if e.cfg.Flush != nil {
		e.cfg.Flush()
	}
}

func (e *Endpoint) random() randomReader { return randomReader{e.cfg.Random} }

// Now is the endpoint's clock.
func (e *Endpoint) Now() time.Duration { return e.cfg.Now() }

// Counters returns the counts of ignored and dropped packets; the endpoint knows no
// socket errors. Any goroutine may call it.
func (e *Endpoint) Counters() transport.Counters {
	e.inbox.mu.Lock()
	defer e.inbox.mu.Unlock()
	return transport.Counters{Ignored: e.ignored.Load(), Dropped: e.inbox.dropped}
}

// Tick does what must be done even while the game stalls: it repeats what the handshake
// asks, sends keepalives, and repeats goodbyes. Call it every few tens of milliseconds.
func (e *Endpoint) Tick() {
	now := e.cfg.Now()
	e.awake.pulse(now)
	for _, c := range e.snapshot() {
		c.askAgain(now, e.timing.Hello)
		if e.unheard(c, now) {
			c.seek(now)
		} else {
			c.keepalive(now, e.timing.Keepalive)
		}
		c.lookAtPath(now)
	}
	e.bidFarewell(now)
}

// Poll reports the connections that ended at this end, then every packet that has arrived, lets
// in the clients that have asked, and reports the connections whose time is up.
func (e *Endpoint) Poll(h transport.Handler) {
	e.awake.pulse(e.cfg.Now())
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
		e.packet(r, s.bytes[start:r.end:r.end], h)
		start = r.end
	}
	e.inbox.give(s)
	e.admit(h) // after the packets: who was not heard yet may have to give way to others
	e.expire(failure, h)
}

// expire ends the connections that were silent, dialling, half-open or unjoined for too
// long, and all of them when the socket has failed.
func (e *Endpoint) expire(failure error, h transport.Handler) {
	now := e.awake.at(e.cfg.Now())
	for _, c := range e.snapshot() {
		if e.isClosed() {
			return
		}
		c.mu.Lock()
		state, keyed, unjoined, remote := c.state, c.tx.Ready(), c.unjoined, c.path.Remote
		c.mu.Unlock()
		age := now - c.born
		switch {
		case state == ended:
		case failure != nil:
			e.lose(c, failure, h)
		case state == dialing && !keyed:
			if err := c.givesUp(age); err != nil {
				e.lose(c, err, h)
			}
		case state == halfOpen && c.silentSince() < 0:
			if age >= e.timing.HalfOpen {
				e.evict(c)
			}
		case state == open && unjoined && age >= e.timing.Join:
			c.end(wire.Unheard, "the client was not ready in time")
			e.drop(c, fmt.Errorf("%w: %s was not ready in %v", transport.ErrTimeout, remote, e.timing.Join), h)
		case state == open && e.listens && c.floods() != "":
			why := c.floods()
			c.end(wire.Kicked, why)
			e.drop(c, fmt.Errorf("%w: %w: %s", transport.ErrKicked, transport.ErrFlood, why), h)
		case state == open && c.pathLost():
			e.lose(c, fmt.Errorf("%w: %w: packets of %d bytes to %s are lost, shorter ones are not", transport.ErrTimeout, transport.ErrPath, mtu.Least, remote), h)
		case now-c.silentSince() >= e.timing.Silence:
			e.lose(c, fmt.Errorf("%w: nothing from %s for %v", transport.ErrTimeout, remote, e.timing.Silence), h)
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

// lose ends a connection that the peer has not closed, and calls Closed, except for a
// half-open connection, of which the Handler does not know. If the peer can still be
// reached, it gets ErrTimeout, so that it may join again.
func (e *Endpoint) lose(c *Conn, err error, h transport.Handler) {
	was := c.end(wire.Unheard, "")
	if was == ended {
		return
	}
	if was == halfOpen {
		e.forget(c)
		return
	}
	e.drop(c, err, h)
}

// drop forgets a connection that has ended, and tells the Handler.
func (e *Endpoint) drop(c *Conn, err error, h transport.Handler) {
	e.forget(c)
	h.Closed(c, err)
}

func (e *Endpoint) closedHere(c *Conn, err error) {
	e.forget(c)
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.closed {
		e.gone = append(e.gone, departure{c, err})
	}
}

// forget takes a connection that has ended out of the present ones.
func (e *Endpoint) forget(c *Conn) {
	remote := c.remote()
	e.mu.Lock()
	defer e.mu.Unlock()
	for i, x := range e.conns {
		if x == c {
			e.conns = append(e.conns[:i:i], e.conns[i+1:]...)
			break
		}
	}
	if e.asked[question{remote, c.attempt}] == c {
		delete(e.asked, question{remote, c.attempt})
	}
}

func (e *Endpoint) find(id uint16) *Conn {
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

// packet handles one packet of the inbox, inside Poll: the datagram first, then the
// messages that its segments complete.
func (e *Endpoint) packet(r record, b []byte, h transport.Handler) {
	c := r.c
	switch r.kind {
	case wire.Deny:
		e.denied(c, b, h)
		return
	case wire.Reset:
		if c.cut() != ended {
			e.drop(c, fmt.Errorf("%w: %s does not know the connection any more", transport.ErrReset, c.remote()), h)
		}
		return
	}
	if c.establish() {
		hello := c.hello
		c.hello = nil
		h.Connected(c, hello)
	}
	p, err := wire.ParsePayload(r.kind, b)
	switch {
	case err != nil || !c.is(open): // an ACCEPT is no payload
		if e.listens && c.isUnheard() {
			e.ignored.Add(1)
		}
	case p.Kind == wire.Close:
		e.leave(c, p.Reason, h)
	default:
		e.deliver(c, r, p, h)
	}
}

func (e *Endpoint) deliver(c *Conn, r record, p wire.Packet, h transport.Handler) {
	if len(p.Segments) > 0 && c.input(e.cfg.Now(), p.Segments) != nil {
		return
	}
	if p.Kind == wire.Datagram || p.Kind == wire.Both {
		h.Datagram(c, r.seq, r.at, p.Datagram)
	}
	if len(p.Segments) > 0 {
		e.messages(c, h)
	}
}

func (e *Endpoint) messages(c *Conn, h transport.Handler) {
	for {
		m, err := c.message()
		if err != nil {
			if c.end(wire.Broken, "the reliable lane cannot be read") != ended {
				e.drop(c, fmt.Errorf("%s breaks the reliable lane: %w", c.remote(), err), h)
			}
			return
		}
		if m == nil {
			return
		}
		h.Message(c, m)
	}
}

// leave ends a connection because the peer sent a Close packet.
func (e *Endpoint) leave(c *Conn, payload []byte, h transport.Handler) {
	if c.cut() == ended {
		return
	}
	cause, reason := wire.ParseReason(payload)
	err := transport.ErrClosed
	switch cause {
	case wire.Kicked:
		err = transport.ErrKicked
	case wire.Crowded:
		err = transport.ErrFull
	case wire.Unheard:
		err = fmt.Errorf("%w: %s has waited for too long", transport.ErrTimeout, c.remote())
	}
	if reason != "" {
		err = fmt.Errorf("%w: %s", err, reason)
	}
	e.drop(c, err, h)
}

// wellFormed parses an opened payload and checks its segments.
func wellFormed(k wire.Kind, b []byte) (p wire.Packet, ok bool) {
	p, err := wire.ParsePayload(k, b)
	return p, err == nil && lane.Check(p.Segments) == nil
}
