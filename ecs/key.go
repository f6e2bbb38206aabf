package ecs

// key: what a client says of itself in the handshake, so that it is known again
// when it comes back.

import (
	"crypto/rand"
	"errors"
)

// A clientKey is one Replication's, made once: a client that comes with it gets the seat
// that was kept for it. Until packets are sealed it can be overheard, and the
// seat be taken by who has.
type clientKey [keySize]byte

func newClientKey() (k clientKey) {
	rand.Read(k[:]) // never fails: it ends the program instead
	return k
}

var errHello = errors.New("the client says no key in its hello: it must be 16 bytes, not all zero, ahead of Config.Hello")

// appendHello wraps what the game says of itself.
//
//	key 16, Config.Hello (to the end, at most 496 bytes)
func appendHello(b []byte, k clientKey, hello []byte) []byte {
	return append(append(b, k[:]...), hello...)
}

func parseHello(b []byte) (k clientKey, hello []byte, err error) {
	if len(b) < keySize {
		return k, nil, errHello
	}
	if copy(k[:], b); k == (clientKey{}) {
		return k, nil, errHello
	}
	return k, b[keySize:], nil
}
