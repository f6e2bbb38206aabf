package transport

import (
	"errors"
	"fmt"
	"time"
)

// The limits of every endpoint, and the reasons for their values. They are
// frozen: both ends must agree on the sizes, and docs/spec-transport.md quotes
// the limits that other implementations need. lane/limits.go has the limits of
// the reliable lane.
const (
	// MaxPacket is the longest UDP payload. 1,200 bytes and the headers fit the
	// smallest MTU that IPv6 allows, 1,280, so packets are not fragmented.
	MaxPacket = 1200
	// OverheadUp and OverheadDown are the bytes that a packet adds to its payload: kind 1,
	// connection id 2 (from clients only), sequence number 2, tag 16.
	OverheadUp   = 21
	OverheadDown = 19
	// MaxPayload is the bytes of both lanes that one packet carries.
	MaxPayload = MaxPacket - OverheadUp
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

	MaxToken  = 400  // bytes of a connect token: it shares the INIT with the hello
	MaxTitle  = 40   // bytes of Offer.Title: an answer to strangers is short
	MaxGame   = 64   // bytes of a game's name: errors show it
	MaxHello  = 512  // bytes of Offer.Hello: a name, a colour
	MaxDigest = 1000 // bytes of a schema's digest: a refusal stays shorter than the HELLO it answers
	MaxReason = 200  // bytes of a reason to close or kick: one sentence

	// MaxPeers is how many connections a listener can have at once.
	MaxPeers = 1024
	// MaxUnjoined is how many clients may be on their way in: the listener has let them
	// in, and they have not joined yet. DefaultUnjoined is how many of them may come from
	// one IPv4 address or one IPv6 network of 64 bits. A LAN party behind one router gets
	// in by turns; one machine cannot take all places.
	MaxUnjoined     = 128
	DefaultUnjoined = 8
	// DebtTime is for how long it counts against an address that a client from there was let in
	// and did not join, if places are short: much longer than it held the place, so that it takes
	// ten addresses to hold one place for nothing. MaxDebt is the most that counts: who shares an
	// address with such a one is forgiven within half an hour.
	DebtTime = 3 * time.Minute
	MaxDebt  = 8
	// MomentToJoin is for how long who is let in keeps its place in any case: most are ready
	// sooner. While places are short and nobody joins, the moment of who is let in grows to a part
	// of that time, ShareOfShortage of it, so that it becomes long enough for whoever is there;
	// and only a part, so that a crowd of a few seconds, which may be an attack, has not yet any more.
	MomentToJoin    = 500 * time.Millisecond
	ShareOfShortage = 4
	// MaxUnjoinedInbox is the bytes of packets of a client on its way in that may wait for the
	// game's next Poll, and MaxUnjoinedLane those of the reliable lane that may wait for what is
	// missing before them, or for the rest of their message: to get ready takes one short
	// message, and a client has no more than 9 KiB under way.
	MaxUnjoinedInbox = 16 << 10
	MaxUnjoinedLane  = 12 << 10
	// DefaultHandshakes is how many handshakes one address may begin at once and in a second:
	// each costs the listener half a millisecond.
	DefaultHandshakes = 64
	// BusyTimeout is how long a client waits for its turn, in place of ConnectTimeout, while
	// the listener says that others of its address are on their way in.
	BusyTimeout = 30 * time.Second
	// MaxHandshakes is how many clients' questions may wait for the listener's worker and
	// for the game's next Poll.
	MaxHandshakes = 64
	// MaxDenials is how many refusals a listener remembers, to give repeats the same answer: some
	// seconds of what one address may ask, of some 300 bytes each, and at most 1.3 KiB.
	MaxDenials = 256
	// HalfOpenTimeout is how long a client that was let in may send nothing, and
	// JoinTimeout how long it may take to join (see Conn.Joined).
	HalfOpenTimeout = 3 * time.Second
	JoinTimeout     = 10 * time.Second

	// HelloInterval is the time between repeats of an unanswered HELLO, after some quicker
	// ones.
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
	// CloseCopies is how many copies of the Close packet are sent if the peer says
	// nothing to it; CloseInterval is the pause after the first, twice that after the
	// second, and so on: of 1,000 goodbyes at 20 % loss none is lost, nor in bursts of
	// 100 ms.
	CloseCopies   = 6
	CloseInterval = 50 * time.Millisecond
	// MaxParted is how many connections a listener remembers whose clients have perhaps heard no
	// goodbye, to tell them why they ended when they are heard again: all that it may lose at
	// once, of at most 4 KiB each.
	MaxParted = MaxPeers

	// AskAgain is for how long after its last answer a client that asks to be let in is expected to
	// ask again: HelloInterval, and the way there and back. For so long a listener that is closed
	// stays to turn it away, and no longer than LongestTurningAway, whoever asks.
	AskAgain           = 2 * HelloInterval
	LongestTurningAway = time.Second

	// PathInterval is the least time between two challenges to a new address of a client,
	// and PathFactor how many times the bytes that came from there may be sent there
	// before it has answered.
	PathInterval = 50 * time.Millisecond
	PathFactor   = 3
	// QueryRate is how many questions for games on the local network a listener answers a
	// second: more than people ask.
	QueryRate = 50
	// SeekAfter is for how many times the Keepalive a client hears nothing before it asks
	// whether its server knows the connection, and SeekShare the part of the Keepalive
	// between two such questions: a server that was started anew is noticed at once.
	SeekAfter = 2
	SeekShare = 5

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
	// DefaultPackets and DefaultBytes are what one client may send in a second: at 60 sends
	// more than ten times what a game sends, also when a disturbance has held up ten seconds
	// of it.
	DefaultPackets = 1500
	DefaultBytes   = 512 << 10
)

// Limits bound what a listener takes of one client, or of one address: that is an IPv4 address
// or an IPv6 network of 64 bits. A field of 0 means its default.
type Limits struct {
	Packets    int // a second, DefaultPackets; what is more is dropped, and for a second on end the client is kicked
	Bytes      int // a second, DefaultBytes, as Packets
	Backlog    int // bytes that wait for the game's next Poll, MaxPeerInbox, at most MaxInbox; what is more is dropped
	Handshakes int // of one address, at once and a second, DefaultHandshakes; what is more waits
	Unjoined   int // clients of one address that may be on their way in, DefaultUnjoined, at most MaxUnjoined; more wait
}

// Check returns an error that names each field that is negative or too high. of is what the caller
// calls the limits.
func (l Limits) Check(of string) error {
	var mistakes []error
	for _, f := range []struct {
		name          string
		v, zero, most int
	}{
		{"Packets", l.Packets, DefaultPackets, 0},
		{"Bytes", l.Bytes, DefaultBytes, 0},
		{"Backlog", l.Backlog, MaxPeerInbox, MaxInbox},
		{"Handshakes", l.Handshakes, DefaultHandshakes, 0},
		{"Unjoined", l.Unjoined, DefaultUnjoined, MaxUnjoined},
	} {
		switch {
		case f.v < 0 && f.most == 0:
			mistakes = append(mistakes, fmt.Errorf("%s.%s is %d: give 1 or more, or 0 for %d", of, f.name, f.v, f.zero))
		case f.v < 0 || f.most > 0 && f.v > f.most:
			mistakes = append(mistakes, fmt.Errorf("%s.%s is %d: give 1 to %d, or 0 for %d", of, f.name, f.v, f.most, f.zero))
		}
	}
	return errors.Join(mistakes...)
}

// OrDefault fills in the defaults.
func (l Limits) OrDefault() Limits {
	set := func(v *int, most int) {
		if *v <= 0 {
			*v = most
		}
	}
	set(&l.Packets, DefaultPackets)
	set(&l.Bytes, DefaultBytes)
	set(&l.Backlog, MaxPeerInbox)
	set(&l.Handshakes, DefaultHandshakes)
	set(&l.Unjoined, DefaultUnjoined)
	l.Backlog, l.Unjoined = min(l.Backlog, MaxInbox), min(l.Unjoined, MaxUnjoined)
	return l
}
