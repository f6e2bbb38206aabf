package sessionmsg

// hello: what identifies a client in the handshake, so that the server knows it again when
// it comes back.

import (
	"crypto/rand"
	"errors"
)

// A Key belongs to one Replication, made once: a client that sends it gets the seat
// that was kept for it. Until packets are sealed, anyone who overhears the key can take
// the seat.
type Key [KeySize]byte

// NewKey makes a key at random.
func NewKey() (k Key) {
	rand.Read(k[:]) // never fails: it ends the program instead
	return k
}

var errHello = errors.New("the client says no key in its hello: it must be 16 bytes, not all zero, ahead of Config.Hello")

// AppendHello puts the key in front of Config.Hello.
//
//	key 16, Config.Hello (to the end, at most 496 bytes)
func AppendHello(b []byte, k Key, hello []byte) []byte {
	return append(append(b, k[:]...), hello...)
}

// ParseHello returns the key and what follows it.
func ParseHello(b []byte) (k Key, hello []byte, err error) {
	if len(b) < KeySize {
		return k, nil, errHello
	}
	if copy(k[:], b); k == (Key{}) {
		return k, nil, errHello
	}
	return k, b[KeySize:], nil
}
