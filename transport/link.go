package transport

// The interfaces between a session and its network, from the handshake to the statistics.

import (
	"net/netip"
	"time"
)

// An Offer is what one end tells and requires of the other in the handshake.
// Listen and Dial return an error for a field that is out of its limits.
type Offer struct {
	Game   string // the protocol's name, 1 to 64 bytes; a different one is refused with ErrGame
	Schema uint64 // the schema's hash; a different one is refused with ErrSchema
	// Digest describes the schema in at most 1,000 bytes. A listener sends it when
	// it refuses a client with another schema; the client's Explain then names the
	// first difference from the local schema: "component health, field Max".
	Digest  []byte
	Explain func(digest []byte) string
	Hello   []byte // what a client says about itself (a name, a colour), at most 512 bytes
	// MaxPeers is how many connections a listener accepts, at most 1,024; 0 means
	// 1,024. Further clients are refused with ErrFull.
	MaxPeers int
	// Title is what lists of games on the local network call a listener's game, at most 40
	// bytes; one without a title is not listed. Locals is how many play on the listener's own
	// machine, and Most how many may play, with these, as lists show it; 0 means MaxPeers and
	// Locals. It refuses nobody.
	Title        string
	Locals, Most int
	// Limits bound what one client may send; zero fields mean the defaults.
	Limits Limits
	// Key is the secret from which a client's identity follows, if the Dialer has none of
	// its own: whoever has it is the same client to a server. Zero: a new one for each Dial.
	Key [32]byte
	// Keys, if set, is the same in all offers of a session: with it a client that is one of
	// several of its user stays the one that it was when it joins a server again.
	Keys *Keyring
	// Joins says that the session calls Conn.Joined once a peer has joined. Until then the
	// peer counts as on its way in: it has 10 s for that, and one address has 8 such
	// peers at most (Limits.Unjoined). Where places are short, one of them that is not ready after
	// 0.5 s may give way to who asks next, with ErrFull. If Joins is false, peers join by connecting.
	Joins bool
	// Room, if set, decides whether a new client with this hello and identity has a place
	// beside conns other connections. Poll calls it up to twice for each new client: first
	// with the number of clients that have joined, and false refuses the client with
	// ErrFull; then, if others are on their way in, with those included, and false leaves
	// the client without an answer, so that it asks again. Room can let in a client whose
	// seat is kept and turn away others.
	Room func(hello []byte, id Identity, conns int) bool
	// HalfOpen is how long a client that was let in may send nothing (zero: 3 s), Join how long
	// it may take from its first packet until Conn.Joined, and Silence how long a connection may
	// be silent before it ends with ErrTimeout (zero: 10 s).
	HalfOpen, Join, Silence time.Duration
	// Admit, if set, has the last word about a new client, inside Poll. The client gets
	// ErrNotAdmitted with the error's text, of which 200 bytes are sent.
	Admit func(hello []byte, id Identity) error
	// Refused, if set, is called inside Poll for every client that a listener
	// refuses, with its address and an error: ErrVersion (of this one the address may be
	// forged), ErrGame, ErrSchema, ErrFull, ErrSecret, one that wraps ErrToken, or Admit's.
	// It is not called for a client that got no answer yet. Of a flood it is told some.
	Refused func(remote netip.AddrPort, why error)
}

// A Listener is a bound address that a session can host on.
type Listener interface {
	// Listen starts to accept connections. It does not wait. It fails when it was
	// called before, after Close, and when the offer is out of its limits.
	Listen(o Offer) (Link, error)
	// Addr is the bound address.
	Addr() string
	// Close releases the address and ends the Link that listens there: its peers
	// are told, its Handler gets Closed with ErrClosed for each Conn at the next
	// Poll, and its Err returns ErrClosed. A session that hosts on it stops hosting
	// at its next Receive; to give the peers a reason, close the session instead.
	// Unlike Link.Close it waits, as Link.Wait does: when it returns, the address is free.
	// Any goroutine may call Close; after the Link's own Close it only waits. An error is the
	// socket's.
	Close() error
}

// A Dialer is a remote address that a session can join.
type Dialer interface {
	// Dial starts to connect and does not wait for an answer: the Handler gets
	// Connected or Closed later, Closed with ErrNoAnswer after 5 s, also where the
	// name of the host is not found. Dial fails when the address is malformed, when there is no
	// socket, or when the offer is out of its limits.
	Dial(o Offer) (Link, error)
}

// A Link is an endpoint in use. Poll, Err and Close are called on one goroutine.
// Whoever closes a Link and needs its address, or ends the program, calls Wait then.
type Link interface {
	// Now is the link's monotonic clock: the time since an arbitrary start. The
	// clock of a mem link is virtual.
	Now() time.Duration
	// Poll calls h for everything that arrived since the last Poll, then for the
	// peers that have been silent for too long. After Close it calls nothing.
	Poll(h Handler)
	// Err says why the link has ended without Link.Close: its Listener was closed
	// (ErrClosed) or its socket failed (ErrSocket). It is nil before that, and after
	// Close. Poll also reports the end of each connection; a link without any
	// connections is known to have ended only by Err.
	Err() error
	// Counters counts the packets and socket calls that failed; valid after Close too.
	Counters() Counters
	// Close tells every peer the reason, cut to 200 bytes, and does not wait for an answer:
	// when it returns, each goodbye has left once. The endpoint repeats those that are not
	// answered, on goroutines of its own, and is freed once its peers know: see Wait.
	// The local Handler is not called. A second call does nothing.
	Close(reason string)
	// Wait, after Close, waits until the endpoint is freed: until all peers know, or, where one
	// does not answer, until all copies of the goodbye are said. That takes 0.75 s and up to
	// five ticks of its timer, about a second. Then the address is free, and no goroutine is
	// left. It returns the error of freeing the socket. Any goroutine may call it, any number
	// of times. That of a mem link returns at once: its goodbyes are said in Network.Advance.
	Wait() error
}

// Counters are a link's counts, since it began, of what failed or was discarded.
type Counters struct {
	Ignored     uint64 // malformed, forged, duplicate or old packets, those of no connection, questions left without an answer
	Dropped     uint64 // packets that came while the inbox that Poll empties was full
	ReadErrors  uint64 // of the socket; some systems report here that nobody is at an address we sent to
	WriteErrors uint64 // packets that the socket did not take, which are lost
}

// A Handler receives what a link reports, inside Poll. It may send, close a
// connection, and close the link.
type Handler interface {
	// Connected reports a new connection, which is encrypted. Who the peer is, is proven:
	// see Conn.Identity and Stats.Authenticated. hello is the client's Offer.Hello, nil at
	// the client; the Handler may keep it.
	Connected(c Conn, hello []byte)
	// Datagram delivers a datagram. seq is the packet's sequence number; at is the
	// link's time when the reader took it from the socket. b is valid during the call.
	Datagram(c Conn, seq uint64, at time.Duration, b []byte)
	// Message delivers one whole message of the reliable lane. b is valid during
	// the call.
	Message(c Conn, b []byte)
	// Closed reports that the peer is gone or was never reached; err wraps one of
	// this package's errors. ErrTimeout, at either end, means that the network
	// failed and that neither side ended the connection on purpose. Nothing about c
	// follows. A connection that was refused or not answered gets Closed without
	// Connected.
	Closed(c Conn, err error)
}

// A Conn is one peer's connection. Its methods are called on the goroutine
// that polls, except that Next and Datagram of different Conns may be called
// at the same time. A Conn that has ended sends nothing: Reliable returns
// ErrClosed, the other sending methods do nothing.
type Conn interface {
	// Next opens a packet. seq is the sequence number that the receiver will see;
	// room is the bytes of datagram that fit beside what the reliable lane has to
	// send now, from MinRoom to MaxPayload. A packet that Datagram does not complete
	// before the following Next is not sent, and the peer takes its number for lost.
	Next() (seq uint64, room int)
	// Sent is the sequence number of the newest packet, 0 before the first.
	Sent() uint64
	// Datagram completes and sends the packet that Next opened. b is copied. It leaves at the
	// latest with the next Flush of any Conn of the Link, or its next Poll. Beside a datagram
	// longer than the room, segments of the reliable lane that no longer fit wait. Datagram
	// panics when b is longer than MaxPayload or no packet is open.
	Datagram(b []byte)
	// Reliable queues one message, which may be empty. b is copied. On an error
	// nothing is queued: ErrTooLong above MaxMessage, ErrBacklog while the queue is
	// full, ErrClosed once the connection has ended.
	Reliable(b []byte) error
	// Flush ends a round of sends: it sends what the reliable lane has ready, in
	// packets of its own. It does not wait: a listener's packets leave beside the game.
	Flush()
	// Close tells the peer the reason, cut to 200 bytes, and ends the connection.
	// The peer gets ErrKicked from a listener, ErrClosed from a client; the local
	// Handler gets Closed with ErrClosed at the next Poll. A second call does nothing.
	Close(reason string)
	// Identity is who the peer of a listener is; empty at a client. Any goroutine may call it.
	Identity() Identity
	// Joined says that the peer of a listener has joined: see Offer.Joins.
	Joined()
	// Missing is how many packets with a number above from, up to to, have not come. Packets
	// without a datagram count as those with one: they have a number of the same sequence.
	Missing(from, to uint64) int
	// Stats are the connection's figures, also after its end.
	Stats() Stats
	// LaneBytes is the cost of the reliable lane in bytes of UDP payload. sent is
	// what it has cost since the connection began: messages, repeats,
	// acknowledgements, and the overhead of packets that carry no datagram. held is
	// what it would still send if nothing more were lost.
	LaneBytes() (sent uint64, held int)
}

// Stats are a connection's figures since it began.
type Stats struct {
	Transport     string // "kcp", "mem"
	Local, Remote string // addresses; a peer's may change while it plays
	// Authenticated reports that the other end is who it should be: a server has proven
	// that it has the key in the join string. A client that was given a bare address knows
	// only that nobody reads along but the server it has met. It is always true at a
	// listener, which knows each client by its Identity.
	Authenticated         bool
	BytesOut, BytesIn     uint64 // UDP payload, header and tag included; without the handshake
	PacketsOut, PacketsIn uint64
	ReliableOut           uint64 // bytes of the reliable lane sent, repeats and acks included
	PathSize              int    // the longest UDP payload that the path is known to carry; longer packets go in parts
	PathRate              int    // at a listener: bytes a second that the path carried when the client connected, roughly; 1 until that is known; 0: it was not measured
	ReliableQueued        int    // messages not yet wholly given to the reliable lane's machine
	ReliableWaiting       int    // bytes of messages that are queued or under way, and not acknowledged
	// LossIn is the share, 0 to 1, of packets from the peer that did not arrive. It
	// covers at most LossWindow sequence numbers and leaves out the newest LossSkip.
	// A packet that the peer opened and did not send counts as lost, which is rare.
	LossIn float64
}
