package ecs

// key: what identifies a client in the handshake, so that the server knows it again when
// it comes back.

import (
	"crypto/rand"
	"errors"
)

// A clientKey belongs to one Replication, made once: a client that sends it gets the seat
// that was kept for it. Until packets are sealed, anyone who overhears the key can take
// the seat.
type clientKey [keySize]byte

func newClientKey() (k clientKey) {
	rand.Read(k[:]) // never fails: it ends the program instead
	return k
}

var errHello = errors.New("the client says no key in its hello: it must be 16 bytes, not all zero, ahead of Config.Hello")

// appendHello puts the key in front of Config.Hello.
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
