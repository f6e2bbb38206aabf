package rpl

import "fmt"

// A reliable message that is longer than maxPart goes in parts. They come one after
// another, since a lane has one order, with nothing between, and count as the one
// message that they are.
//
//	type 5, bytes of the message behind its type: again and again
//	the message's type, the rest
//
// One of type 5 without bytes means that what came before of a message is void.

// part is the next part of a message, and whether it is the last. It is valid until the
// next call.
func (q *peerCalls) part(m []byte) (b []byte, last bool) {
	switch {
	case q.given < 0:
		q.scratch = append(q.scratch[:0], msgPart)
		return q.scratch, false
	case q.given == 0 && len(m) <= maxPart:
		return m, true
	}
	kind, rest := m[0], m[1+q.given:]
	if last = len(rest) < maxPart; !last {
		kind, rest = msgPart, rest[:maxPart-1]
	}
	q.scratch = append(append(q.scratch[:0], kind), rest...)
	return q.scratch, last
}

// gave notes that the lane has taken that part.
func (q *peerCalls) gave(b []byte, last bool) {
	switch {
	case last, q.given < 0:
		q.given = 0
	default:
		q.given += len(b) - 1
	}
}

// joined is a message with the parts that came before it; nil where it is one of them
// itself.
func (c *Proxy) joined(m []byte) ([]byte, error) {
	if len(m) == 0 || m[0] != msgPart && len(c.parts) == 0 {
		return m, nil
	}
	before := c.parts
	c.parts = nil
	switch {
	case len(before)+len(m) > maxLong:
		return nil, fmt.Errorf("%w: a message of more than %d bytes", ErrPacket, maxLong)
	case m[0] != msgPart:
		whole := append(before, m[1:]...)
		whole[0] = m[0]
		return whole, nil
	case len(m) == 1:
		return nil, nil
	case before == nil:
		before = []byte{msgPart} // the type's place
	}
	c.parts = append(before, m[1:]...)
	return nil, nil
}
