package link

import (
	"encoding/binary"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/lane"
	"github.com/tendonengine/tendon/transport/netsim"
)

// An End is one side of a simulated connection. It is a rpl.Sink. Different Ends may be
// used at the same time.
//
// The bench runs all ends in one process, and memory that they touch evicts the
// library's from the processor's caches. So the fields are ordered for few cache lines:
// a send needs the first line of an End, a Collect the first two.
type End struct {
	out, in *netsim.Path
	lane    *lane.Lane
	seq     uint64 // sequence number of the packet that Next opened last
	buf     []byte // this send's datagrams, each after writtenSize bytes
	ahead   uint32 // bytes of the reliable lane's segments that go before the next datagram in its packet
	open    bool   // Next has opened a packet that has no datagram yet
	early   bool   // first is not zero

	got   received // what the last Collect has gathered
	first Counters // what the next Flush returns already counts: queued messages, and packets that Begin sent

	// buf is in one of these two. Most sends are small, and the small buffers of all
	// ends lie in few pages.
	small, large []byte
	_            [32]byte // pads End to 256 bytes, which the allocator aligns to cache lines
}

// writtenSize is what stands before each packet in buf: the datagram's length (u32),
// and how many bytes of the reliable lane's segments will go before it in the packet
// (u16). The packet itself is written as if it had no segments.
const writtenSize = 4 + 2

// smallSend is the size of the small buffer.
const smallSend = 256

// newEnd allocates all memory that a send usually needs, since allocations during the
// run would be counted as the library's.
func newEnd(out, in *netsim.Path) *End {
	const packets = 32
	small := make([]byte, 0, smallSend)
	return &End{
		out: out, in: in, lane: lane.New(lane.NewARQ), got: received{datagrams: make([]Datagram, 0, 3)},
		buf: small, small: small, large: make([]byte, 0, packets*(writtenSize+headerSize+transport.MaxPayload)),
	}
}

// Begin starts a send. As in transport.Conn, the segments that the reliable lane has to
// send go into the packet of the first datagram, before it. Segments that would leave
// that datagram less than transport.MinRoom bytes are sent at once in packets of their
// own.
func (e *End) Begin(now time.Duration) {
	e.lane.Update(now)
	for e.lane.Pending() > transport.MaxPayload-bothSize-transport.MinRoom {
		e.early = true
		e.sendSegments(now, e.lane.Fit(transport.MaxPayload), &e.first)
	}
	e.ahead = uint32(e.lane.Pending())
}

// Next opens a packet and returns its sequence number and the room for its datagram. A
// packet that gets no datagram is not sent.
func (e *End) Next() (seq uint64, room int) {
	e.seq++
	e.open = true
	room = transport.MaxPayload
	if e.ahead > 0 {
		room -= bothSize + int(e.ahead)
	}
	return e.seq, room
}

// Datagram puts a datagram into the packet that Next opened. b is copied.
func (e *End) Datagram(b []byte) {
	if !e.open {
		panic("link: a datagram for a packet that Next did not open")
	}
	e.open = false
	if len(e.buf)+writtenSize+headerSize+len(b) > cap(e.buf) && cap(e.buf) == smallSend {
		e.buf = append(e.large, e.buf...)
	}
	p := binary.LittleEndian.AppendUint32(e.buf, uint32(len(b)))
	p = binary.LittleEndian.AppendUint16(p, uint16(e.ahead))
	e.buf = append(begin(p, datagramAlone, e.seq), b...)
	e.ahead = 0
}

// Reliable queues one message on the reliable lane; its segments are sent by Flush or
// the next Begin. b is copied.
func (e *End) Reliable(b []byte) error {
	e.early = true
	e.first.Messages++
	return e.lane.Queue(b)
}

// Flush sends the packets in buf, then the segments that the reliable lane still has to
// send, and returns the counts of this send.
func (e *End) Flush(now time.Duration) (sent Counters) {
	if e.early {
		sent, e.first, e.early = e.first, Counters{}, false
	}
	for rest := e.buf; len(rest) > 0; {
		n, segments := int(binary.LittleEndian.Uint32(rest)), int(binary.LittleEndian.Uint16(rest[4:]))
		p := rest[writtenSize : writtenSize+headerSize+n]
		rest = rest[len(p)+writtenSize:]
		if segments > 0 {
			p = e.lead(p, segments)
			sent.Beside += bothSize + segments
		}
		e.send(now, p, segments, &sent)
	}
	e.open, e.ahead = false, 0
	e.reuse()
	e.lane.Update(now)
	for e.lane.Pending() > 0 {
		e.sendSegments(now, e.lane.Fit(transport.MaxPayload), &sent)
	}
	return sent
}

// reuse empties buf and makes it the small buffer again.
func (e *End) reuse() {
	if cap(e.buf) == smallSend {
		e.buf = e.buf[:0]
		return
	}
	e.large = e.buf[:0] // keeps a buffer that has grown
	e.buf = e.small
}

// spare returns memory outside the packets in buf, in which one more packet can be
// built.
func (e *End) spare() []byte {
	if cap(e.buf) == smallSend {
		return e.large
	}
	return e.buf[len(e.buf):]
}

// lead rebuilds the packet of a datagram with segments of the reliable lane before the
// datagram.
func (e *End) lead(alone []byte, segments int) []byte {
	p := begin(e.spare(), both, binary.LittleEndian.Uint64(alone[1:]))
	p = binary.LittleEndian.AppendUint16(p, uint16(segments))
	return append(e.lane.Take(p, segments), alone[headerSize:]...)
}

// sendSegments sends a packet of n bytes of segments alone.
func (e *End) sendSegments(now time.Duration, n int, sent *Counters) {
	e.seq++
	sent.Beside += n + overhead
	e.send(now, e.lane.Take(begin(e.spare(), segmentsAlone, e.seq), n), n, sent)
}

func (e *End) send(now time.Duration, p []byte, segments int, sent *Counters) {
	payload := len(p) - headerSize
	sent.Packets++
	sent.Payload += payload
	sent.Reliable += segments
	e.out.Send(now, p)
}

// Collect gathers the datagrams and messages that are due by now. An error means a bad
// packet or a broken reliable lane.
func (e *End) Collect(now time.Duration) error {
	e.got.clear()
	for {
		b, due, ok := e.in.Receive(now)
		if !ok {
			return e.collectMessages()
		}
		seq, segments, datagram, err := parse(b)
		if err != nil {
			return err
		}
		if len(datagram) > 0 {
			e.got.datagram(seq, due, datagram) // copied, as a socket would
		}
		if len(segments) == 0 {
			continue
		}
		if err := e.lane.Input(now, segments); err != nil {
			return err
		}
	}
}

func (e *End) collectMessages() error {
	for {
		m, err := e.lane.Receive()
		if m == nil || err != nil {
			return err
		}
		e.got.message(m)
	}
}

// Received returns the datagrams and messages that the last Collect gathered. They are
// valid until the next Collect.
func (e *End) Received() ([]Datagram, [][]byte) { return e.got.datagrams, e.got.messages }

// Held returns how many bytes the reliable lane has still to send.
func (e *End) Held() int { return e.lane.Held() }

// Oversize returns how many packets were dropped because they were longer than the
// network allows.
func (e *End) Oversize() int { return int(e.out.Counters().Oversize) }
