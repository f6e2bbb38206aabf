package lane

import (
	"encoding/binary"
	"errors"
	"time"
)

// The limits of the lane, and the reasons for their values. The format of KCP's
// segments follows below.
const (
	// HeaderSize is the bytes before a segment's data.
	HeaderSize = 24
	// MTU is the longest run of segments that a machine emits at once. It leaves 21
	// bytes of a packet's payload.
	MTU = 1150
	// MaxChunk is the data of one segment.
	MaxChunk = MTU - HeaderSize
	// MaxWaiting is how many unacknowledged segments the machine may hold. It repeats
	// them outside of any budget, so they are few.
	MaxWaiting = 8
	// MaxBehind is how many it may hold behind a segment that it had to repeat, if all
	// their data is no longer than MaxWaiting full segments. The messages behind the
	// lost segment are then already there when it arrives, instead of leaving a round
	// trip later.
	MaxBehind = 32
	// Window is how far ahead of the first missing segment a receiver accepts segments.
	Window = 256
	// MaxPending is the bytes of segments that may await a packet. Further segments
	// are dropped as if lost, and the machine repeats them.
	MaxPending = 64 << 10
	// RepeatAbove is the share of lost packets from which on each new segment is
	// repeated once, RepeatAfter later: in the next send or the one after it, so that
	// a short burst of losses does not take both copies.
	RepeatAbove = 0.005
	RepeatAfter = 15 * time.Millisecond
	// RepeatAllAbove is the share from which on each segment that the machine repeats
	// is repeated once more, because the machine waits half a round trip longer each
	// time that the same segment is lost. With fewer losses, most segments that the
	// machine repeats were only late.
	RepeatAllAbove = 0.04
	// Conversation is the id in each segment. It is constant: a connection has one
	// lane.
	Conversation = 1
)

// The commands of a segment.
const (
	push = 81 // data
	ack  = 82 // acknowledges one segment
	wask = 83 // asks for the other end's window
	wins = 84 // answers wask
)

// A header is a segment's header, little-endian:
//
//	0  u32  conversation, 1
//	4  u8   command
//	5  u8   fragment, 0: chunks are whole
//	6  u16  window: how many more segments are accepted
//	8  u32  time, ms of the sender's clock; an ack returns that of its segment
//	12 u32  number of the segment, or of the one that an ack acknowledges
//	16 u32  unacknowledged: every segment with a lower number was received
//	20 u32  length of the data that follows
type header struct {
	cmd       uint8
	wnd       uint16
	ts        uint32
	sn        uint32
	una       uint32
	length    uint32
	fragments uint8
}

func (h header) append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint32(b, Conversation)
	b = append(b, h.cmd, h.fragments)
	b = binary.LittleEndian.AppendUint16(b, h.wnd)
	b = binary.LittleEndian.AppendUint32(b, h.ts)
	b = binary.LittleEndian.AppendUint32(b, h.sn)
	b = binary.LittleEndian.AppendUint32(b, h.una)
	return binary.LittleEndian.AppendUint32(b, h.length)
}

var (
	errShort        = errors.New("lane: a segment is cut short")
	errConversation = errors.New("lane: a segment of another conversation")
	errCommand      = errors.New("lane: a segment with an unknown command")
	errFragment     = errors.New("lane: a segment is a fragment")
	errLong         = errors.New("lane: a segment is too long")
	errEmpty        = errors.New("lane: a segment without data")
)

// parse splits the first segment off b and checks its header.
func parse(b []byte) (h header, data, rest []byte, err error) {
	if len(b) < HeaderSize {
		return h, nil, nil, errShort
	}
	h = header{
		cmd: b[4], fragments: b[5],
		wnd: binary.LittleEndian.Uint16(b[6:]), ts: binary.LittleEndian.Uint32(b[8:]),
		sn: binary.LittleEndian.Uint32(b[12:]), una: binary.LittleEndian.Uint32(b[16:]),
		length: binary.LittleEndian.Uint32(b[20:]),
	}
	switch {
	case binary.LittleEndian.Uint32(b) != Conversation:
		return h, nil, nil, errConversation
	case h.cmd < push || h.cmd > wins:
		return h, nil, nil, errCommand
	case h.fragments != 0:
		return h, nil, nil, errFragment
	case h.length > MaxChunk || h.cmd != push && h.length != 0:
		return h, nil, nil, errLong
	case h.cmd == push && h.length == 0:
		return h, nil, nil, errEmpty
	case int(h.length) > len(b)-HeaderSize:
		return h, nil, nil, errShort
	}
	end := HeaderSize + int(h.length)
	return h, b[HeaderSize:end:end], b[end:], nil
}

// Check returns an error unless b is a run of valid segments: each must be whole
// and of this lane, with nothing after the last.
func Check(b []byte) error {
	for len(b) > 0 {
		var err error
		if _, _, b, err = parse(b); err != nil {
			return err
		}
	}
	return nil
}

// size is the length of the first segment in a run. The run must come from a
// machine: nothing is checked.
func size(b []byte) int { return HeaderSize + int(binary.LittleEndian.Uint32(b[20:])) }
