package wire

// The payload of Control packets: what two endpoints tell each other about their
// connection, beside the game's data.

import "github.com/tendonengine/tendon/transport/internal/seal"

// A ControlType is the first byte of the payload. A receiver ignores a type that it does
// not know.
type ControlType uint8

const (
	PathChallenge ControlType = 1 // from the listener: 8 bytes to return, 16 the token of a RESET at this address
	PathResponse  ControlType = 2 // from a client, who got a PathChallenge: the 8 bytes
	Farewell      ControlType = 3 // the Close packet has arrived
)

// PathData is what a PathChallenge asks to return.
type PathData [8]byte

// A ControlMessage is a Control packet's payload.
type ControlMessage struct {
	Type  ControlType
	Data  PathData             // PathChallenge, PathResponse
	Reset [seal.ResetSize]byte // PathChallenge
}

func (m ControlMessage) Append(b []byte) []byte {
	b = append(b, byte(m.Type))
	switch m.Type {
	case PathChallenge:
		b = append(append(b, m.Data[:]...), m.Reset[:]...)
	case PathResponse:
		b = append(b, m.Data[:]...)
	}
	return b
}

// ParseControl reads a Control packet's payload.
func ParseControl(b []byte) (m ControlMessage, err error) {
	if len(b) == 0 {
		return m, ErrShort
	}
	m.Type, b = ControlType(b[0]), b[1:]
	want := 0
	switch m.Type {
	case PathChallenge:
		want = len(m.Data) + len(m.Reset)
	case PathResponse:
		want = len(m.Data)
	case Farewell:
	default:
		return m, ErrKind
	}
	switch {
	case len(b) < want:
		return m, ErrShort
	case len(b) > want:
		return m, ErrLong
	}
	if want > 0 {
		copy(m.Data[:], b)
		copy(m.Reset[:], b[len(m.Data):])
	}
	return m, nil
}
