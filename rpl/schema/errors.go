package schema

import "errors"

// The errors by which callers tell what is wrong. All others are sentences for people, and
// stand where they are made.
var (
	// ErrRefused is for a codec's Decode to return if what it read is not a valid value.
	ErrRefused = errors.New("refused")

	// errBounds says that a value from the network is outside its field's bounds.
	errBounds = errors.New("a value is out of its bounds")

	// errRaw is the fault of a float that is sent with all its bits and is not finite:
	// arguments may not have one, state may.
	errRaw = errors.New("is no finite number")
)
