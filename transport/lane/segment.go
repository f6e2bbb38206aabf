package lane

// The format of KCP's segments.

import (
	"encoding/binary"
	"errors"
)

// The parts of KCP's segments that never differ.
const (
	// HeaderSize is the bytes before a segment's data.
	HeaderSize = 24
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
