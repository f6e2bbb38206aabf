package wire

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/tendonengine/tendon/transport"
)

// A HelloMessage is the HELLO by which a client asks to be let in. It is always
// 1,200 bytes long, so that no answer is longer and a listener cannot be used to
// amplify traffic.
//
//	0     u8     kind Hello
//	1     u16    version
//	3     u64    attempt: chosen by the client, the same in all repeats
//	11    u64    hash of the game's name, FNV-1a
//	19    u64    hash of the schema
//	27    32     place of the cookie: zero
//	59    96     place of the first Noise message: zero
//	155   u8     length of the game's name, then its bytes: at most 64
//	      u16    length of Hello, then its bytes: at most 512
//	…1199        zero
type HelloMessage struct {
	Attempt  uint64
	GameHash uint64
	Schema   uint64
	Game     string // Append cuts it to transport.MaxGame bytes; GameHash is of the whole name
	Hello    []byte // transport.Offer.Hello
}

const (
	helloFixed  = 155
	cookieStart = 27
)

// HashGame is the hash of a game's name.
func HashGame(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}

// Append writes the message. Hello is at most transport.MaxHello bytes.
func (m HelloMessage) Append(b []byte) []byte {
	start := len(b)
	b = append(b, byte(Hello))
	b = binary.LittleEndian.AppendUint16(b, Version)
	b = binary.LittleEndian.AppendUint64(b, m.Attempt)
	b = binary.LittleEndian.AppendUint64(b, m.GameHash)
	b = binary.LittleEndian.AppendUint64(b, m.Schema)
	b = append(b, make([]byte, helloFixed-cookieStart)...)
	game := m.Game[:min(len(m.Game), transport.MaxGame)]
	b = append(b, byte(len(game)))
	b = append(b, game...)
	b = binary.LittleEndian.AppendUint16(b, uint16(len(m.Hello)))
	b = append(b, m.Hello...)
	return append(b, make([]byte, transport.MaxPacket-(len(b)-start))...)
}

// ParseHello reads a HELLO. With ErrVersion, only Attempt is set: it is at the same
// place in every version.
func ParseHello(b []byte) (m HelloMessage, err error) {
	switch {
	case len(b) < transport.MaxPacket:
		return m, ErrShort
	case len(b) > transport.MaxPacket:
		return m, ErrLong
	case b[0] != byte(Hello):
		return m, ErrKind
	}
	m.Attempt = binary.LittleEndian.Uint64(b[3:])
	if binary.LittleEndian.Uint16(b[1:]) != Version {
		return m, ErrVersion
	}
	m.GameHash = binary.LittleEndian.Uint64(b[11:])
	m.Schema = binary.LittleEndian.Uint64(b[19:])
	if !zero(b[cookieStart:helloFixed]) {
		return m, ErrReserved
	}
	n := int(b[helloFixed])
	if n > transport.MaxGame {
		return m, ErrLong
	}
	rest := b[helloFixed+1:]
	m.Game, rest = string(rest[:n]), rest[n:]
	n = int(binary.LittleEndian.Uint16(rest))
	if n > transport.MaxHello {
		return m, ErrLong
	}
	m.Hello, rest = rest[2:2+n:2+n], rest[2+n:]
	if !zero(rest) {
		return m, ErrReserved
	}
	return m, nil
}
