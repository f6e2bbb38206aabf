package ecs

import "errors"

// The errors by which callers tell what is wrong. All others are sentences for people, and stand
// where they are made.
var (
	// Send, SendTo and Attach wrap these.
	ErrNoNode     = errors.New("not a node")
	ErrNotAllowed = errors.New("not allowed here")

	errTaken = errors.New("a new connection of the same client takes its place")
)
