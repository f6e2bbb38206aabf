package link

import (
	"encoding/binary"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/lane"
	"github.com/tendonengine/tendon/transport/netsim"
)

// An End is one side of a connection. It is a rpl.Sink; different Ends may be
// used at the same time.
//
// All ends of a bench are in one process, and what they touch washes out of the
// caches what the library has in them: what a send needs of an end stands in one
// line of a cache, what a Collect needs in that and the next.
type End struct {
	out, in *netsim.Path
	lane    *lane.Lane
	seq     uint64 // of the packet that Next opened
	buf     []byte // this send's datagrams, each after its written
	ahead   uint32 // bytes of segments that lead the next datagram
	open    bool   // the packet that Next opened has no datagram yet
	early   bool   // first is not zero

	got   received // by the last Collect
	first Counters // of the next Flush, from before it: messages, and what Begin sent

	// Where buf is: most sends are small, and small buffers lie in few pages.
	small, large []byte
	_            [24]byte // whole lines: the allocator aligns 256 bytes to them
}

// Before each datagram in buf stands its length, u32, and how many bytes of the
// reliable lane lead its packet, u16; then its packet as it is without these.
const writtenSize = 4 + 2

// smallSend is the most bytes of a send that stay in the small buffer.
const smallSend = 256

// newEnd takes the memory that a send needs at once: what the simulator would
// take later would be counted as the library's.
func newEnd(out, in *netsim.Path) *End {
	const packets = 32
	small := make([]byte, 0, smallSend)
	return &End{
		out: out, in: in, lane: lane.New(lane.NewARQ), got: received{datagrams: make([]Datagram, 0, 3)},
		buf: small, small: small, large: make([]byte, 0, packets*(writtenSize+headerSize+transport.MaxPayload)),
	}
}

// Begin starts a send. As in transport.Conn, what the reliable lane has to say
// now leads the first datagram; while it would leave less than half of a packet
// for it, it goes in packets of its own.
func (e *End) Begin(now time.Duration) {
	e.lane.Update(now)
	for e.lane.Pending() > transport.MaxPayload-bothSize-transport.MinRoom {
		e.early = true
		e.sendSegments(now, e.lane.Fit(transport.MaxPayload), &e.first)
	}
	e.ahead = uint32(e.lane.Pending())
}

// Next opens a packet. One that is given no datagram is not sent.
func (e *End) Next() (seq uint64, room int) {
	e.seq++
	e.open = true
	room = transport.MaxPayload
	if e.ahead > 0 {
		room -= bothSize + int(e.ahead)
	}
	return e.seq, room
}

// Datagram completes the packet that Next opened. b is copied.
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

// Reliable queues one message; its segments leave with Flush. b is copied.
func (e *End) Reliable(b []byte) error {
	e.early = true
	e.first.Messages++
	return e.lane.Queue(b)
}

// Flush sends everything that was written, then what the reliable lane still
// has to say, and returns what this send was.
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

// reuse makes buf empty, and small again.
func (e *End) reuse() {
	if cap(e.buf) == smallSend {
		e.buf = e.buf[:0]
		return
	}
	e.large = e.buf[:0] // which may have grown
	e.buf = e.small
}

// spare is room for one more packet, beside those in buf.
func (e *End) spare() []byte {
	if cap(e.buf) == smallSend {
		return e.large
	}
	return e.buf[len(e.buf):]
}

// lead makes of the packet of a datagram one that segments lead.
func (e *End) lead(alone []byte, segments int) []byte {
	p := begin(e.spare(), both, binary.LittleEndian.Uint64(alone[1:]))
	p = binary.LittleEndian.AppendUint16(p, uint16(segments))
	return append(e.lane.Take(p, segments), alone[headerSize:]...)
}

// sendSegments sends a packet of segments alone.
func (e *End) sendSegments(now time.Duration, n int, sent *Counters) {
	e.seq++
	sent.Beside += n + transport.Overhead
	e.send(now, e.lane.Take(begin(e.spare(), segmentsAlone, e.seq), n), n, sent)
}

func (e *End) send(now time.Duration, p []byte, segments int, sent *Counters) {
	payload := len(p) - headerSize
	sent.Packets++
	sent.Payload += payload
	sent.Reliable += segments
	sent.Longest = max(sent.Longest, payload)
	e.out.Send(now, p)
}

// Collect gathers what is due by now; an error means a broken reliable lane.
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
			e.got.datagram(seq, due, datagram) // copied, as a socket does
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

// Received is what the last Collect has gathered; valid until the next.
func (e *End) Received() ([]Datagram, [][]byte) { return e.got.datagrams, e.got.messages }

// Held is the bytes that the reliable lane is to send yet.
func (e *End) Held() int { return e.lane.Held() }

// Oversize is how many packets were longer than the network takes and dropped.
func (e *End) Oversize() int { return int(e.out.Counters().Oversize) }
