package proxy

import (
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// joined returns the message that m completes, with the parts that came before it; nil
// if m is a part and more are to come. A call is never cut, and may come between parts.
func (q *incoming) joined(m []byte) ([]byte, error) {
	if len(m) == 0 || m[0] == wire.MsgCall || m[0] != wire.MsgPart && len(q.parts) == 0 {
		return m, nil
	}
	before := q.parts
	q.parts = nil
	switch {
	case len(before)+len(m) > wire.MaxLong:
		return nil, fmt.Errorf("%w: a message of more than %d bytes", ids.ErrPacket, wire.MaxLong)
	case m[0] != wire.MsgPart:
		whole := append(before, m[1:]...)
		whole[0] = m[0]
		return whole, nil
	case len(m) == 1:
		return nil, nil
	case before == nil:
		before = []byte{wire.MsgPart} // room for the type
	}
	q.parts = append(before, m[1:]...)
	return nil, nil
}
