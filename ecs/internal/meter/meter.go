// Package meter turns a connection's totals into rates.
package meter

import (
	"time"

	"github.com/tendonengine/tendon/transport"
)

const (
	// leastLossIn is the loss of incoming packets above which a client assumes the same
	// loss for its own packets. The assumption may be wrong, so a client sends nothing twice
	// on a network that loses a packet now and then. leastMissed is the packets that it
	// must have received before: with fewer, one unused sequence number looks like that
	// much loss.
	leastLossIn = 0.04
	leastMissed = 40
	// leastLossy is the loss of incoming packets from which on a press leaves in two packets:
	// it costs one small packet more for each press, and what is late is predicted wrongly.
	leastLossy = 0.01
)

// A Meter is of one connection. The zero Meter is of one that has just begun.
type Meter struct {
	Out, In int  // bytes per second, as of the last Read that took the totals
	Lossy   bool // by then packets were lost now and then

	at          time.Duration
	out, in     uint64
	reliableOut uint64 // bytes of the reliable lane at the last Lane
}

// Lane returns what the connection's reliable lane has sent since the last call, and what it
// still holds.
func (m *Meter) Lane(c transport.Conn) (sent, held int) {
	all, held := c.LaneBytes()
	sent = int(all - m.reliableOut)
	m.reliableOut = all
	return sent, held
}

// Read takes the totals once a second, and reports whether it has.
func (m *Meter) Read(now time.Duration, c transport.Conn) bool {
	d := now - m.at
	if d < time.Second {
		return false
	}
	s := c.Stats()
	if m.at > 0 {
		m.Out = int(float64(s.BytesOut-m.out) / d.Seconds())
		m.In = int(float64(s.BytesIn-m.in) / d.Seconds())
	}
	m.Lossy = s.PacketsIn >= leastMissed && s.LossIn >= leastLossy
	m.at, m.out, m.in = now, s.BytesOut, s.BytesIn
	return true
}

// AssumedLoss returns the share of its own packets that a client assumes to be lost. The
// server does not tell it; a machine that misses many packets usually loses about as
// many.
func AssumedLoss(s transport.Stats) float64 {
	if s.PacketsIn < leastMissed || s.LossIn < leastLossIn {
		return 0
	}
	return s.LossIn
}

// A Link reads the counters of a link. The zero Link has read none.
type Link struct{ before transport.Counters }

// Read adds to counts, by their names, what was lost on the link since the last Read.
func (l *Link) Read(now transport.Counters, add func(name string, n uint64)) {
	add("packet ignored", now.Ignored-l.before.Ignored)
	add("packet dropped", now.Dropped-l.before.Dropped)
	add("read failed", now.ReadErrors-l.before.ReadErrors)
	add("write failed", now.WriteErrors-l.before.WriteErrors)
	l.before = now
}
