package ids

import "errors"

// The errors of the core. Each is returned wrapped with what it concerns; after one of a
// caller's mistakes nothing has changed.
var (
	ErrCycle   = errors.New("a node cannot be below itself")
	ErrNoNode  = errors.New("no such node")
	ErrNoPeer  = errors.New("no such peer")
	ErrLimit   = errors.New("limit reached")
	ErrTooLong = errors.New("too long")
	ErrRange   = errors.New("out of range")

	// ErrArgs is of a call.
	ErrArgs = errors.New("arguments too long; split them, or replicate what they say in a component")

	// ErrPacket says that a packet cannot be read. The packet is dropped and counted.
	ErrPacket = errors.New("packet cannot be read")
)
