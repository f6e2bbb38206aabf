package endpoint

// How much a peer may send: more is dropped where it is read, and who goes on is sent away.

import (
	"fmt"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// A pace counts what one peer has sent, in slots of a quarter of a second.
type pace struct {
	slot    int64 // number of the newest slot
	packets [slots]uint32
	bytes   [slots]uint32
	flood   bool // all slots were over the limit
}

const (
	slots    = 4
	slotTime = time.Second / slots
)

// allow counts a packet and reports whether it is within the limits of a second. A burst,
// as after a disturbance, loses what is too much; a peer that is over its share in every
// slot of a second floods.
func (p *pace) allow(at time.Duration, size int, l *transport.Limits) bool {
	now := int64(at / slotTime)
	if skip := now - p.slot; skip > 0 {
		for i := int64(1); i <= min(skip, slots); i++ {
			k := (p.slot + i) % slots
			p.packets[k], p.bytes[k] = 0, 0
		}
		p.slot = now
	}
	k := now % slots
	if k < 0 {
		return true // before the clock began
	}
	p.packets[k]++
	p.bytes[k] += uint32(size)
	packets, bytes, over := 0, 0, 0
	for i := range slots {
		packets += int(p.packets[i])
		bytes += int(p.bytes[i])
		if int(p.packets[i]) > l.Packets/slots || int(p.bytes[i]) > l.Bytes/slots {
			over++
		}
	}
	p.flood = p.flood || over == slots
	return packets <= l.Packets && bytes <= l.Bytes
}

// floods says why a peer is to be sent away that sends too much; empty if it does not.
func (c *Conn) floods() string {
	c.rx.Lock()
	defer c.rx.Unlock()
	if !c.rx.pace.flood {
		return ""
	}
	l := &c.e.offer.Limits
	return fmt.Sprintf("more than %d packets or %d bytes a second", l.Packets, l.Bytes)
}
