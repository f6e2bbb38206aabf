package kcp

// Join strings: all that a player needs to join, in one text to paste.

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/tendonengine/tendon/transport"
)

// A JoinString is what a join string says:
//
//	tendon1://192.168.1.5:7777/AaB3…
//
// The address stands there to be read. Behind it, in base 64 (RFC 4648, the alphabet for
// URLs, without padding), are fields and the first 4 bytes of the SHA-256 of "tendon1://",
// the address and the fields. A field is its type (1 byte), its length (1) and its bytes. So
// a string with one letter wrong joins nothing.
type JoinString struct {
	Address     string   // host:port
	Key         [32]byte // field 1: the server's public key
	Secret      []byte   // field 2: the join secret, 1 to 64 bytes; nil: none
	Fingerprint []byte   // field 3: of a certificate, for clients that need one; SHA-256, or nil
	Game        string   // field 4: its name; "" if it is not known
}

const (
	joinHead   = "tendon1://"
	joinScheme = "tendon"
	sumSize    = 4
	maxSecret  = 64
)

// String writes a join string.
func (j JoinString) String() string {
	var b []byte
	field := func(kind byte, v []byte) {
		if len(v) > 0 {
			b = append(append(b, kind, byte(len(v))), v...)
		}
	}
	field(1, j.Key[:])
	field(2, j.Secret)
	field(3, j.Fingerprint)
	field(4, []byte(j.Game))
	b = append(b, joinSum(j.Address, b)...)
	return joinHead + j.Address + "/" + base64.RawURLEncoding.EncodeToString(b)
}

func joinSum(address string, fields []byte) []byte {
	sum := sha256.Sum256(append([]byte(joinHead+address), fields...))
	return sum[:sumSize]
}

// isJoinString reports whether a text is meant as a join string: it is never taken for a
// bare address then, however it is spoiled.
func isJoinString(s string) bool { return strings.HasPrefix(s, joinScheme) && strings.Contains(s, "/") }

// ParseJoinString reads a join string. White space around it is ignored.
func ParseJoinString(s string) (j JoinString, err error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(s), joinHead)
	if !ok {
		return j, errors.New("kcp: that is no join string of this version: it begins with " + joinHead + "; ask for the server's newest, and use the same release of the game")
	}
	address, text, _ := strings.Cut(rest, "/")
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < sumSize || !bytes.Equal(joinSum(address, b[:len(b)-sumSize]), b[len(b)-sumSize:]) {
		return j, errors.New("kcp: the join string was cut short or changed on its way: paste it whole")
	}
	j.Address = address
	for b = b[:len(b)-sumSize]; len(b) > 0; {
		if len(b) < 2 || len(b) < 2+int(b[1]) {
			return j, errJoin
		}
		kind, v := b[0], b[2:2+int(b[1])]
		if b = b[2+len(v):]; !j.field(kind, v) {
			return j, errJoin
		}
	}
	if j.Key == ([32]byte{}) {
		return j, errJoin
	}
	return j, checkAddress(address)
}

var errJoin = errors.New("kcp: the join string says what this program does not understand: use the same release of the game")

// field takes one field. Types from 128 on may be ignored by who does not know them.
func (j *JoinString) field(kind byte, v []byte) bool {
	switch kind {
	case 1:
		return copy(j.Key[:], v) == len(j.Key) && len(v) == len(j.Key)
	case 2:
		j.Secret = bytes.Clone(v)
		return len(v) > 0 && len(v) <= maxSecret
	case 3:
		j.Fingerprint = bytes.Clone(v)
		return len(v) == sha256.Size
	case 4:
		j.Game = string(v)
		return len(v) > 0 && len(v) <= transport.MaxGame
	}
	return kind >= 128
}

// isFor returns an error if the join string is of another game than o.
func (j *JoinString) isFor(o transport.Offer) error {
	if j.Game != "" && j.Game != o.Game {
		return fmt.Errorf("%w: the join string is for %q, this program plays %q", transport.ErrGame, j.Game, o.Game)
	}
	return nil
}
