package wire

import (
	"errors"
)

// The authority's table of nodes: making and removing nodes, and their items. tree.go
// has their parents and owners.

// Errors of the calls that shape nodes: mistakes of the caller, returned wrapped with
// what they concern. After one, nothing has changed.
var (
	ErrCycle   = errors.New("a node cannot be below itself")
	ErrNoNode  = errors.New("no such node")
	ErrLimit   = errors.New("limit reached")
	ErrTooLong = errors.New("too long")
	ErrRange   = errors.New("out of range")
)

const NoHandle = ^uint32(0)
