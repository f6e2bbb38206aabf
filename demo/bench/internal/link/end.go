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
type End struct {
	out, in *netsim.Path
	lane    *lane.Lane
	seq     uint64 // of the packet that Next opened
	open    bool   // it has no datagram yet
	now     time.Duration
	ahead   int // bytes of segments that lead the next datagram

	written []written // datagrams of this send, in buf
	buf     []byte
	packet  []byte

	got received // by the last Collect

	sent  Counters // by the last Flush, and messages queued before it
	total Counters
}

type written struct {
	seq      uint64
	segments int // bytes of the reliable lane that lead the packet
	at, n    int // the datagram, in buf
}

// newEnd takes the memory that a send needs at once: what the simulator would
// take later would be counted as the library's.
func newEnd(out, in *netsim.Path) *End {
	const packets = 32
	return &End{
		out: out, in: in, lane: lane.New(lane.NewARQ),
		written: make([]written, 0, packets), buf: make([]byte, 0, packets*transport.MaxPayload),
	}
}

// Begin starts a send. As in transport.Conn, what the reliable lane has to say
// now leads the first datagram; while it would leave less than half of a packet
// for it, it goes in packets of its own.
func (e *End) Begin(now time.Duration) {
	e.now = now
	e.lane.Update(now)
	for e.lane.Pending() > transport.MaxPayload-bothSize-transport.MinRoom {
		e.sendSegments(e.lane.Fit(transport.MaxPayload))
	}
	e.ahead = e.lane.Pending()
}

// Next opens a packet. One that is given no datagram is not sent.
func (e *End) Next() (seq uint64, room int) {
	e.seq++
	e.open = true
	room = transport.MaxPayload
	if e.ahead > 0 {
		room -= bothSize + e.ahead
	}
	return e.seq, room
}

// Datagram completes the packet that Next opened. b is copied.
func (e *End) Datagram(b []byte) {
	if !e.open {
		panic("link: a datagram for a packet that Next did not open")
	}
	e.open = false
	e.written = append(e.written, written{e.seq, e.ahead, len(e.buf), len(b)})
	e.buf = append(e.buf, b...)
	e.ahead = 0
}

// Reliable queues one message; its segments leave with Flush. b is copied.
func (e *End) Reliable(b []byte) error {
	e.sent.Messages++
	return e.lane.Queue(b)
}

// Flush sends everything that was written, then what the reliable lane still
// has to say, and returns what this send was.
func (e *End) Flush(now time.Duration) Counters {
	e.now = now
	for _, w := range e.written {
		p := e.packet[:0]
		if w.segments > 0 {
			p = begin(p, both, w.seq)
			p = binary.LittleEndian.AppendUint16(p, uint16(w.segments))
			p = e.lane.Take(p, w.segments)
		} else {
			p = begin(p, datagramAlone, w.seq)
		}
		e.send(append(p, e.buf[w.at:w.at+w.n]...), w.segments)
	}
	e.written, e.buf, e.open, e.ahead = e.written[:0], e.buf[:0], false, 0
	e.lane.Update(now)
	for e.lane.Pending() > 0 {
		e.sendSegments(e.lane.Fit(transport.MaxPayload))
	}
	sent := e.sent
	e.total, e.sent = e.total.Add(sent), Counters{}
	return sent
}

// sendSegments sends a packet of segments alone.
func (e *End) sendSegments(n int) {
	e.seq++
	e.send(e.lane.Take(begin(e.packet[:0], segmentsAlone, e.seq), n), n)
}

func (e *End) send(p []byte, segments int) {
	e.packet = p
	payload := len(p) - headerSize
	e.sent.Packets++
	e.sent.Payload += payload
	e.sent.Reliable += segments
	e.sent.Longest = max(e.sent.Longest, payload)
	e.out.Send(e.now, p)
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
			e.got.datagram(seq, due, datagram)
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

// Total is everything that this end has sent.
func (e *End) Total() Counters { return e.total }

// Oversize is how many packets were longer than the network takes and dropped.
func (e *End) Oversize() int { return int(e.out.Counters().Oversize) }
