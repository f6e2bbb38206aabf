package endpoint

// A listener that does not know the connection of a client says so when it is asked: it was
// started anew, or has ended the connection long ago and its goodbyes were lost.

import (
	"crypto/subtle"
	"net"
	"strconv"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// unheard reports that a client has not heard its server for longer than keepalives take: it
// was perhaps started anew, or looks for the client at an old address.
func (e *Endpoint) unheard(c *Conn, now time.Duration) bool {
	return !e.listens && c.is(open) && e.awake.at(now)-c.silentSince() > transport.SeekAfter*e.timing.Keepalive
}

// seek asks a server that is not heard whether it knows the connection. The keepalive beside
// the question shows a server that does where the client is.
func (c *Conn) seek(now time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != open || now-c.sought < c.e.timing.Keepalive/transport.SeekShare {
		return
	}
	c.sought = now
	c.empty(wire.Keepalive)
	c.askForReset()
}

// askForReset sends a SEEK. c.mu is held.
func (c *Conn) askForReset() {
	c.e.cfg.Send(c.path, wire.SeekMessage{ID: c.id, Number: c.number}.Append(nil))
}

// sought answers a SEEK, if the connection is not known: who asks for the token of one that
// there is gets nothing. As with HELLOs, a flood is answered from the first repeat on.
func (e *Endpoint) sought(at time.Duration, from Path, b []byte) bool {
	m, err := wire.ParseSeek(b)
	if err != nil || e.isOver() || !e.sieve.lets(at, question{from.Remote, m.Number}) {
		return false
	}
	if c := e.find(m.ID); c != nil && c.number == m.Number {
		return false
	}
	e.cfg.Send(from, wire.ResetMessage{Token: e.resetToken(m.ID, m.Number)}.Append(nil))
	return true
}

// resetToken is that of a connection of this listener's. The port is part of it, so that
// another listener with the same key does not answer for this one.
func (e *Endpoint) resetToken(id uint16, number uint64) [seal.ResetSize]byte {
	_, text, _ := net.SplitHostPort(e.cfg.Local)
	port, _ := strconv.ParseUint(text, 10, 16) // 0 of a transport without ports
	return e.tokens.Reset(uint16(port), id, number)
}

// isReset reports whether a RESET is meant for this client's connection.
func (c *Conn) isReset(m wire.ResetMessage) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.tx.Ready() && subtle.ConstantTimeCompare(c.reset[:], m.Token[:]) == 1
}
