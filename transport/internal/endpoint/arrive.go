package endpoint

// Packets from the network, on the reader's goroutine. They are opened here, so that forged
// ones take no room and no time of the game, and a peer is known to live while the game
// stalls.

import (
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// Arrive takes one packet from the network; at is when the reader got it. What concerns the
// game waits for Poll. Arrive is not called by two goroutines at once. b is copied.
func (e *Endpoint) Arrive(at time.Duration, from Path, b []byte) {
	e.awake.pulse(at)
	if len(b) == 0 || !e.take(at, from, b) {
		e.ignored.Add(1)
	}
}

// take handles a packet; false for one that means nothing.
func (e *Endpoint) take(at time.Duration, from Path, b []byte) bool {
	kind, fromListener, ok := wire.Split(b[0])
	switch {
	case !ok || fromListener == e.listens:
		return false
	case kind.Sealed():
		return e.sealed(at, from, b)
	case e.listens:
		return kind == wire.Hello && e.greeted(at, from, b) || kind == wire.Init && e.requested(at, from, b) || kind == wire.Query && e.queried(at, from, b) || kind == wire.Reset && e.sought(at, from, b)
	}
	c := e.client
	switch kind {
	case wire.Challenge:
		return c.challengedToJoin(at, from, b)
	case wire.Accept:
		return c.accepted(at, from, b)
	case wire.Refuse:
		return c.refused(at, from, b)
	case wire.Deny:
		return c.isDenied(at, from, b)
	case wire.Reset:
		return e.wasReset(at, from, b)
	}
	return false
}

// sealed opens a packet of a connection.
func (e *Endpoint) sealed(at time.Duration, from Path, b []byte) bool {
	h, err := wire.ParseHeader(b)
	if err != nil {
		return false
	}
	c := e.client
	if e.listens {
		if c = e.find(h.ID); c == nil {
			return false
		}
	}
	c.mu.Lock()
	state, here, unjoined := c.state, c.path.Remote == from.Remote, c.unjoined
	c.mu.Unlock()
	if !here && (!e.listens || state == halfOpen) {
		return false
	}
	payload, seq, newest, ok := c.open(at, e.opened[:0], h, b)
	if !ok {
		return false
	}
	if h.Kind == wire.Part {
		ok = false
		if !unjoined && state != ended {
			h.Kind, seq, payload, ok = c.joinPart(seq, payload)
		}
		if !ok { // not yet whole: it says that the peer lives
			h.Kind, payload = wire.Keepalive, nil
		}
	}
	p, _ := wire.ParsePayload(h.Kind, payload)
	if state == ended {
		e.lastWords(c, from, len(b), newest, p)
		return true
	}
	c.heard.Store(int64(e.awake.at(at)))
	switch {
	case here:
	case newest:
		c.moved(at, from, len(b))
	}
	switch {
	case p.Kind == wire.Control:
		c.handleControl(at, from, len(b), p.Control)
		if state != halfOpen {
			return true
		}
	case p.Kind == wire.Keepalive && state == open:
		return true
	}
	if p.Kind == wire.Control { // it opens the connection, and says nothing else to the game
		h.Kind, payload = wire.Keepalive, nil
	}
	share := e.inbox.share
	if unjoined {
		share = min(share, transport.MaxUnjoinedInbox)
	}
	if e.inbox.put(at, c, share, h.Kind, seq, payload) && p.Kind == wire.Close {
		c.acknowledge(from)
	}
	return true
}

// open opens a packet into dst. It is ok if the packet is genuine, new and well-formed, and
// within the peer's limits;
// newest, if its number is the highest so far.
func (c *Conn) open(at time.Duration, dst []byte, h wire.Header, b []byte) (payload []byte, seq uint64, newest, ok bool) {
	r := &c.rx
	r.Lock()
	defer r.Unlock()
	if !r.cipher.Ready() {
		return nil, 0, false, false
	}
	if seq = r.window.Whole(h.Seq); !r.window.New(seq) {
		return nil, 0, false, false
	}
	if payload, ok = r.cipher.Open(dst, b, h.Size(), seq); !ok {
		return nil, 0, false, false
	}
	newest = seq > r.window.Highest()
	r.window.Mark(seq)
	if _, ok = wellFormed(h.Kind, payload); !ok {
		return nil, 0, false, false
	}
	r.packets++
	r.bytes += uint64(len(b))
	if c.e.listens && !r.pace.allow(at, len(b), &c.e.offer.Limits) {
		return nil, 0, false, false
	}
	return payload, seq, newest, true
}

// handleControl handles what the peer's endpoint says of the connection.
func (c *Conn) handleControl(at time.Duration, from Path, size int, b []byte) {
	m, err := wire.ParseControl(b)
	switch {
	case err != nil: // of a newer program
	case m.Type == wire.PathResponse && c.e.listens:
		c.proven(from, m.Data)
	case m.Type == wire.PathChallenge && !c.e.listens:
		c.challenged(m)
	case m.Type >= wire.Probe:
		c.handlePath(at, size, m)
	}
}

// lastWords handles a packet of a connection that has ended here: the peer has not known,
// unless it says so or says goodbye itself.
func (e *Endpoint) lastWords(c *Conn, from Path, size int, newest bool, p wire.Packet) {
	switch p.Kind {
	case wire.Control:
		if m, err := wire.ParseControl(p.Control); err == nil && m.Type == wire.Farewell {
			e.heardBye(c)
			return
		}
		c.sayAgain(from, size, newest)
	case wire.Close:
		c.mu.Lock()
		c.control(c.path, wire.ControlMessage{Type: wire.Farewell})
		c.mu.Unlock()
		e.heardBye(c)
	default:
		c.sayAgain(from, size, newest)
	}
}

// acknowledge answers a Close packet, so that the peer need not repeat it.
func (c *Conn) acknowledge(to Path) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bye.heard = true
	c.control(to, wire.ControlMessage{Type: wire.Farewell})
}

// wasReset handles a RESET, at the client.
func (e *Endpoint) wasReset(at time.Duration, from Path, b []byte) bool {
	m, err := wire.ParseReset(b)
	c := e.client
	if err != nil || !c.at(from.Remote) || !c.isReset(m) {
		return false
	}
	if c.is(ended) {
		e.heardBye(c)
		return true
	}
	return e.inbox.put(at, c, e.inbox.share, wire.Reset, 0, nil)
}
