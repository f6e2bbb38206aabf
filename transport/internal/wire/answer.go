package wire

import (
	"encoding/binary"

	"github.com/tendonengine/tendon/transport"
)

// An AcceptMessage is the ACCEPT that tells a client that it is let in, and the id
// of its connection.
//
//	0   u8    kind Accept, from the listener
//	1   u16   version
//	3   u64   attempt, from the HELLO
//	11  u32   connection id, not 0
type AcceptMessage struct {
	Attempt uint64
	ID      uint32
}

const acceptSize = 15

func (m AcceptMessage) Append(b []byte) []byte {
	b = append(b, First(Accept, true))
	b = binary.LittleEndian.AppendUint16(b, Version)
	b = binary.LittleEndian.AppendUint64(b, m.Attempt)
	return binary.LittleEndian.AppendUint32(b, m.ID)
}

// ParseAccept reads an ACCEPT.
func ParseAccept(b []byte) (m AcceptMessage, err error) {
	switch {
	case len(b) < acceptSize:
		return m, ErrShort
	case len(b) > acceptSize:
		return m, ErrLong
	case b[0] != First(Accept, true):
		return m, ErrKind
	case binary.LittleEndian.Uint16(b[1:]) != Version:
		return m, ErrVersion
	}
	m.Attempt = binary.LittleEndian.Uint64(b[3:])
	if m.ID = binary.LittleEndian.Uint32(b[11:]); m.ID == 0 {
		return m, ErrMalformed
	}
	return m, nil
}

// Asked returns the attempt that an ACCEPT or REFUSE answers, without parsing the
// rest; false if the size fits neither.
func Asked(b []byte) (attempt uint64, ok bool) {
	if len(b) < refuseFixed || len(b) > refuseFixed+transport.MaxDigest {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b[3:]), true
}

// A Reason is why a client is refused.
type Reason uint8

const (
	OtherVersion Reason = 1 // RefuseMessage.Version is the listener's
	OtherGame    Reason = 2 // detail: the game's name
	OtherSchema  Reason = 3 // detail: the schema's digest
	Full         Reason = 4
)

// A RefuseMessage is the REFUSE that tells a client why it is not let in. Its layout
// is the same in every version, so that a client of another version can read it.
//
//	0   u8     kind Refuse, from the listener
//	1   u16    version of the side that refuses
//	3   u64    attempt, from the HELLO
//	11  u8     reason
//	12  u16    length of the detail, then its bytes: at most 1,000
type RefuseMessage struct {
	Version uint16
	Attempt uint64
	Reason  Reason
	Detail  []byte
}

const refuseFixed = 14

func (m RefuseMessage) Append(b []byte) []byte {
	b = append(b, First(Refuse, true))
	b = binary.LittleEndian.AppendUint16(b, m.Version)
	b = binary.LittleEndian.AppendUint64(b, m.Attempt)
	b = append(b, byte(m.Reason))
	b = binary.LittleEndian.AppendUint16(b, uint16(len(m.Detail)))
	return append(b, m.Detail...)
}

// ParseRefuse reads a REFUSE of any version. An unknown reason is not an error:
// newer programs may have more reasons.
func ParseRefuse(b []byte) (m RefuseMessage, err error) {
	switch {
	case len(b) < refuseFixed:
		return m, ErrShort
	case b[0] != First(Refuse, true):
		return m, ErrKind
	}
	m.Version = binary.LittleEndian.Uint16(b[1:])
	m.Attempt = binary.LittleEndian.Uint64(b[3:])
	m.Reason = Reason(b[11])
	n := int(binary.LittleEndian.Uint16(b[12:]))
	switch {
	case n > transport.MaxDigest || len(b) > refuseFixed+n:
		return m, ErrLong
	case len(b) < refuseFixed+n:
		return m, ErrShort
	}
	m.Detail = b[refuseFixed:]
	return m, nil
}
