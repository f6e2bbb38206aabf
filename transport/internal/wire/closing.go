package wire

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tendonengine/tendon/transport"
)

// A Cause is the first byte of a Close packet's payload. The reason follows: text in
// UTF-8, at most 200 bytes.
type Cause uint8

const (
	Ended   Cause = 0 // the sender leaves, or the session ends
	Kicked  Cause = 1 // the sender removes the receiver
	Broken  Cause = 2 // the sender cannot read what the receiver sends
	Unheard Cause = 3 // the sender has heard nothing from the receiver for too long
	Crowded Cause = 4 // the receiver, on its way in, gives its place to another
)

// AppendReason appends a Close packet's payload. It cuts a reason that is too long.
func AppendReason(b []byte, c Cause, reason string) []byte {
	return append(append(b, byte(c)), CutText(reason)...)
}

// CutText cuts a text that is longer than transport.MaxReason bytes, between two runes.
func CutText(reason string) []byte {
	if n := transport.MaxReason; len(reason) > n {
		for n > transport.MaxReason-utf8.UTFMax && !utf8.RuneStart(reason[n]) {
			n--
		}
		reason = reason[:n]
	}
	return []byte(reason)
}

// ParseReason splits Packet.Reason into the cause and the reason as legible text.
func ParseReason(b []byte) (c Cause, reason string) {
	if len(b) == 0 {
		return Ended, ""
	}
	return Cause(b[0]), Legible(string(b[1:]))
}

// Legible makes a peer's text safe to show to people. It replaces every character
// that is not graphic, such as control characters and those that change the
// direction or the place of the text around them.
func Legible(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsGraphic(r) {
			return r
		}
		return utf8.RuneError
	}, s)
}
