package wire

// What a client says to be let in: HELLO and INIT.

import (
	"encoding/binary"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
)

// MinInit is the size of a HELLO, and the least size of an INIT: what every path carries
// (576 bytes less the headers of IP and UDP), and more than six times the answer, so that
// a listener cannot be used to amplify traffic.
const MinInit = 548

// A HelloMessage is the HELLO by which a client asks for a cookie. Its first 11 bytes are
// the same in every version.
//
//	0     u8     kind Hello
//	1     u16    version
//	3     u64    attempt: chosen by the client at random, the same in all repeats
//	11…547       zero
type HelloMessage struct{ Attempt uint64 }

const helloFixed = 11

func (m HelloMessage) Append(b []byte) []byte {
	b = append(b, First(Hello, false))
	b = binary.LittleEndian.AppendUint16(b, Version)
	b = binary.LittleEndian.AppendUint64(b, m.Attempt)
	return append(b, make([]byte, MinInit-helloFixed)...)
}

// ParseHello reads a HELLO. With ErrVersion, only Attempt is set, and the size is at least
// MinInit.
func ParseHello(b []byte) (m HelloMessage, err error) {
	switch {
	case len(b) < MinInit:
		return m, ErrShort
	case len(b) > transport.MaxPacket:
		return m, ErrLong
	case b[0] != First(Hello, false):
		return m, ErrKind
	}
	m.Attempt = binary.LittleEndian.Uint64(b[3:])
	switch {
	case binary.LittleEndian.Uint16(b[1:]) != Version:
		return m, ErrVersion
	case len(b) > MinInit:
		return m, ErrLong
	case !zero(b[helloFixed:]):
		return m, ErrReserved
	}
	return m, nil
}

// An InitMessage is the INIT by which a client asks to be let in.
//
//	0     u8     kind Init
//	1     u16    version
//	3     u64    attempt, as in the HELLO
//	11    20     cookie, from the CHALLENGE
//	31    u16    length of the first Noise message, then its bytes; its payload is a Request
//	…            zero, up to at least 548 and at most 1,200 bytes
type InitMessage struct {
	Attempt uint64
	Cookie  [seal.CookieSize]byte
	Noise   []byte
}

const initFixed = 33

// InitSize is the least size of an INIT with a Noise message of n bytes.
func InitSize(n int) int { return max(MinInit, initFixed+n) }

// Append writes the message with size bytes, or the bytes that it needs if these are more.
func (m InitMessage) Append(b []byte, size int) []byte {
	start := len(b)
	b = append(b, First(Init, false))
	b = binary.LittleEndian.AppendUint16(b, Version)
	b = binary.LittleEndian.AppendUint64(b, m.Attempt)
	b = append(b, m.Cookie[:]...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(m.Noise)))
	b = append(b, m.Noise...)
	return append(b, make([]byte, max(0, size-(len(b)-start)))...)
}

// ParseInit reads an INIT.
func ParseInit(b []byte) (m InitMessage, err error) {
	switch {
	case len(b) < MinInit:
		return m, ErrShort
	case len(b) > transport.MaxPacket:
		return m, ErrLong
	case b[0] != First(Init, false):
		return m, ErrKind
	case binary.LittleEndian.Uint16(b[1:]) != Version:
		return m, ErrVersion
	}
	m.Attempt = binary.LittleEndian.Uint64(b[3:])
	copy(m.Cookie[:], b[11:])
	n, rest := int(binary.LittleEndian.Uint16(b[31:])), b[initFixed:]
	switch {
	case n < seal.Message1Size:
		return m, ErrMalformed
	case n > len(rest):
		return m, ErrShort
	case !zero(rest[n:]):
		return m, ErrReserved
	}
	m.Noise = rest[:n:n]
	return m, nil
}

// Prologue is what the two ends of a handshake bind it to.
func Prologue(attempt uint64) []byte {
	b := append([]byte("tendon"), byte(Version), byte(Version>>8))
	return binary.LittleEndian.AppendUint64(b, attempt)
}

// A Request is the payload of the first Noise message.
//
//	u8     length of the game's name, then its bytes: at most 64
//	u64    hash of the schema
//	u16    length of Hello, then its bytes: at most 512
//	u16    length of Token, then its bytes: at most 400; none: 0
type Request struct {
	Game   string // Append cuts it to transport.MaxGame bytes
	Schema uint64
	Hello  []byte // transport.Offer.Hello
	Token  []byte
}

// Append writes the request. Hello and Token are within their limits.
func (m Request) Append(b []byte) []byte {
	game := m.Game[:min(len(m.Game), transport.MaxGame)]
	b = append(append(b, byte(len(game))), game...)
	b = binary.LittleEndian.AppendUint64(b, m.Schema)
	b = append(binary.LittleEndian.AppendUint16(b, uint16(len(m.Hello))), m.Hello...)
	return append(binary.LittleEndian.AppendUint16(b, uint16(len(m.Token))), m.Token...)
}

// ParseRequest reads a request. Its slices point into b.
func ParseRequest(b []byte) (m Request, err error) {
	game, b, err := field(b, 1, transport.MaxGame)
	if err != nil {
		return m, err
	}
	m.Game = string(game)
	if len(b) < 8 {
		return m, ErrShort
	}
	m.Schema, b = binary.LittleEndian.Uint64(b), b[8:]
	if m.Hello, b, err = field(b, 2, transport.MaxHello); err != nil {
		return m, err
	}
	if m.Token, b, err = field(b, 2, transport.MaxToken); err == nil && len(b) > 0 {
		err = ErrLong
	}
	return m, err
}

// field reads a length of 1 or 2 bytes and as many bytes, at most limit.
func field(b []byte, size, limit int) (v, rest []byte, err error) {
	if len(b) < size {
		return nil, b, ErrShort
	}
	n := int(b[0])
	if size == 2 {
		n = int(binary.LittleEndian.Uint16(b))
	}
	switch b = b[size:]; {
	case n > limit:
		return nil, b, ErrLong
	case n > len(b):
		return nil, b, ErrShort
	}
	return b[:n:n], b[n:], nil
}
