package command

import (
	"fmt"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// A Codec writes and reads the values of a command as they travel. It is for one goroutine.
type Codec[A any] struct {
	Args *rpl.ArgType
	Refs rpl.Refs

	room   rpl.ArgRoom
	bytes  []byte
	in, to A
}

// Append appends a value. A value that is Rounded can be appended.
func (c *Codec[A]) Append(b []byte, a A) ([]byte, error) {
	c.in = a
	return c.room.Append(c.Args, b, unsafe.Pointer(&c.in), c.Refs)
}

// Parse reads a value.
func (c *Codec[A]) Parse(v []byte) (A, error) {
	var zero A
	c.to = zero
	if err := c.room.Parse(c.Args, v, unsafe.Pointer(&c.to), c.Refs); err != nil {
		return zero, err
	}
	return c.to, nil
}

// Rounded returns a value as it comes out at the other end, so that every machine applies the
// same; or an error and the zero value, if it cannot travel.
func (c *Codec[A]) Rounded(a A) (A, error) {
	var zero A
	b, err := c.Append(c.bytes[:0], a)
	if err != nil {
		return zero, err
	}
	if c.bytes = b; len(b) > MaxValue {
		return zero, fmt.Errorf("it takes %d bytes, at most %d", len(b), MaxValue)
	}
	return c.Parse(b)
}
