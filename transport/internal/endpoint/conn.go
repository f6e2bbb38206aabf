package endpoint

import (
	"cmp"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/mtu"
	"github.com/tendonengine/tendon/transport/internal/replay"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/lane"
)

// A state is the stage of a connection's life.
type state uint8

const (
	dialing  state = iota // the client is not let in yet
	halfOpen              // the listener has let the client in and has no packet of it yet
	open
	ended
)

// A Conn is one peer's connection. Each method holds the lock for its whole length,
// because the endpoint's timer and the game may call at the same time.
type Conn struct {
	e        *Endpoint
	attempt  uint64
	identity transport.Identity
	hello    []byte        // the client's hello; nil once the Handler has it
	prefix   netip.Prefix  // listener: what the gate counts it by
	born     time.Duration // in awake time. Client: when it began to dial; listener: when ACCEPT was sent
	moment   time.Duration // listener: how long it keeps its place on the way in, whoever asks
	heard    atomic.Int64  // when the last new packet came, a time.Duration in awake time
	waits    waits
	rx       receiver

	mu     sync.Mutex
	state  state
	path   Path
	moving move
	mtu    mtu.Path // how long packets to the peer may be
	pair   mtu.Pair // listener: how fast they arrived at first
	id     uint16
	number uint64 // never changes once the other end knows the connection: see seek
	tx     seal.Cipher
	seq    uint64 // sequence number of the last packet opened or sent
	opened uint64 // sequence number of the packet that awaits its datagram; 0: none
	sentAt time.Duration
	sought time.Duration // client: when it last asked whether its server knows it
	lane   *lane.Lane    // nil until open
	stats  transport.Stats
	local  string         // this machine's address, where Config.Local has none
	text   string         // path.Remote as text …
	textOf netip.AddrPort // … as of this address
	cost   uint64         // of the reliable lane so far, in bytes: see LaneBytes

	dial     *dial                // client, until it is in
	accept   []byte               // listener, while half-open: the ACCEPT, to be sent again
	unjoined bool                 // the gate counts it
	owes     bool                 // it is in its address's debt
	reset    [seal.ResetSize]byte // client: the token of a RESET
	bye      farewell

	out [transport.MaxPacket]byte // the packet being built
}

// A receiver opens a connection's packets, on the reader's goroutine.
type receiver struct {
	sync.Mutex
	cipher         seal.Cipher
	window         replay.Window
	packets, bytes uint64
	parts          *mtu.Joiner // nil until a part comes
	pace           pace
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
		now := c.e.cfg.Now()
		c.lane.Update(now)
		c.lane.Along(now)
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

// Sent implements transport.Conn.
func (c *Conn) Sent() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.seq
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
		c.send(append(p, b...), seq)
		return
	}
	p := c.begin(wire.Both, seq)
	p = append(p, byte(n), byte(n>>8))
	p = c.lane.Take(p, n)
	c.cost += uint64(2 + n)
	c.send(append(p, b...), seq)
}

// Reliable implements transport.Conn.
func (c *Conn) Reliable(b []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != open {
		return fmt.Errorf("%w: the connection to %s has ended", transport.ErrClosed, c.path.Remote)
	}
	return c.lane.Queue(b)
}

// Flush implements transport.Conn.
func (c *Conn) Flush() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == open {
		c.lane.Update(c.e.cfg.Now())
		for c.lane.Pending() > 0 {
			c.sendLane()
		}
		c.sendPair(c.e.cfg.Now())
	}
	c.e.flush()
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
	c.e.flush()
}

// Identity implements transport.Conn.
func (c *Conn) Identity() transport.Identity { return c.identity }

// Joined implements transport.Conn.
func (c *Conn) Joined() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.joined()
}

// joined notes that the client has joined. c.mu is held.
func (c *Conn) joined() {
	if c.unjoined {
		c.e.gate.joined(c.prefix, c.e.awake.at(c.e.cfg.Now()), c.owes)
		c.settle()
	}
}

// settle ends the time in which the gate counts the connection. c.mu is held.
func (c *Conn) settle() {
	if c.unjoined {
		c.unjoined = false
		c.e.gate.leave(c.prefix)
		if c.lane != nil {
			c.lane.Bound(0)
		}
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
	s := c.stats
	s.Transport, s.Local, s.Remote = c.e.cfg.Transport, cmp.Or(c.e.cfg.Local, c.local), c.remoteText()
	s.PathSize, s.PathRate = c.mtu.Size(), c.pair.Rate()
	if c.lane != nil {
		s.ReliableOut += c.lane.Out()
		s.ReliableQueued, s.ReliableWaiting = c.lane.Queued(), c.lane.Unacknowledged()
	}
	c.mu.Unlock()
	s.Authenticated = c.e.listens || c.e.cfg.Client.Pinned != nil
	c.rx.Lock()
	defer c.rx.Unlock()
	s.PacketsIn, s.BytesIn = c.rx.packets, c.rx.bytes
	s.LossIn = c.rx.window.Loss(transport.LossWindow, transport.LossSkip)
	return s
}

// remoteText is the peer's address as text, made anew only where the address is another: each
// second asks for it. c.mu is held.
func (c *Conn) remoteText() string {
	if !c.path.Remote.IsValid() { // its name is still being looked up
		return ""
	}
	if c.text == "" || c.textOf != c.path.Remote {
		c.text, c.textOf = c.path.Remote.String(), c.path.Remote
	}
	return c.text
}

// Missing implements transport.Conn.
func (c *Conn) Missing(from, to uint64) int {
	c.rx.Lock()
	defer c.rx.Unlock()
	return c.rx.window.Missing(from, to)
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

// establish opens the connection for the game, at its first Poll after the other end is
// known to be there. It returns false if it was open, or has ended meanwhile.
func (c *Conn) establish() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state == ended || c.state == open || !c.tx.Ready() {
		return false
	}
	c.state, c.accept, c.dial = open, nil, nil
	c.lane = lane.New(c.e.cfg.Machine)
	c.lane.RepeatFirst()
	switch {
	case !c.unjoined:
	case c.e.offer.Joins:
		c.lane.Bound(transport.MaxUnjoinedLane)
	default:
		c.joined()
	}
	return true
}

// isUnheard reports whether the Handler has not heard of the connection, and so cannot know what
// has come from it: it gave way to others.
func (c *Conn) isUnheard() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.lane == nil
}

// key gives the connection its ciphers.
func (c *Conn) key(ciphers seal.Ciphers) {
	c.tx = ciphers.Out
	c.rx.Lock()
	defer c.rx.Unlock()
	c.rx.cipher = ciphers.In
}

// keepalive sends a packet without payload if nothing was sent for d.
func (c *Conn) keepalive(now, d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if (c.state == open || c.state == dialing && c.tx.Ready()) && now-c.sentAt >= d {
		c.empty(wire.Keepalive)
	}
}

func (c *Conn) empty(k wire.Kind) {
	c.seq++
	c.send(c.begin(k, c.seq), c.seq)
}

// sendLane sends a packet with segments only. There must be pending ones.
func (c *Conn) sendLane() {
	c.seq++
	was := c.stats.BytesOut
	c.send(c.lane.Take(c.begin(wire.Lane, c.seq), transport.MaxPayload), c.seq)
	c.cost += c.stats.BytesOut - was
}

func (c *Conn) begin(k wire.Kind, seq uint64) []byte {
	return wire.Begin(c.out[:0], k, c.e.listens, c.id, seq)
}

// send sends a packet with data, in parts if it is longer than the path carries.
func (c *Conn) send(p []byte, seq uint64) {
	size := len(p) + seal.TagSize
	if !c.mtu.Fits(size) {
		c.sendParts(p, seq)
		return
	}
	c.sendTo(c.path, p, seq)
	c.mtu.Sent(c.sentAt, seq, size)
}

func (c *Conn) sendTo(to Path, p []byte, seq uint64) {
	p = c.tx.Seal(p, wire.HeaderSize(c.e.listens), seq)
	c.sentAt = c.e.cfg.Now()
	c.stats.PacketsOut++
	c.stats.BytesOut += uint64(len(p))
	c.e.cfg.Send(to, p)
}

// control sends a Control packet to an address of the peer. c.mu is held.
func (c *Conn) control(to Path, m wire.ControlMessage) (size int) {
	c.seq++
	p := m.Append(c.begin(wire.Control, c.seq))
	c.sendTo(to, p, c.seq)
	return len(p) + seal.TagSize
}

// input gives segments to the lane.
func (c *Conn) input(now time.Duration, segments []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != open {
		return transport.ErrClosed
	}
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

// remote is the peer's address now.
func (c *Conn) remote() netip.AddrPort {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.path.Remote
}

func (c *Conn) silentSince() time.Duration { return time.Duration(c.heard.Load()) }
