package wire

import (
	"unicode/utf8"

	"github.com/tendonengine/tendon/transport"
)

// A Cause is the first byte of a Close packet's payload; the reason follows,
// UTF-8, at most 200 bytes.
type Cause uint8

const (
	Ended  Cause = 0 // the sender leaves, or the session ends
	Kicked Cause = 1 // the sender removes the receiver
	Broken Cause = 2 // the sender cannot read what the receiver sends
)

// AppendReason writes a Close packet's payload. A longer reason is cut.
func AppendReason(b []byte, c Cause, reason string) []byte {
	if len(reason) > transport.MaxReason {
		reason = reason[:transport.MaxReason]
		for len(reason) > 0 && !utf8.ValidString(reason) {
			reason = reason[:len(reason)-1]
		}
	}
	return append(append(b, byte(c)), reason...)
}

// ParseReason reads Packet.Reason. Bytes that are no text are replaced: the
// reason is shown to people.
func ParseReason(b []byte) (c Cause, reason string) {
	if len(b) == 0 {
		return Ended, ""
	}
	var clean []rune
	for _, r := range string(b[1:]) {
		if r < ' ' || r == 0x7f {
			r = utf8.RuneError
		}
		clean = append(clean, r)
	}
	return Cause(b[0]), string(clean)
}
