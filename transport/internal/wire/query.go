package wire

// The question for games on the local network, and its answer. Neither is sealed: both are
// for strangers.

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/tendonengine/tendon/transport"
)

// QuerySize is a QUERY's size; the answer is at most a seventh of it.
const QuerySize = 548

// A QueryMessage asks a listener for its game. It is padded with zeros to QuerySize.
//
//	0   u8    kind Query
//	1   u16   version
//	3   u64   nonce: random, returned
//	11  u64   FNV-1a hash of the game's name
type QueryMessage struct {
	Nonce    uint64
	GameHash uint64
}

func (m QueryMessage) Append(b []byte) []byte {
	n := len(b)
	b = append(b, First(Query, false))
	b = binary.LittleEndian.AppendUint16(b, Version)
	b = binary.LittleEndian.AppendUint64(b, m.Nonce)
	b = binary.LittleEndian.AppendUint64(b, m.GameHash)
	return append(b, make([]byte, QuerySize-(len(b)-n))...)
}

// ParseQuery reads a QUERY.
func ParseQuery(b []byte) (m QueryMessage, err error) {
	switch {
	case len(b) < QuerySize:
		return m, ErrShort
	case len(b) > QuerySize:
		return m, ErrLong
	case b[0] != First(Query, false):
		return m, ErrKind
	case binary.LittleEndian.Uint16(b[1:]) != Version:
		return m, ErrVersion
	case !zero(b[19:]):
		return m, ErrReserved
	}
	return QueryMessage{binary.LittleEndian.Uint64(b[3:]), binary.LittleEndian.Uint64(b[11:])}, nil
}

// HashGame is the FNV-1a hash of a game's name.
func HashGame(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name)) // never fails
	return h.Sum64()
}

// An InfoMessage answers a QUERY.
//
//	0   u8    kind Query, from the listener
//	1   u64   nonce, as asked
//	9   u16   players
//	11  u16   the most there may be
//	13  u8    bit 0: it has a join secret; bit 1: it wants a connect token
//	14  1+n   length (at most 40) and bytes of the title
type InfoMessage struct {
	Nonce         uint64
	Players, Most uint16
	Secret, Token bool
	Title         string
}

func (m InfoMessage) Append(b []byte) []byte {
	b = append(b, First(Query, true))
	b = binary.LittleEndian.AppendUint64(b, m.Nonce)
	b = binary.LittleEndian.AppendUint16(b, m.Players)
	b = binary.LittleEndian.AppendUint16(b, m.Most)
	flags := byte(0)
	if m.Secret {
		flags |= 1
	}
	if m.Token {
		flags |= 2
	}
	b = append(b, flags, byte(len(m.Title)))
	return append(b, m.Title...)
}

// ParseInfo reads the answer to a QUERY.
func ParseInfo(b []byte) (m InfoMessage, err error) {
	const head = 15
	switch {
	case len(b) < head || len(b) < head+int(b[14]):
		return m, ErrShort
	case len(b) > head+int(b[14]) || b[14] > transport.MaxTitle:
		return m, ErrLong
	case b[0] != First(Query, true):
		return m, ErrKind
	case b[13] > 3:
		return m, ErrReserved
	}
	m = InfoMessage{
		Nonce: binary.LittleEndian.Uint64(b[1:]), Players: binary.LittleEndian.Uint16(b[9:]), Most: binary.LittleEndian.Uint16(b[11:]),
		Secret: b[13]&1 != 0, Token: b[13]&2 != 0, Title: Legible(string(b[head:])),
	}
	return m, nil
}
