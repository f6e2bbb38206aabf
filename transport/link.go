// Package transport moves bytes between a session and its peers: one link an
// endpoint, one connection a peer, two lanes a connection.
//
// A link is polled: everything that it reports, it reports inside Poll, on the
// caller's goroutine. The reliable lane delivers messages whole, in order, once.
// Datagrams may be lost and reordered, never doubled, and carry the sequence
// number that the packet has on the wire.
package transport

import (
	"net/netip"
	"time"
)

// An Offer is what one end says of itself in the handshake, and what it asks
// of the other. What is longer than may be is an error of Listen and Dial.
type Offer struct {
	Game   string // the protocol's name, 1 to 64 bytes; another is refused with ErrGame
	Schema uint64 // the schema's hash; another is refused with ErrSchema
	// Digest describes the schema in at most 1,000 bytes; it goes with the
	// refusal of another schema. Explain names the first difference between
	// the local schema and a remote digest: "component health, field Max".
	Digest  []byte
	Explain func(digest []byte) string
	Hello   []byte // what a client says of itself, a name, a chosen colour: at most 512 bytes
	// MaxPeers is how many connections a listener accepts, at most 1,024; 0 means
	// that. More are refused with ErrFull.
	MaxPeers int
	// Room, where it is set, is asked as well: whether a client that says this
	// hello is to be let in beside so many connections. Poll calls it, for each
	// new client: first with those that are open, and a client without room then
	// is refused; then with those too that have not been heard again, and one
	// without room then is not answered yet. One that has a place kept can be let
	// in where others are refused.
	Room func(hello []byte, conns int) bool
	// Refused, where it is set, is told of every client that a listener refuses, inside
	// Poll: the address that its packet came from, which anybody can forge, and
	// ErrVersion, ErrGame, ErrSchema or ErrFull. One that is not answered yet is not
	// refused.
	Refused func(remote netip.AddrPort, why error)
}

// A Listener is a bound address that a session can host on.
type Listener interface {
	// Listen starts to accept. It may be called once: a second call is an error,
	// as one after Close is, and an offer beyond its limits. It does not wait.
	Listen(o Offer) (Link, error)
	// Addr is where peers find it.
	Addr() string
	// Close gives the address back. A link that listens there has ended with it: its
	// peers are told so, the Handler is told Closed with ErrClosed of each Conn at the
	// next Poll, and Err says it. A session that hosts there hosts no more after its next
	// Receive: to give a reason of one's own, close the session. Any goroutine may call
	// it. Again it does nothing. An error is the socket's.
	Close() error
}

// A Dialer is a remote address that a session can join.
type Dialer interface {
	// Dial starts to connect and does not wait for an answer: Connected or Closed
	// follow, Closed with ErrNoAnswer after 5 s. An error is an address that is none
	// or is not found, no socket, or an offer beyond its limits.
	Dial(o Offer) (Link, error)
}

// A Link is an endpoint in use. Poll, Err and Close are called on one goroutine.
type Link interface {
	// Now is the link's clock: time since an arbitrary start, monotonic. A
	// simulated link's clock is virtual.
	Now() time.Duration
	// Poll reports everything that arrived since the last call, then the peers that have
	// been silent for too long. After Close it reports nothing.
	Poll(h Handler)
	// Err is why nothing can come of the link any more though nobody has closed it: its
	// Listener was closed (ErrClosed), or its socket has failed (ErrSocket). It is nil
	// before that, and after Close. Poll tells of the end of each connection; where there
	// is none, Err alone says it.
	Err() error
	// Counters are what has come to nothing so far, also after Close.
	Counters() Counters
	// Close tells every peer the reason, of which 200 bytes are sent, and frees the
	// endpoint; the own Handler is told nothing. Again it does nothing. An error is
	// the socket's.
	Close(reason string) error
}

// Counters are what has come to nothing on a link since it began.
type Counters struct {
	Ignored     uint64 // packets of nobody: garbage, strangers, the past
	Dropped     uint64 // packets that came while as many waited for Poll as may
	ReadErrors  uint64 // of the socket; on some systems an address that nobody answers at is one
	WriteErrors uint64 // packets that the socket did not take, which are lost
}

// A Handler is told what a link has received, inside Poll. It may send, close a
// connection, and close the link.
type Handler interface {
	// Connected: a peer is in. hello is what it said (listener's side only), to keep.
	Connected(c Conn, hello []byte)
	// Datagram: seq is the packet's sequence number, at the link's clock when
	// the socket's reader got it. b is valid during the call.
	Datagram(c Conn, seq uint64, at time.Duration, b []byte)
	// Message: one whole message of the reliable lane. b is valid during the call.
	Message(c Conn, b []byte)
	// Closed: the peer is gone, or was never reached: one of this package's
	// typed errors says why. ErrTimeout, at both ends, is a network that failed;
	// nobody has said that it is over. Nothing of c follows. A connection that was
	// refused or not answered is told of without having been Connected.
	Closed(c Conn, err error)
}

// A Conn is one peer's connection. Its methods are called on the goroutine
// that polls, except that Next and Datagram of different Conns may be called
// at the same time. One that has ended sends nothing: Reliable says so, the others
// do nothing.
type Conn interface {
	// Next opens a packet: the sequence number that the receiver will see, and
	// the bytes of datagram that fit beside what the reliable lane has to send
	// now: from MinRoom to MaxPayload. It always starts a new packet; a packet
	// without a datagram is not sent.
	Next() (seq uint64, room int)
	// Datagram completes the packet that Next opened. b is copied. One longer than
	// the room goes alone, and the reliable lane waits; one longer than MaxPayload
	// panics, as does one for which no packet was opened.
	Datagram(b []byte)
	// Reliable queues one message, which may be empty. b is copied. It is not queued
	// where there is an error: ErrTooLong above MaxMessage, ErrBacklog while as much
	// waits as may, ErrClosed once the connection has ended.
	Reliable(b []byte) error
	// Flush ends a send: what the reliable lane still has to say leaves too.
	Flush()
	// Close tells the peer the reason, of which 200 bytes are sent (ErrKicked there
	// where a listener closes, else ErrClosed), and forgets it; the local handler is
	// told Closed with ErrClosed at the next Poll. Again it does nothing.
	Close(reason string)
	// Stats are the figures so far, also once the connection has ended.
	Stats() Stats
	// LaneBytes is what the reliable lane has cost since the connection began, in
	// bytes of UDP payload: messages, repeats, acknowledgements, packets without a
	// datagram. held is the bytes that it is to send yet, were nothing lost.
	LaneBytes() (sent uint64, held int)
}

// Stats are a connection's figures since it began.
type Stats struct {
	Transport             string // "kcp", "mem"
	Local, Remote         string // addresses
	BytesOut, BytesIn     uint64 // UDP payload, seal included
	PacketsOut, PacketsIn uint64
	ReliableOut           uint64 // bytes of the reliable lane sent, repeats and acks included
	ReliableQueued        int    // messages that wait
	// LossIn is the share, 0 to 1, of the packets sent to this end that have not
	// come, among those numbered before the newest LossSkip, LossWindow of them at
	// most. A number that the sender took and did not use counts as lost, which
	// is rare.
	LossIn float64
}
