package lane

import (
	"encoding/binary"
	"errors"
	"time"
)

// The limits of the lane, and why.
const (
	// HeaderSize is the bytes before a segment's data.
	HeaderSize = 24
	// MTU is the longest run of segments that a machine emits at once: it
	// leaves 21 bytes of a packet's payload.
	MTU = 1150
	// MaxChunk is the data of one segment.
	MaxChunk = MTU - HeaderSize
	// MaxWaiting is how many segments are given to the machine and not yet
	// acknowledged: it repeats them outside of any budget, so they are few.
	MaxWaiting = 8
	// MaxBehind is how many they may be behind one that had to be repeated, if all
	// together are no longer than MaxWaiting of the longest: what waits for it is
	// there when it comes, where it would leave a round trip later.
	MaxBehind = 32
	// Window is how far ahead of the first missing segment one is accepted.
	Window = 256
	// MaxPending is the bytes of segments that may await a packet. More are
	// dropped as if lost; the machine repeats them.
	MaxPending = 64 << 10
	// RepeatAbove is the share of lost packets from which on new segments are
	// repeated once, and RepeatAfter how much later: in the next send or the
	// one after, so that a short burst does not take both.
	RepeatAbove = 0.005
	RepeatAfter = 15 * time.Millisecond
	// RepeatAllAbove is the share from which on what the machine repeats is
	// repeated once, too: it waits half a round trip longer each time that the
	// same segment is lost. With fewer losses what it repeats was mostly on its way.
	RepeatAllAbove = 0.04
	// Conversation is the id in each segment: a connection has one lane.
	Conversation = 1
)

// The commands of a segment.
const (
	push = 81 // data
	ack  = 82 // a segment was received
	wask = 83 // how wide is your window?
	wins = 84 // my window is this wide
)

// A segment's header, little-endian:
//
//	0  u32  conversation, 1
//	4  u8   command
//	5  u8   fragment, 0: chunks are whole
//	6  u16  window: how many more segments are accepted
//	8  u32  time, ms of the sender's clock; an ack returns its segment's
//	12 u32  number of the segment, or of the one acknowledged
//	16 u32  unacknowledged: every segment below was received
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

// parse splits the first segment off b and checks all that it says of itself.
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

// Check reports what is wrong with a run of segments from the network: each
// must be whole and of this lane, with nothing after the last.
func Check(b []byte) error {
	for len(b) > 0 {
		var err error
		if _, _, b, err = parse(b); err != nil {
			return err
		}
	}
	return nil
}

// size is the length of the first of a run of segments that a machine made.
func size(b []byte) int { return HeaderSize + int(binary.LittleEndian.Uint32(b[20:])) }
