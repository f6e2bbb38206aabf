package outbox

import "github.com/tendonengine/tendon/rpl/internal/wire"

// A message is a reliable message. One that is longer than MaxWhole goes in parts, unless it is a call. The
// parts come in order, with nothing between them but calls, and count as one message.
//
//	each part but the last: type 5, then bytes of the message, from behind its type on
//	the last part: the message's type, then the rest of its bytes
//
// A part of type 5 without bytes makes the parts before it void.
type message struct {
	b     []byte
	given int // bytes of it that the lane has already, without its type; below 0 those parts are void
}

// part returns the next part, which scratch may hold, and whether it is the last; gave must follow when
// the lane has taken it. If given is negative, it is the part that makes those before void.
func (m *message) part(scratch *[]byte) (b []byte, last bool) {
	switch {
	case m.given < 0:
		*scratch = append((*scratch)[:0], wire.MsgPart)
		return *scratch, false
	case m.given == 0 && len(m.b) <= m.most():
		return m.b, true
	}
	kind, rest := m.b[0], m.b[1+m.given:]
	if last = len(rest) < wire.MaxPart; !last {
		kind, rest = wire.MsgPart, rest[:wire.MaxPart-1]
	}
	*scratch = append(append((*scratch)[:0], kind), rest...)
	return *scratch, last
}

// left is how many bytes of it the lane does not have.
func (m *message) left() int { return len(m.b) - max(m.given, 0) }

// isCall reports whether it is a call.
func (m *message) isCall() bool { return m.b[0] == wire.MsgCall }

// most is how many bytes of it the lane is given at once.
func (m *message) most() int {
	switch {
	case m.isCall():
		return wire.MaxReliableArgs + wire.MaxPart
	case len(m.b) <= wire.MaxWhole:
		return wire.MaxWhole
	}
	return wire.MaxPart
}

// gave notes that the lane has taken a part that is not the last.
func (m *message) gave(b []byte) {
	if m.given < 0 {
		m.given = 0
	} else {
		m.given += len(b) - 1
	}
}
