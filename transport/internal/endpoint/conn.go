package endpoint

import (
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/lane"
)

// A state is the stage of a connection's life.
type state uint8

const (
	dialing  state = iota // the client sends HELLOs
	halfOpen              // the listener has sent ACCEPT and heard nothing of the client since
	open
	ended
)

// A Conn is one peer's connection. Each method holds the lock for its whole length,
// because the endpoint's timer and the game may call at the same time.
type Conn struct {
	e       *Endpoint
	remote  netip.AddrPort
	attempt uint64
	hello   []byte        // the client's hello; nil once the Handler has it
	born    time.Duration // client: when it began to dial; listener: when it last sent ACCEPT
	heard   atomic.Int64  // when the last new packet came, a time.Duration
	highest atomic.Uint64 // the highest sequence number admitted
	waits   waits

	mu     sync.Mutex
	state  state
	id     uint32
	seq    uint64 // sequence number of the last packet opened or sent
	opened uint64 // sequence number of the packet that awaits its datagram; 0: none
	sentAt time.Duration
	window replayWindow
	lane   *lane.Lane // nil until open
	stats  transport.Stats
	cost   uint64 // of the reliable lane so far, in bytes: see LaneBytes

	out [transport.MaxPacket]byte // the packet being built
}

var (
	_ transport.Conn      = (*Conn)(nil)
	_ transport.LossAware = (*Conn)(nil)
)

// Next implements transport.Conn.
func (c *Conn) Next() (seq uint64, room int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	room = transport.MaxPayload
	if c.state == open {
		c.lane.Update(c.e.cfg.Now())
		for c.lane.Pending() > transport.MaxPayload-2-transport.MinRoom {
			c.sendLane()
		}
		if n := c.lane.Pending(); n > 0 {
			room -= 2 + n
		}
	}
	c.seq++
	c.opened = c.seq
	return c.seq, room
}

// Datagram implements transport.Conn.
func (c *Conn) Datagram(b []byte) {
	if len(b) > transport.MaxPayload {
		panic(fmt.Sprintf("transport: a datagram of %d bytes; Conn.Next gives at most %d", len(b), transport.MaxPayload))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.opened == 0 {
		panic("transport: Conn.Datagram without Conn.Next")
	}
	seq := c.opened
	c.opened = 0
	if c.state != open {
		return
	}
	n := c.lane.Fit(transport.MaxPayload - len(b) - 2)
	if n <= 0 {
		p := c.begin(wire.Datagram, seq)
		c.send(append(p, b...))
		return
	}
	p := c.begin(wire.Both, seq)
	p = append(p, byte(n), byte(n>>8))
	p = c.lane.Take(p, n)
	c.cost += uint64(2 + n)
	c.send(append(p, b...))
}

// Reliable implements transport.Conn.
func (c *Conn) Reliable(b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != open {
		return fmt.Errorf("%w: the connection to %s has ended", transport.ErrClosed, c.remote)
	}
	return c.lane.Queue(b)
}

// Flush implements transport.Conn.
func (c *Conn) Flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != open {
		return
	}
	c.lane.Update(c.e.cfg.Now())
	for c.lane.Pending() > 0 {
		c.sendLane()
	}
}

// Close implements transport.Conn. A listener kicks its peer; a client leaves.
func (c *Conn) Close(reason string) {
	cause := wire.Ended
	if c.e.listens {
		cause = wire.Kicked
	}
	if c.end(cause, reason) != ended {
		c.e.closedHere(c, fmt.Errorf("%w: %s", transport.ErrClosed, reason))
	}
}

// SetLoss implements transport.LossAware.
func (c *Conn) SetLoss(share float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == open {
		c.lane.SetLoss(share)
	}
}

// Stats implements transport.Conn.
func (c *Conn) Stats() transport.Stats {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.stats
	s.Transport, s.Local, s.Remote = c.e.cfg.Transport, c.e.cfg.Local, c.remote.String()
	s.LossIn = c.window.loss()
	if c.lane != nil {
		s.ReliableOut = c.lane.Out()
		s.ReliableQueued = c.lane.Queued()
	}
	return s
}

// LaneBytes implements transport.Conn.
func (c *Conn) LaneBytes() (sent uint64, held int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.lane != nil {
		held = c.lane.Held()
	}
	return c.cost, held
}

// end stops the connection and, if it was open, tells the peer. It returns the state
// before: ended if the connection had already ended.
func (c *Conn) end(cause wire.Cause, reason string) (was state) {
	c.mu.Lock()
	defer c.mu.Unlock()
	was = c.state
	c.state = ended
	if was == open {
		for range transport.CloseCopies {
			c.seq++
			c.send(wire.AppendReason(c.begin(wire.Close, c.seq), cause, reason))
		}
	}
	return was
}

// establish opens the connection, once this end has heard the other's answer. It
// returns false if the connection has ended because the endpoint was closed meanwhile.
func (c *Conn) establish(id uint32) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == ended {
		return false
	}
	c.id, c.state = id, open
	c.lane = lane.New(c.e.cfg.Machine)
	return true
}

// keepalive sends a packet without payload if nothing was sent for d.
func (c *Conn) keepalive(now, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == open && now-c.sentAt >= d {
		c.seq++
		c.send(c.begin(wire.Keepalive, c.seq))
	}
}

// sendLane sends a packet with segments only. There must be pending ones.
func (c *Conn) sendLane() {
	c.seq++
	was := c.stats.BytesOut
	c.send(c.lane.Take(c.begin(wire.Lane, c.seq), transport.MaxPayload))
	c.cost += c.stats.BytesOut - was
}

func (c *Conn) begin(k wire.Kind, seq uint64) []byte {
	return wire.Begin(c.out[:0], k, c.e.listens, c.id, seq)
}

func (c *Conn) send(p []byte) {
	p = wire.End(p)
	c.sentAt = c.e.cfg.Now()
	c.stats.PacketsOut++
	c.stats.BytesOut += uint64(len(p))
	c.e.cfg.Send(c.remote, p)
}

// admit counts a packet that parses, marks its sequence number as seen, and reports
// whether the number is new.
func (c *Conn) admit(p wire.Packet, size int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.stats.PacketsIn++
	c.stats.BytesIn += uint64(size)
	ok := c.window.accept(p.Seq)
	c.highest.Store(c.window.highest)
	return ok
}

// input gives segments to the lane.
func (c *Conn) input(now time.Duration, segments []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lane.Input(now, segments)
}

// message returns the next message of the lane; nil when there is none.
func (c *Conn) message() ([]byte, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != open {
		return nil, nil
	}
	return c.lane.Receive()
}

func (c *Conn) is(s state) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state == s
}

func (c *Conn) silentSince() time.Duration { return time.Duration(c.heard.Load()) }
