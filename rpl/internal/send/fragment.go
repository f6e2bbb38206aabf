package send

import "github.com/tendonengine/tendon/rpl/internal/wire"

// A reliable message that is longer than MaxPart is sent in parts. The parts come in
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
		q.scratch = append(q.scratch[:0], wire.MsgPart)
		return q.scratch, false
	case q.given == 0 && len(m) <= wire.MaxPart:
		return m, true
	}
	kind, rest := m[0], m[1+q.given:]
	if last = len(rest) < wire.MaxPart; !last {
		kind, rest = wire.MsgPart, rest[:wire.MaxPart-1]
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
