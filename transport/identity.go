package transport

import "encoding/base32"

// An Identity is who a client has proven to be, for bans and saved games. It is a text that
// stays the same: "key:" and the client's public key for this server in base 32, or "sub:"
// and the subject of its connect token. A key is one that the client has made: to ban it
// stops a player only as long as he makes no other. A subject is whom the matchmaker means.
// The empty Identity is nobody's.
type Identity string

// IdentityOfKey is the identity of a client without a connect token.
func IdentityOfKey(public [32]byte) Identity {
	return Identity("key:" + base32.HexEncoding.WithPadding(base32.NoPadding).EncodeToString(public[:]))
}

// IdentityOfSubject is the identity of a client with a connect token about this subject.
func IdentityOfSubject(subject string) Identity { return Identity("sub:" + subject) }
