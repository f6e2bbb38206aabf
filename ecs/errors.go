package ecs

import "errors"

// The errors by which callers tell what is wrong. All others are sentences for people, and stand
// where they are made.
var (
	// Send, SendTo and Attach wrap these.
	ErrNoNode     = errors.New("not a node")
	ErrNotAllowed = errors.New("not allowed here")

	errNothingBuilt = errors.New("its function has built no entity of the world that it was given")
	errBuiltBefore  = errors.New("its function has returned an entity that is a node already, or a part of one: make a new entity each time")
	errTaken        = errors.New("a new connection of the same client takes its place")
)
