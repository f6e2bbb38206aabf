package link

import (
	"encoding/binary"
	"errors"
)

// What a packet of the simulator holds: the number that a real one carries in
// the clear outside the seal, then what is inside the seal,
//
//	uvarint  length of the reliable lane's segments
//	…        the segments
//	…        the datagram, up to the end
const numberSize = 8

var errPacket = errors.New("link: the simulator delivered a packet that no end has made")

// laneHeader is the bytes that say how long the segments are.
func laneHeader(segments int) int {
	n := 1
	for segments >= 0x80 {
		segments >>= 7
		n++
	}
	return n
}

func parsePacket(b []byte) (seq uint64, segments, datagram []byte, err error) {
	if len(b) < numberSize {
		return 0, nil, nil, errPacket
	}
	seq = binary.LittleEndian.Uint64(b)
	length, n := binary.Uvarint(b[numberSize:])
	b = b[numberSize:]
	if n <= 0 || length > uint64(len(b)-n) {
		return 0, nil, nil, errPacket
	}
	b = b[n:]
	return seq, b[:length], b[length:], nil
}
