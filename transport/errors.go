package transport

import "errors"

// Why a connection could not be made or has ended. Errors that a Handler is
// told wrap one of these.
var (
	ErrNoAnswer = errors.New("no answer")
	ErrVersion  = errors.New("another version of the protocol")
	ErrGame     = errors.New("another game")
	ErrSchema   = errors.New("another schema")
	ErrFull     = errors.New("full")
	ErrKicked   = errors.New("kicked")
	ErrClosed   = errors.New("closed")
	ErrTimeout  = errors.New("timed out")
	ErrBacklog  = errors.New("reliable lane is full")
	ErrTooLong  = errors.New("message too long for the reliable lane")
	ErrSocket   = errors.New("socket failed")
)
