// Package sessionmsg is the layout of what two sessions tell each other on the reliable
// lane, beside what their cores send. For each message there is a
// pair of functions: Append… writes it behind the bytes that it is given, Parse… reads it.
// What was sent by anybody is read without trust: every Parse… checks lengths and ranges,
// and refuses with ErrMessage.
//
// Where they stand: doc.go Send; welcome.go peer, level and ready; last.go the end of a level; names.go load-time nodes, and what a server has told of them; progress.go how much is to come; calls.go the caller of a call
// Everywhere, and asking for a group.
package sessionmsg

import (
	"errors"

	"github.com/tendonengine/tendon/transport"
)

// The first byte of a session message is its type. The core's types are below First.
const (
	First = 0x80

	TypeWelcome = 0x80 // server → client, once
	TypeReady   = 0x81 // client → server, after each welcome and level
	TypeLevel   = 0x82 // server → client
	TypeNames   = 0x83 // server → client, after each ready
	TypeAsk     = 0x84 // client → server, at any time

	TypeProgress = 0x85 // server → client, until it has what it should have at first
	TypeLast     = 0x86 // server → client, before a level
)

// ErrMessage is wrapped by the errors of all messages that cannot be read.
var ErrMessage = errors.New("tendon: a session message that cannot be read")

// Limits, each with its reason.
const (
	// MaxLevelName bounds the name of a level on the wire.
	MaxLevelName = 255

	// MaxNameBytes bounds what a joining peer is told of load-time nodes: half of what
	// its lane holds. Destroyed nodes that do not fit stay hidden on that peer.
	MaxNameBytes = transport.MaxQueued / 2

	// MaxNameChunk bounds one message of names.
	MaxNameChunk = 32 << 10
)

// Send sends a message on the reliable lane of a connection. One that has ended takes none, which is no fault: the
// session learns of its end by itself, and may well have something to say before that, as after a kick.
func Send(c interface{ Reliable(b []byte) error }, b []byte) error {
	if err := c.Reliable(b); !errors.Is(err, transport.ErrClosed) {
		return err
	}
	return nil
}
