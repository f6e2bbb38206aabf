package endpoint

// Packets that are longer than the path carries go in parts, and the path is looked at: how
// long packets may be, and whether what was sent long has come.

import (
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/mtu"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// partBuffers are room for parts while they are made: the packet stands in Conn.out.
var partBuffers = sync.Pool{New: func() any { return new([transport.MaxPacket]byte) }}

// sendParts sends a packet in parts. The first has the packet's number. c.mu is held.
func (c *Conn) sendParts(p []byte, seq uint64) {
	head := wire.HeaderSize(c.e.listens)
	kind, _, _ := wire.Split(p[0])
	payload := p[head:]
	count, each := mtu.Cut(len(payload), c.mtu.Size()-head-seal.TagSize)
	if count == 0 { // not with the sizes that there are
		return
	}
	buffer := partBuffers.Get().(*[transport.MaxPacket]byte)
	defer partBuffers.Put(buffer)
	for i := range count {
		number := seq
		if i > 0 {
			c.seq++
			number = c.seq
		}
		b := wire.Begin(buffer[:0], wire.Part, c.e.listens, c.id, number)
		part := mtu.Part{Of: uint16(seq), Index: i, Count: count, Kind: uint8(kind), Data: payload[i*each : min((i+1)*each, len(payload))]}
		b = part.Append(b)
		c.sendTo(c.path, b, number)
		c.mtu.Sent(c.sentAt, number, len(b)+seal.TagSize)
	}
}

// joinPart takes a part, and returns the packet once it is whole.
func (c *Conn) joinPart(seq uint64, b []byte) (k wire.Kind, whole uint64, payload []byte, ok bool) {
	part, err := mtu.ParsePart(b)
	if err != nil {
		return 0, 0, nil, false
	}
	r := &c.rx
	r.Lock()
	defer r.Unlock()
	if r.parts == nil {
		r.parts = new(mtu.Joiner)
	}
	kind, whole, payload, ok := r.parts.Add(seq, part)
	k = wire.Kind(kind)
	if !ok || k != wire.Datagram && k != wire.Lane && k != wire.Both {
		return 0, 0, nil, false
	}
	_, ok = wellFormed(k, payload)
	return k, whole, payload, ok
}

// probe sends what is due to find out what the path carries. c.mu is held.
func (c *Conn) probe(now time.Duration) {
	if c.state != open {
		return
	}
	if size := c.mtu.Probe(now); size > 0 {
		c.sendProbe(size)
	}
	if seq, ok := c.mtu.Question(now); ok {
		c.control(c.path, wire.ControlMessage{Type: wire.Ask, Seq: uint16(seq)})
	}
}

// sendPair sends the first probes of a new client's path: they are answered before the client has
// joined, so that what it is sent then is not the first to meet a slow line. c.mu is held.
func (c *Conn) sendPair(now time.Duration) {
	if !c.e.listens || !c.pair.Begin() {
		return
	}
	c.mtu.Fits(mtu.Max) // a join has long packets
	c.sendProbe(mtu.Base)
	c.probe(now)
}

// sendProbe sends a probe of a size. c.mu is held.
func (c *Conn) sendProbe(size int) {
	pad := size - wire.HeaderSize(c.e.listens) - seal.TagSize - 3
	c.control(c.path, wire.ControlMessage{Type: wire.Probe, Size: uint16(size), Pad: pad})
}

// lookAtPath is what the endpoint's timer does for a connection's path.
func (c *Conn) lookAtPath(now time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.probe(now)
}

// pathLost is whether the path carries nothing but the shortest packets.
func (c *Conn) pathLost() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.mtu.Lost()
}

// handlePath handles what the peer asks or says of the length of packets.
func (c *Conn) handlePath(now time.Duration, size int, m wire.ControlMessage) {
	came := false
	if m.Type == wire.Ask {
		c.rx.Lock()
		came = !c.rx.window.New(c.rx.window.Whole(m.Seq))
		c.rx.Unlock()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state != open {
		return
	}
	switch m.Type {
	case wire.Probe:
		if size == int(m.Size) {
			c.control(c.path, wire.ControlMessage{Type: wire.ProbeCame, Size: m.Size})
		}
	case wire.ProbeCame:
		if c.pair.Came(now, int(m.Size)) {
			c.lane.Carries(c.pair.Rate())
		}
		c.mtu.Passed(int(m.Size))
	case wire.Ask:
		c.control(c.path, wire.ControlMessage{Type: wire.Answer, Seq: m.Seq, Came: came})
	case wire.Answer:
		c.mtu.Answer(now, m.Seq, m.Came)
	}
}
