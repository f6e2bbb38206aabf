package link

import (
	"encoding/binary"
	"errors"
)

// A packet of the simulator has the layout of the endpoint's, with only those of the 21
// bytes outside the payload that the simulator needs:
//
//	0  u8   kind
//	1  u64  sequence number
//	9  …    payload: a datagram; segments of the reliable lane; or both, the
//	        segments after their length in two bytes
const (
	headerSize = 9
	bothSize   = 2 // the length of the segments before a datagram
)

type kind uint8

const (
	datagramAlone kind = iota
	segmentsAlone
	both
)

var errPacket = errors.New("link: the simulator delivered a packet that no end has made")

func begin(b []byte, k kind, seq uint64) []byte {
	return binary.LittleEndian.AppendUint64(append(b, byte(k)), seq)
}

func parse(b []byte) (seq uint64, segments, datagram []byte, err error) {
	if len(b) < headerSize {
		return 0, nil, nil, errPacket
	}
	seq = binary.LittleEndian.Uint64(b[1:])
	payload := b[headerSize:]
	switch kind(b[0]) {
	case datagramAlone:
		return seq, nil, payload, nil
	case segmentsAlone:
		return seq, payload, nil, nil
	case both:
		if len(payload) >= bothSize {
			n := int(binary.LittleEndian.Uint16(payload))
			if payload = payload[bothSize:]; n <= len(payload) {
				return seq, payload[:n], payload[n:], nil
			}
		}
	}
	return 0, nil, nil, errPacket
}
