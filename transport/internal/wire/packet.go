// Package wire is the layout of an endpoint's packets. Each message's layout is in
// the comment of its struct, with its Append and Parse functions below. All numbers
// are little-endian. docs/spec-transport.md has the same layouts for implementers
// of other programs.
package wire

import (
	"encoding/binary"
	"errors"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/mtu"
	"github.com/tendonengine/tendon/transport/internal/seal"
)

// Version is the version of all that two endpoints say to each other: the handshake, every
// layout in this package, and the state stream inside. Each change of SPEC.md that an older
// build would not understand raises it, so that the two refuse each other and say why.
// docs.TestVersionIsRaised sees changes of the vectors.
const Version = 16

// A Kind is the low four bits of a packet's first byte.
type Kind uint8

const (
	Hello     Kind = 1  // handshake: the client asks for a cookie
	Challenge Kind = 2  // handshake: the listener gives it, and its key
	Init      Kind = 3  // handshake: the client asks to be let in
	Accept    Kind = 4  // handshake: the listener lets it in
	Refuse    Kind = 5  // handshake: the listener has another version
	Deny      Kind = 6  // handshake: the listener does not let it in, sealed
	Reset     Kind = 7  // the client asks whether its connection is known, and the listener says that it is not
	Keepalive Kind = 8  // this and the following are sealed packets; no payload
	Datagram  Kind = 9  // payload: a datagram
	Lane      Kind = 10 // payload: segments of the reliable lane
	Both      Kind = 11 // payload: u16 length of the segments, the segments, a datagram
	Close     Kind = 12 // payload: cause and reason, see closing.go
	Control   Kind = 13 // payload: what endpoints tell each other, see control.go
	Part      Kind = 14 // payload: a part of a packet that is longer than its path carries, see package mtu
	Query     Kind = 15 // not sealed: for games on the local network, and the answer, see query.go
)

// The bits of a first byte. The two highest are 10 in every packet: so a socket can be
// shared with STUN, DTLS, TURN and QUIC, whose first bytes are all others (RFC 7983 and
// 9443).
const (
	mark         = 0x80
	markBits     = 0xc0
	FromListener = 0x20 // the direction: a packet that is reflected to its sender is not valid there
	keyPhase     = 0x10 // reserved for a change of keys: zero
	kindBits     = 0x0f
)

// Sizes of a sealed packet's parts. A client names its connection, of which a listener has
// many; the listener does not, because a client's socket has one.
const (
	HeaderUp   = 1 + 2 + 2
	HeaderDown = 1 + 2
	bothSize   = 2 // the length inside Both
)

var (
	ErrShort     = errors.New("wire: a packet is cut short")
	ErrLong      = errors.New("wire: a packet is too long")
	ErrKind      = errors.New("wire: a packet of unknown kind")
	ErrReserved  = errors.New("wire: reserved bits are not zero")
	ErrMalformed = errors.New("wire: a packet contradicts itself")
	ErrVersion   = errors.New("wire: another version")
)

// First returns a packet's first byte.
func First(k Kind, fromListener bool) byte {
	if fromListener {
		return mark | FromListener | byte(k)
	}
	return mark | byte(k)
}

// Split splits a first byte into the kind and the direction. ok is false for a byte that no
// packet of this protocol begins with.
func Split(first byte) (k Kind, fromListener, ok bool) {
	k = Kind(first & kindBits)
	return k, first&FromListener != 0, first&markBits == mark && first&keyPhase == 0 && k >= Hello && k <= Query
}

// Sealed reports whether packets of a kind have the form of Packet.
func (k Kind) Sealed() bool { return k >= Keepalive && k != Query }

// A Header is the legible part of a sealed packet.
//
//	0   u8    kind, and the direction's bit
//	1   u16   connection id, chosen by the listener, never 0: in packets from a client only
//	    u16   the low 16 bits of the sequence number, which counts from 1 in each direction
//	          the sealed payload and its tag of 16 bytes
type Header struct {
	Kind         Kind
	FromListener bool
	ID           uint16 // 0 if FromListener
	Seq          uint16
}

// Size is the bytes of the header.
func (h Header) Size() int { return HeaderSize(h.FromListener) }

// HeaderSize is the bytes of a direction's headers.
func HeaderSize(fromListener bool) int {
	if fromListener {
		return HeaderDown
	}
	return HeaderUp
}

// Begin appends the header of a packet whose payload follows; seal.Cipher.Seal ends it.
func Begin(b []byte, k Kind, fromListener bool, id uint16, seq uint64) []byte {
	b = append(b, First(k, fromListener))
	if !fromListener {
		b = binary.LittleEndian.AppendUint16(b, id)
	}
	return binary.LittleEndian.AppendUint16(b, uint16(seq))
}

// ParseHeader reads the header of a sealed packet.
func ParseHeader(b []byte) (h Header, err error) {
	if len(b) == 0 {
		return h, ErrShort
	}
	var ok bool
	if h.Kind, h.FromListener, ok = Split(b[0]); !ok || !h.Kind.Sealed() {
		return h, ErrKind
	}
	switch {
	case len(b) < h.Size()+seal.TagSize:
		return h, ErrShort
	case len(b) > transport.MaxPacket:
		return h, ErrLong
	}
	if !h.FromListener {
		if h.ID = binary.LittleEndian.Uint16(b[1:]); h.ID == 0 {
			return h, ErrMalformed
		}
	}
	h.Seq = binary.LittleEndian.Uint16(b[h.Size()-2:])
	return h, nil
}

// A Packet is the opened payload of a sealed packet.
type Packet struct {
	Kind     Kind
	Segments []byte // of the reliable lane: Lane, Both
	Datagram []byte // Datagram, Both
	Reason   []byte // Close: see ParseReason
	Control  []byte // Control: see ParseControl
	Part     []byte // Part: see package mtu
}

// ParsePayload reads a payload. The slices of the result point into b.
func ParsePayload(k Kind, b []byte) (p Packet, err error) {
	p.Kind = k
	switch k {
	case Keepalive:
		if len(b) != 0 {
			return p, ErrMalformed
		}
	case Datagram:
		p.Datagram = b
	case Lane:
		if len(b) == 0 {
			return p, ErrShort
		}
		p.Segments = b
	case Both:
		if len(b) < bothSize {
			return p, ErrShort
		}
		n := int(binary.LittleEndian.Uint16(b))
		if b = b[bothSize:]; n == 0 {
			return p, ErrMalformed
		} else if n > len(b) {
			return p, ErrShort
		}
		p.Segments, p.Datagram = b[:n:n], b[n:]
	case Close:
		if len(b) < 1 {
			return p, ErrShort
		}
		if len(b) > 1+transport.MaxReason {
			return p, ErrLong
		}
		p.Reason = b
	case Control:
		if len(b) < 1 {
			return p, ErrShort
		}
		p.Control = b
	case Part:
		if len(b) <= mtu.PartHeader {
			return p, ErrShort
		}
		p.Part = b
	default:
		return p, ErrKind
	}
	return p, nil
}

func zero(b []byte) bool {
	for ; len(b) >= 8; b = b[8:] {
		if binary.LittleEndian.Uint64(b) != 0 {
			return false
		}
	}
	for _, v := range b {
		if v != 0 {
			return false
		}
	}
	return true
}
