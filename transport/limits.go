package transport

import "time"

// The limits of every endpoint, and the reasons for their values. They are
// frozen: both ends must agree on the sizes, and docs/spec-transport.md quotes
// the limits that other implementations need. lane/limits.go has the limits of
// the reliable lane.
const (
	// MaxPacket is the longest UDP payload. 1,200 bytes and the headers fit the
	// smallest MTU that IPv6 allows, 1,280, so packets are not fragmented.
	MaxPacket = 1200
	// Overhead is the bytes that a packet adds to its payload: type 1, connection
	// id 4, sequence number 8, and 16 reserved for an authentication tag.
	Overhead = 29
	// MaxPayload is the bytes of both lanes that one packet carries.
	MaxPayload = MaxPacket - Overhead
	// MinRoom is the least room that Conn.Next leaves for a datagram. Segments of
	// the reliable lane that do not fit beside it get packets of their own.
	MinRoom = MaxPayload / 2

	// MaxMessage is the longest message of the reliable lane: a block of 64 KiB
	// and the core's header before it.
	MaxMessage = 64<<10 + 256
	// MaxQueued is how many bytes of messages and their lengths may wait for one
	// peer: three of the longest messages and many short ones. Beyond it Reliable
	// returns ErrBacklog.
	MaxQueued = 4 * MaxMessage
	// MaxQueuedMessages bounds the bookkeeping for many short messages; beyond it
	// Reliable returns ErrBacklog too.
	MaxQueuedMessages = 4096

	MaxGame   = 64   // bytes of a game's name: errors show it
	MaxHello  = 512  // bytes of Offer.Hello: a name, a colour
	MaxDigest = 1000 // bytes of a schema's digest: a refusal stays shorter than the HELLO it answers
	MaxReason = 200  // bytes of a reason to close or kick: one sentence

	// MaxPeers is how many connections a listener can have at once.
	MaxPeers = 1024
	// MaxHalfOpen is how many connections may be half-open: the listener has sent
	// an ACCEPT and not yet received a packet of the connection. A spoofed HELLO
	// takes one of these places for HalfOpenTimeout, never a session. A repeated
	// HELLO starts that time again.
	MaxHalfOpen     = 64
	HalfOpenTimeout = 3 * time.Second

	// HelloInterval is the time between repeats of an unanswered HELLO.
	HelloInterval = 250 * time.Millisecond
	// ConnectTimeout is how long a client sends HELLOs before it gives up with
	// ErrNoAnswer.
	ConnectTimeout = 5 * time.Second
	// Keepalive is how long a connection sends nothing before the endpoint sends an
	// empty packet, even while the game stalls: a quarter of the silence that people
	// notice, a fortieth of SilenceTimeout.
	Keepalive = 250 * time.Millisecond
	// SilenceTimeout is how long a connection receives nothing before it ends with
	// ErrTimeout.
	SilenceTimeout = 10 * time.Second
	// CloseCopies is how many copies of the Close packet are sent; the sender
	// waits for no answer.
	CloseCopies = 3

	// ReplayWindow is how many of the newest sequence numbers an endpoint remembers,
	// to tell a late packet from a duplicate; older packets are dropped.
	ReplayWindow = 1024
	// LossWindow is how many packets Stats.LossIn looks at: a few seconds of play,
	// and so few that one lost packet is about half a percent. The newest LossSkip
	// packets are left out, because reordering may still delay them.
	LossWindow = 256
	LossSkip   = 8
	// MaxInbox is the bytes of packets that may wait for the game's next Poll,
	// including 48 for each packet. Further packets are dropped, as by a full
	// socket buffer.
	MaxInbox = 4 << 20
	// MaxPeerInbox is the share of MaxInbox that one peer of a listener may fill:
	// ten seconds of 100 KB/s. A peer that floods a stalled game does not crowd out
	// the others.
	MaxPeerInbox = 1 << 20
	// MaxHelloInbox is how many HELLOs may wait for the next Poll, so that a flood
	// of HELLOs cannot crowd out connected peers.
	MaxHelloInbox = 256
)
