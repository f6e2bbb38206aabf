package transport

import "time"

// The limits of every endpoint, and why they are what they are. They are
// frozen: both ends must agree on the sizes, and docs/spec-transport.md quotes
// those that another program must know. The segments of the reliable lane have
// theirs in lane/segment.go.
const (
	// MaxPacket is the longest UDP payload: 1,200 bytes pass every path that
	// IPv6 passes (1,280 less its headers), so nothing fragments.
	MaxPacket = 1200
	// Overhead is what a packet adds to its payload: type 1, connection id 4,
	// sequence number 8, and 16 kept for the tag of the seal.
	Overhead = 29
	// MaxPayload is what one packet carries of both lanes.
	MaxPayload = MaxPacket - Overhead
	// MinRoom is the least that Conn.Next leaves for a datagram: when the
	// reliable lane has more to say than the rest, it gets packets of its own.
	MinRoom = MaxPayload / 2

	// MaxMessage is the longest message of the reliable lane: a block of 64 KiB
	// and the core's header before it.
	MaxMessage = 64<<10 + 256
	// MaxQueued is how many bytes of messages and their lengths may wait for one
	// peer: three of the longest, and many short ones beside. Beyond it Reliable
	// returns ErrBacklog.
	MaxQueued = 4 * MaxMessage
	// MaxQueuedMessages bounds the bookkeeping of many short ones.
	MaxQueuedMessages = 4096

	MaxGame   = 64   // bytes of a game's name: it is shown in an error
	MaxHello  = 512  // bytes that a client says of itself: a name, a colour
	MaxDigest = 1000 // bytes of a schema's digest: a refusal stays below the HELLO that it answers
	MaxReason = 200  // bytes of a reason to close or kick: one sentence

	// MaxPeers is how many connections a listener ever has at once.
	MaxPeers = 1024
	// MaxHalfOpen is how many peers may be accepted and not yet heard again: a
	// spoofed HELLO costs one of these for HalfOpenTimeout, never a session. Who
	// asks again meanwhile keeps its place.
	MaxHalfOpen     = 64
	HalfOpenTimeout = 3 * time.Second

	// HelloInterval is the time between repeats of an unanswered HELLO.
	HelloInterval = 250 * time.Millisecond
	// ConnectTimeout is how long a client asks before ErrNoAnswer.
	ConnectTimeout = 5 * time.Second
	// Keepalive is the longest that an endpoint is silent, also while its game
	// stalls: a quarter of what people notice, a fortieth of SilenceTimeout.
	Keepalive = 250 * time.Millisecond
	// SilenceTimeout without a packet ends a connection with ErrTimeout.
	SilenceTimeout = 10 * time.Second
	// CloseCopies is how many packets say that a connection is closed; no
	// answer is awaited.
	CloseCopies = 3

	// ReplayWindow is how many sequence numbers back a late packet is told
	// from a doubled one; older packets are dropped.
	ReplayWindow = 1024
	// LossWindow is how many packets Stats.LossIn looks at: some seconds of play,
	// and few enough that half a percent is one of them. It leaves out the newest
	// LossSkip, which may be on their way still, overtaken.
	LossWindow = 256
	LossSkip   = 8
	// MaxInbox is the bytes that may wait for the game's next Poll, 48 for each
	// packet included; more are dropped, as a full socket buffer drops them.
	MaxInbox = 4 << 20
	// MaxPeerInbox is how many of them may be of one of a listener's peers: ten
	// seconds of 100 KB/s, so that one who floods a game that stalls does not
	// crowd out the others.
	MaxPeerInbox = 1 << 20
	// MaxHelloInbox is how many HELLOs may be among them, so that a flood of
	// them cannot crowd out connected peers.
	MaxHelloInbox = 256
)
