// Package wire is the layout of an endpoint's packets. Each message's layout is in
// the comment of its struct, with its Append and Parse functions below. All numbers
// are little-endian. docs/spec-transport.md has the same layouts for implementers
// of other programs.
package wire

import (
	"encoding/binary"
	"errors"

	"github.com/tendonengine/tendon/transport"
)

// Version is the version of all that two endpoints say to each other: the handshake, every
// layout in this package, and the state stream inside. Each change of SPEC.md that an older
// build would not understand raises it, so that the two refuse each other and say why.
// docs.TestVersionIsRaised sees changes of the vectors.
const Version = 2

// A Kind is the low seven bits of a packet's first byte. The highest bit is
// set in packets from the listener, so that a packet reflected to its sender is
// not valid there.
type Kind uint8

const (
	Hello     Kind = 1 // handshake: the client asks to be let in
	Accept    Kind = 2 // handshake: the listener lets it in
	Refuse    Kind = 3 // handshake: the listener says why it does not
	Keepalive Kind = 4 // this and the following are sealed packets; no payload
	Datagram  Kind = 5 // payload: a datagram
	Lane      Kind = 6 // payload: segments of the reliable lane
	Both      Kind = 7 // payload: u16 length of the segments, the segments, a datagram
	Close     Kind = 8 // payload: cause and reason, see closing.go
)

// FromListener is the bit of a first byte that tells the direction.
const FromListener = 0x80

// Sizes of a sealed packet's parts.
const (
	headerSize = 13
	tagSize    = 16
	bothSize   = 2 // the length inside Both
)

var (
	ErrShort     = errors.New("wire: a packet is cut short")
	ErrLong      = errors.New("wire: a packet is too long")
	ErrKind      = errors.New("wire: a packet of unknown kind")
	ErrReserved  = errors.New("wire: reserved bytes are not zero")
	ErrMalformed = errors.New("wire: a packet contradicts itself")
	ErrVersion   = errors.New("wire: another version")
)

// A Packet is a sealed packet, the form of every packet after the handshake.
//
//	0      u8      kind, and the direction's bit
//	1      u32     connection id, chosen by the listener, never 0
//	5      u64     sequence number, from 1, counted separately in each direction
//	13     bytes   payload
//	n-16   bytes   place of the authentication tag: zero until packets are encrypted
type Packet struct {
	Kind         Kind
	FromListener bool
	ID           uint32
	Seq          uint64
	Segments     []byte // of the reliable lane: Lane, Both
	Datagram     []byte // Datagram, Both
	Reason       []byte // Close: see ParseReason
}

// Begin appends the header of a packet whose payload follows.
func Begin(b []byte, k Kind, fromListener bool, id uint32, seq uint64) []byte {
	b = append(b, First(k, fromListener))
	b = binary.LittleEndian.AppendUint32(b, id)
	return binary.LittleEndian.AppendUint64(b, seq)
}

// End appends the place of the tag, which ends the packet.
func End(b []byte) []byte { return append(b, make([]byte, tagSize)...) }

// First returns a packet's first byte.
func First(k Kind, fromListener bool) byte {
	if fromListener {
		return byte(k) | FromListener
	}
	return byte(k)
}

// Split splits a first byte into the kind and the direction.
func Split(first byte) (k Kind, fromListener bool) {
	return Kind(first &^ FromListener), first&FromListener != 0
}

// ParsePacket reads a sealed packet. The slices of the result point into b.
func ParsePacket(b []byte) (p Packet, err error) {
	switch {
	case len(b) < transport.Overhead:
		return p, ErrShort
	case len(b) > transport.MaxPacket:
		return p, ErrLong
	}
	p.Kind, p.FromListener = Split(b[0])
	p.ID = binary.LittleEndian.Uint32(b[1:])
	p.Seq = binary.LittleEndian.Uint64(b[5:])
	if p.ID == 0 || p.Seq == 0 {
		return p, ErrMalformed
	}
	payload, tag := b[headerSize:len(b)-tagSize], b[len(b)-tagSize:]
	if !zero(tag) {
		return p, ErrReserved
	}
	switch p.Kind {
	case Keepalive:
		if len(payload) != 0 {
			return p, ErrMalformed
		}
	case Datagram:
		p.Datagram = payload
	case Lane:
		if len(payload) == 0 {
			return p, ErrShort
		}
		p.Segments = payload
	case Both:
		if len(payload) < bothSize {
			return p, ErrShort
		}
		n := int(binary.LittleEndian.Uint16(payload))
		if payload = payload[bothSize:]; n == 0 {
			return p, ErrMalformed
		} else if n > len(payload) {
			return p, ErrShort
		}
		p.Segments, p.Datagram = payload[:n:n], payload[n:]
	case Close:
		if len(payload) < 1 {
			return p, ErrShort
		}
		if len(payload) > 1+transport.MaxReason {
			return p, ErrLong
		}
		p.Reason = payload
	default:
		return p, ErrKind
	}
	return p, nil
}

func zero(b []byte) bool {
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}
