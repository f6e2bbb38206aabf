package proxy

import (
	"fmt"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The versions from which lines start (rowtype/line.go). The authority says how many sends
// directly below the base packet's have come in full. A line starts only from a version of
// these: so the authority knows which one it is.

// A lineWindow is those sends.
type lineWindow struct {
	on    bool
	since ids.Tick // of the oldest
	step  uint32   // the ticks from the newest to the base packet
}

// readWindow reads the window of a packet with a base packet.
func (c *Proxy) readWindow(d *prefix.Decoder, m *coder.Model, base uint64) error {
	if c.dec.lines = (lineWindow{}); !m.Lines() {
		return nil
	}
	n := wire.LineSends
	if d.Bits(1) == 0 {
		n = int(d.Bits(wire.LineBits))
	}
	w, ok := c.in.history.window(base, n)
	if c.dec.lines = w; !ok {
		return fmt.Errorf("%w: not all packets of %d sends below packet %d are known", ids.ErrPacket, n, base)
	}
	return nil
}

// readBlockWindow reads the window of a block.
func (c *Proxy) readBlockWindow(d *prefix.Decoder, m *coder.Model, baseTick ids.Tick) {
	if c.dec.lines = (lineWindow{}); m.Lines() && d.Bits(1) == 1 {
		c.dec.lines = lineWindow{true, baseTick - ids.Tick(d.Bits(8)), d.Bits(8)}
	}
}

// second sets c.second to the version before a row's base, from which its lines start. It
// returns false if it cannot know which one that is. base is the base's slot, at its tick.
func (c *Proxy) second(row *ReplicaRow, base uint8, at ids.Tick) bool {
	s := &c.dec.seconds
	s.P = nil
	if !c.dec.lines.on || at <= c.dec.lines.since || c.held.rows.isKey(row, base) {
		return true // what was here before a keyframe is not known to the authority
	}
	slot, _, tick, ok := c.held.rows.base(row, at-1)
	if !ok {
		return row.flags&replicaShed == 0
	}
	if tick < c.dec.lines.since {
		return true
	}
	t := c.held.types[row.typ]
	s.Words, s.Gap, s.Step = t.At(c.held.rows.version(row, slot)[1:]), uint32(at-tick), c.dec.lines.step
	return true
}
