package endpoint

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// packet handles one packet of the inbox, inside Poll. Each kind has its own method;
// those of the handshake are in handshake.go.
func (e *Endpoint) packet(at time.Duration, from netip.AddrPort, b []byte, h transport.Handler) {
	switch kind, _ := wire.Split(b[0]); kind {
	case wire.Hello:
		e.greeted(at, from, b)
	case wire.Accept:
		e.accepted(from, b, h)
	case wire.Refuse:
		e.refused(from, b, h)
	default:
		e.sealed(at, from, b, h)
	}
}

// sealed handles a packet of a connection: the datagram first, then the
// messages that its segments complete.
func (e *Endpoint) sealed(at time.Duration, from netip.AddrPort, b []byte, h transport.Handler) {
	p, err := wire.ParsePacket(b)
	c := e.find(p.ID)
	if err != nil || c == nil || c.remote != from || p.FromListener == e.listens || !c.admit(p, len(b)) {
		e.ignored.Add(1)
		return
	}
	if c.is(halfOpen) {
		if !c.establish(c.id) {
			return
		}
		hello := c.hello
		c.hello = nil
		h.Connected(c, hello)
	}
	if p.Kind == wire.Close {
		e.leave(c, p.Reason, h)
		return
	}
	if !c.is(open) {
		return
	}
	if len(p.Segments) > 0 {
		if c.input(e.cfg.Now(), p.Segments) != nil {
			e.ignored.Add(1)
			return
		}
	}
	if p.Kind == wire.Datagram || p.Kind == wire.Both {
		h.Datagram(c, p.Seq, at, p.Datagram)
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
				e.forget(c)
				h.Closed(c, fmt.Errorf("%s breaks the reliable lane: %w", c.remote, err))
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
	c.mu.Lock()
	was := c.state
	c.state = ended
	c.mu.Unlock()
	if was == ended {
		return
	}
	e.forget(c)
	cause, reason := wire.ParseReason(payload)
	err := transport.ErrClosed
	switch cause {
	case wire.Kicked:
		err = transport.ErrKicked
	case wire.Unheard:
		err = fmt.Errorf("%w: %s has heard nothing from here for too long", transport.ErrTimeout, c.remote)
	}
	if reason != "" {
		err = fmt.Errorf("%w: %s", err, reason)
	}
	h.Closed(c, err)
}
