package wire

// What a listener answers: CHALLENGE, ACCEPT, the two refusals, RESET; and the SEEK that asks
// for the last.

import (
	"encoding/binary"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
)

// A ChallengeMessage is the CHALLENGE that answers a HELLO. It costs the listener no
// memory.
//
//	0   u8    kind Challenge, from the listener
//	1   u64   attempt, from the HELLO
//	9   20    cookie
//	29  32    the listener's public key
//	61  u8    bit 0: it asks for a join secret; bit 1: for a connect token; bit 2: it answers an
//	          INIT, because others of the same address are on their way in; the rest zero
type ChallengeMessage struct {
	Attempt     uint64
	Cookie      [seal.CookieSize]byte
	Key         seal.Key
	WantsSecret bool
	WantsToken  bool
	Busy        bool
}

const challengeSize = 62

func (m ChallengeMessage) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, First(Challenge, true)), m.Attempt)
	b = append(append(b, m.Cookie[:]...), m.Key[:]...)
	flags := byte(0)
	if m.WantsSecret {
		flags |= 1
	}
	if m.WantsToken {
		flags |= 2
	}
	if m.Busy {
		flags |= 4
	}
	return append(b, flags)
}

// ParseChallenge reads a CHALLENGE.
func ParseChallenge(b []byte) (m ChallengeMessage, err error) {
	if err := exactly(b, Challenge, challengeSize); err != nil {
		return m, err
	}
	m.Attempt = binary.LittleEndian.Uint64(b[1:])
	copy(m.Cookie[:], b[9:])
	copy(m.Key[:], b[29:])
	flags := b[61]
	if flags > 7 {
		return m, ErrReserved
	}
	m.WantsSecret, m.WantsToken, m.Busy = flags&1 != 0, flags&2 != 0, flags&4 != 0
	return m, nil
}

func exactly(b []byte, k Kind, size int) error {
	switch {
	case len(b) < size:
		return ErrShort
	case len(b) > size:
		return ErrLong
	case b[0] != First(k, true):
		return ErrKind
	}
	return nil
}

// An AcceptMessage is the ACCEPT that lets a client in.
//
//	0   u8    kind Accept, from the listener
//	1   u64   attempt, from the INIT
//	9   70    the second Noise message; its payload is a Grant
type AcceptMessage struct {
	Attempt uint64
	Noise   []byte
}

const acceptSize = 9 + seal.Message2Size + grantSize

func (m AcceptMessage) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, First(Accept, true)), m.Attempt)
	return append(b, m.Noise...)
}

// ParseAccept reads an ACCEPT.
func ParseAccept(b []byte) (m AcceptMessage, err error) {
	if err := exactly(b, Accept, acceptSize); err != nil {
		return m, err
	}
	return AcceptMessage{binary.LittleEndian.Uint64(b[1:]), b[9:]}, nil
}

// A Grant is the payload of the second Noise message.
//
//	0   u16   connection id, not 0
//	2   u64   number of the connection: random, said only by a SEEK
//	10  12    the token of a RESET for this connection
type Grant struct {
	ID     uint16
	Number uint64
	Reset  [seal.ResetSize]byte
}

const grantSize = 2 + 8 + seal.ResetSize

func (m Grant) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(b, m.ID)
	return append(binary.LittleEndian.AppendUint64(b, m.Number), m.Reset[:]...)
}

// ParseGrant reads a grant.
func ParseGrant(b []byte) (m Grant, err error) {
	switch {
	case len(b) < grantSize:
		return m, ErrShort
	case len(b) > grantSize:
		return m, ErrLong
	}
	if m.ID = binary.LittleEndian.Uint16(b); m.ID == 0 {
		return m, ErrMalformed
	}
	m.Number = binary.LittleEndian.Uint64(b[2:])
	copy(m.Reset[:], b[10:])
	return m, nil
}

// A RefuseMessage is the REFUSE by which a listener says that it has another version. Its
// layout is the same in every version. Anybody can forge it, so it is a hint.
//
//	0   u8     kind Refuse, from the listener
//	1   u16    version of the listener
//	3   u64    attempt, from the HELLO
type RefuseMessage struct {
	Version uint16
	Attempt uint64
}

const refuseSize = 11

func (m RefuseMessage) Append(b []byte) []byte {
	b = binary.LittleEndian.AppendUint16(append(b, First(Refuse, true)), m.Version)
	return binary.LittleEndian.AppendUint64(b, m.Attempt)
}

// ParseRefuse reads a REFUSE of any version.
func ParseRefuse(b []byte) (m RefuseMessage, err error) {
	if err := exactly(b, Refuse, refuseSize); err != nil {
		return m, err
	}
	return RefuseMessage{binary.LittleEndian.Uint16(b[1:]), binary.LittleEndian.Uint64(b[3:])}, nil
}

// A Reason is why a client is not let in.
type Reason uint8

const (
	OtherGame   Reason = 1 // detail: the game's name
	OtherSchema Reason = 2 // detail: the schema's digest, or nothing if the INIT was shorter
	Full        Reason = 3
	BadSecret   Reason = 4 // the client has another join secret than the listener, or one of them has none
	BadToken    Reason = 5 // detail: u8, what is wrong with it
	NotAdmitted Reason = 6 // detail: the game's reason, UTF-8
)

// A DenyMessage is the DENY that refuses a client, sealed for it alone.
//
//	0   u8     kind Deny, from the listener
//	1   u64    attempt, from the INIT
//	9   12     nonce: random
//	21  …      sealed: u8 reason, then the detail, at most 1,000 bytes; the bytes before are authenticated
type DenyMessage struct {
	Attempt uint64
	Reason  Reason
	Detail  []byte
}

// DenyFixed is the bytes of a DENY without the detail.
const (
	denyHeader = 9 + seal.NonceSize
	DenyFixed  = denyHeader + 1 + seal.TagSize
)

// Append writes the message, sealed.
func (m DenyMessage) Append(c seal.Cipher, nonce [seal.NonceSize]byte) []byte {
	b := binary.LittleEndian.AppendUint64([]byte{First(Deny, true)}, m.Attempt)
	b = append(b, nonce[:]...)
	return c.SealWith(b, nonce[:], b, append([]byte{byte(m.Reason)}, m.Detail...))
}

// DenyAttempt returns the attempt that a DENY answers; false if it is none.
func DenyAttempt(b []byte) (attempt uint64, ok bool) {
	if len(b) < DenyFixed || len(b) > DenyFixed+transport.MaxDigest || b[0] != First(Deny, true) {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b[1:]), true
}

// ParseDeny opens a DENY. An unknown reason is not an error.
func ParseDeny(b []byte, c seal.Cipher) (m DenyMessage, err error) {
	var ok bool
	if m.Attempt, ok = DenyAttempt(b); !ok {
		return m, ErrMalformed
	}
	in, ok := c.OpenWith(nil, b[9:denyHeader], b[:denyHeader], b[denyHeader:])
	if !ok {
		return m, seal.ErrForged
	}
	m.Reason, m.Detail = Reason(in[0]), in[1:]
	return m, nil
}

// A SeekMessage is the SEEK by which a client that hears nothing asks whether the listener
// knows its connection. It is padded with zeros to SeekSize. Its layout is the same in every
// version.
//
//	0   u8    kind Reset, from the client
//	1   u16   connection id
//	3   u64   number of the connection, from the ACCEPT
type SeekMessage struct {
	ID     uint16
	Number uint64
}

// SeekSize is so much that the answer is less than 0.15 of it.
const SeekSize = 7 * resetSize

func (m SeekMessage) Append(b []byte) []byte {
	n := len(b)
	b = binary.LittleEndian.AppendUint16(append(b, First(Reset, false)), m.ID)
	b = binary.LittleEndian.AppendUint64(b, m.Number)
	return append(b, make([]byte, SeekSize-(len(b)-n))...)
}

// ParseSeek reads a SEEK.
func ParseSeek(b []byte) (m SeekMessage, err error) {
	switch {
	case len(b) < SeekSize:
		return m, ErrShort
	case len(b) > SeekSize:
		return m, ErrLong
	case b[0] != First(Reset, false):
		return m, ErrKind
	case !zero(b[11:]):
		return m, ErrReserved
	}
	return SeekMessage{binary.LittleEndian.Uint16(b[1:]), binary.LittleEndian.Uint64(b[3:])}, nil
}

// A ResetMessage is the RESET by which a listener says that it does not know the connection
// of a SEEK. A client believes it if it has been given the token. Its layout is the same in
// every version.
//
//	0   u8    kind Reset, from the listener
//	1   12    token
type ResetMessage struct{ Token [seal.ResetSize]byte }

const resetSize = 1 + seal.ResetSize

func (m ResetMessage) Append(b []byte) []byte {
	return append(append(b, First(Reset, true)), m.Token[:]...)
}

// ParseReset reads a RESET.
func ParseReset(b []byte) (m ResetMessage, err error) {
	if err := exactly(b, Reset, resetSize); err != nil {
		return m, err
	}
	copy(m.Token[:], b[1:])
	return m, nil
}
