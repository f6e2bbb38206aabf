package endpoint

// A client's address may change in mid-session: a router forgets it, or a phone changes
// networks. The listener follows once the client has answered from the new address.

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A move is a change of address that is not proven yet. Conn.mu guards it.
type move struct {
	to    Path
	data  wire.PathData
	in    int           // bytes that have come from there
	out   int           // bytes that were sent there
	asked time.Duration // when the newest challenge was sent
}

// challengeSize is a PathChallenge as a packet.
const challengeSize = transport.OverheadDown + 1 + 8

// moved handles a genuine packet that came from another address than the client's. Traffic
// stays where it is until the client has answered a challenge from there: who copies the
// packets of others must not get their connections.
func (c *Conn) moved(now time.Duration, from Path, size int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != open {
		return
	}
	m := &c.moving
	if m.to.Remote != from.Remote {
		*m = move{to: from, asked: -transport.PathInterval}
		binary.LittleEndian.PutUint64(m.data[:], c.e.cfg.Random())
	}
	m.in += size
	if now-m.asked < transport.PathInterval || m.out+challengeSize > transport.PathFactor*m.in {
		return
	}
	m.asked = now
	m.out += c.control(from, wire.ControlMessage{Type: wire.PathChallenge, Data: m.data})
}

// proven handles a PathResponse: it must come from the address that was challenged.
func (c *Conn) proven(from Path, data wire.PathData) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == open && c.moving.to.Remote.IsValid() && c.moving.to.Remote == from.Remote && c.moving.data == data {
		c.path, c.moving = from, move{}
	}
}

// challenged answers a PathChallenge, at the client.
func (c *Conn) challenged(m wire.ControlMessage) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == ended {
		return
	}
	c.control(c.path, wire.ControlMessage{Type: wire.PathResponse, Data: m.Data})
}

// at reports whether a packet came from where the peer is.
func (c *Conn) at(from netip.AddrPort) bool { return c.remote() == from }
