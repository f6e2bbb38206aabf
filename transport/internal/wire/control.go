package wire

// The payload of Control packets: what two endpoints tell each other about their
// connection, beside the game's data.

import "encoding/binary"

// A ControlType is the first byte of the payload. A receiver ignores a type that it does
// not know.
type ControlType uint8

const (
	PathChallenge ControlType = 1 // from the listener: 8 bytes to return
	PathResponse  ControlType = 2 // from a client, who got a PathChallenge: the 8 bytes
	Farewell      ControlType = 3 // the Close packet has arrived
	Probe         ControlType = 4 // u16 size of this packet, and zeros up to it: does the path carry that?
	ProbeCame     ControlType = 5 // u16 size of the Probe that has arrived
	Ask           ControlType = 6 // u16 low bits of a packet's number: has it arrived?
	Answer        ControlType = 7 // u16 as asked, u8 1 if it has, else 0
)

// PathData is what a PathChallenge asks to return.
type PathData [8]byte

// A ControlMessage is a Control packet's payload.
type ControlMessage struct {
	Type ControlType
	Data PathData // PathChallenge, PathResponse
	Size uint16   // Probe, ProbeCame
	Seq  uint16   // Ask, Answer
	Came bool     // Answer
	Pad  int      // Probe: zeros behind the rest; Append alone reads it
}

func (m ControlMessage) Append(b []byte) []byte {
	b = append(b, byte(m.Type))
	switch m.Type {
	case PathChallenge, PathResponse:
		b = append(b, m.Data[:]...)
	case Probe, ProbeCame:
		b = binary.LittleEndian.AppendUint16(b, m.Size)
		if m.Type == Probe {
			b = append(b, make([]byte, m.Pad)...)
		}
	case Ask, Answer:
		b = binary.LittleEndian.AppendUint16(b, m.Seq)
		if m.Type == Answer {
			came := byte(0)
			if m.Came {
				came = 1
			}
			b = append(b, came)
		}
	}
	return b
}

// parsePath reads the payload of those that are about the length of packets.
func (m *ControlMessage) parsePath(b []byte) error {
	switch {
	case len(b) < 2 || m.Type == Answer && len(b) < 3:
		return ErrShort
	case (m.Type == ProbeCame || m.Type == Ask) && len(b) > 2 || m.Type == Answer && len(b) > 3:
		return ErrLong
	}
	n := binary.LittleEndian.Uint16(b)
	switch m.Type {
	case Probe:
		m.Size, m.Pad = n, len(b)-2
		if !zero(b[2:]) {
			return ErrReserved
		}
	case ProbeCame:
		m.Size = n
	case Ask:
		m.Seq = n
	case Answer:
		m.Seq, m.Came = n, b[2] == 1
		if b[2] > 1 {
			return ErrReserved
		}
	}
	return nil
}

// ParseControl reads a Control packet's payload.
func ParseControl(b []byte) (m ControlMessage, err error) {
	if len(b) == 0 {
		return m, ErrShort
	}
	m.Type, b = ControlType(b[0]), b[1:]
	want := 0
	switch m.Type {
	case PathChallenge, PathResponse:
		want = len(m.Data)
	case Farewell:
	case Probe, ProbeCame, Ask, Answer:
		return m, m.parsePath(b)
	default:
		return m, ErrKind
	}
	switch {
	case len(b) < want:
		return m, ErrShort
	case len(b) > want:
		return m, ErrLong
	}
	copy(m.Data[:], b)
	return m, nil
}
