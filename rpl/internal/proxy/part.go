package proxy

import (
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// joined returns the message that m completes, with the parts that came before it; nil
// if m is a part and more are to come.
func (c *Proxy) joined(m []byte) ([]byte, error) {
	if len(m) == 0 || m[0] != wire.MsgPart && len(c.in.parts) == 0 {
		return m, nil
	}
	before := c.in.parts
	c.in.parts = nil
	switch {
	case len(before)+len(m) > wire.MaxLong:
		return nil, fmt.Errorf("%w: a message of more than %d bytes", coder.ErrPacket, wire.MaxLong)
	case m[0] != wire.MsgPart:
		whole := append(before, m[1:]...)
		whole[0] = m[0]
		return whole, nil
	case len(m) == 1:
		return nil, nil
	case before == nil:
		before = []byte{wire.MsgPart} // room for the type
	}
	c.in.parts = append(before, m[1:]...)
	return nil, nil
}
