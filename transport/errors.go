package transport

import "errors"

// Why a connection could not be made or has ended, and why a message was not
// queued. All errors that a Handler is told wrap one of these.
var (
	// A client could not get in.
	ErrNoAnswer = errors.New("no answer")                       // nobody answered its question
	ErrVersion  = errors.New("another version of the protocol") // … of the handshake and its packets
	ErrGame     = errors.New("another game")
	ErrSchema   = errors.New("another schema") // the text names the first difference
	ErrFull     = errors.New("full")

	// A connection has ended.
	ErrKicked  = errors.New("kicked")        // the listener sent this client away, for a reason
	ErrClosed  = errors.New("closed")        // one end has closed it; of Reliable: it has ended before
	ErrTimeout = errors.New("timed out")     // one end has heard nothing from the other for too long
	ErrSocket  = errors.New("socket failed") // of this end

	// A message is not queued. Closed is told ErrTooLong of a peer that announces one.
	ErrBacklog = errors.New("reliable lane is full")
	ErrTooLong = errors.New("message too long for the reliable lane")
)
