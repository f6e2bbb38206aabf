package link

import (
	"encoding/binary"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/lane"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A Datagram is one that Collect has gathered.
type Datagram struct {
	Seq  uint64
	At   time.Duration // when it was due
	Data []byte
}

// An End is one side of a connection. It is a rpl.Sink; different Ends may be
// used at the same time.
type End struct {
	out, in *netsim.Path
	lane    *lane.Lane
	seq     uint64 // of the packet that Next opened
	open    bool   // it has no datagram yet

	written []written // datagrams of this send, in buf
	buf     []byte
	packet  []byte

	Datagrams []Datagram // gathered by the last Collect, valid until the next
	Messages  [][]byte   // the same, of the reliable lane
	got       []byte     // their bytes

	sent  Counters // by the last Flush, and messages queued before it
	total Counters
}

type written struct {
	seq      uint64
	segments int // bytes of the reliable lane that lead the packet
	at, n    int // the datagram, in buf
}

func newEnd(out, in *netsim.Path) *End {
	return &End{out: out, in: in, lane: lane.New(lane.NewARQ)}
}

// Begin starts a send: what the reliable lane has to say now is known after it.
func (e *End) Begin(now time.Duration) { e.lane.Update(now) }

// Next opens a packet, as transport.Conn does: segments of the reliable lane
// lead it while they leave a datagram at least half of the packet. A packet
// that is given no datagram is not sent.
func (e *End) Next() (seq uint64, room int) {
	e.seq++
	e.open = true
	room = transport.MaxPayload
	if n := e.segments(); n > 0 {
		return e.seq, room - laneHeader(n) - n
	}
	return e.seq, room - 1
}

// segments is what the reliable lane would put before the next datagram.
func (e *End) segments() int {
	waiting := e.lane.Pending()
	for i := range e.written {
		waiting -= e.written[i].segments
	}
	if waiting <= 0 || waiting > transport.MinRoom-2 {
		return 0 // more than half a packet leaves alone
	}
	return waiting
}

// Datagram completes the packet that Next opened. b is copied.
func (e *End) Datagram(b []byte) {
	if !e.open {
		panic("link: a datagram for a packet that Next did not open")
	}
	e.written = append(e.written, written{e.seq, e.segments(), len(e.buf), len(b)})
	e.buf = append(e.buf, b...)
	e.open = false
}

// Reliable queues one message; its segments leave with Flush. b is copied.
func (e *End) Reliable(b []byte) error {
	e.sent.Messages++
	return e.lane.Queue(b)
}

// Flush sends everything that was written, then what the reliable lane still
// has to say, and returns what this send was.
func (e *End) Flush(now time.Duration) Counters {
	for _, w := range e.written {
		e.send(now, w.seq, w.segments, e.buf[w.at:w.at+w.n])
	}
	e.written, e.buf, e.open = e.written[:0], e.buf[:0], false
	e.lane.Update(now)
	for e.lane.Pending() > 0 {
		e.seq++
		e.send(now, e.seq, e.lane.Fit(transport.MaxPayload-2), nil)
	}
	sent := e.sent
	e.total, e.sent = e.total.Add(sent), Counters{}
	return sent
}

func (e *End) send(now time.Duration, seq uint64, segments int, datagram []byte) {
	p := binary.LittleEndian.AppendUint64(e.packet[:0], seq)
	p = binary.AppendUvarint(p, uint64(segments))
	p = e.lane.Take(p, segments)
	p = append(p, datagram...)
	e.packet = p
	payload := len(p) - numberSize
	e.sent.Packets++
	e.sent.Payload += payload
	e.sent.Reliable += segments
	e.sent.Longest = max(e.sent.Longest, payload)
	e.out.Send(now, p)
}

// Collect gathers what is due by now; an error means a broken reliable lane.
func (e *End) Collect(now time.Duration) error {
	e.Datagrams, e.Messages, e.got = e.Datagrams[:0], e.Messages[:0], e.got[:0]
	for {
		b, due, ok := e.in.Receive(now)
		if !ok {
			return e.messages()
		}
		seq, segments, datagram, err := parsePacket(b)
		if err != nil {
			return err
		}
		if len(datagram) > 0 {
			e.Datagrams = append(e.Datagrams, Datagram{seq, due, e.keep(datagram)})
		}
		if err := e.lane.Input(now, segments); err != nil {
			return err
		}
	}
}

func (e *End) messages() error {
	for {
		m, err := e.lane.Receive()
		if m == nil || err != nil {
			return err
		}
		e.Messages = append(e.Messages, e.keep(m))
	}
}

// keep copies bytes that are valid only for a moment. A grown buffer leaves
// earlier copies where they were.
func (e *End) keep(b []byte) []byte {
	at := len(e.got)
	e.got = append(e.got, b...)
	return e.got[at:len(e.got):len(e.got)]
}

// Total is everything that this end has sent.
func (e *End) Total() Counters { return e.total }

// Oversize is how many packets were longer than the network takes and dropped.
func (e *End) Oversize() int { return int(e.out.Counters().Oversize) }
