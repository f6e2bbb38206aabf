package rpl

import "fmt"

// A reliable message that is longer than maxPart is sent in parts. The parts come in
// order, with nothing between them, and count as one message.
//
//	each part but the last: type 5, then bytes of the message, from behind its type on
//	the last part: the message's type, then the rest of its bytes
//
// A part of type 5 without bytes makes the parts before it void.

// part returns the next part of m, and whether it is the last; gave must follow when the
// lane has taken it. If given is negative, it is the part that makes those before void.
// The bytes are valid until the next call.
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

// gave notes that the lane has taken the part b.
func (q *peerCalls) gave(b []byte, last bool) {
	switch {
	case last, q.given < 0:
		q.given = 0
	default:
		q.given += len(b) - 1
	}
}

// joined returns the message that m completes, with the parts that came before it; nil
// if m is a part and more are to come.
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
		before = []byte{msgPart} // room for the type
	}
	c.parts = append(before, m[1:]...)
	return nil, nil
}
