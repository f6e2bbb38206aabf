// Package token is connect tokens: short statements by which a matchmaker tells a game
// server who a client is, and until when it may join. The matchmaker signs them with
// Ed25519; the server needs its public key and no connection to it.
//
//	public, private, _ := ed25519.GenerateKey(nil)               // once
//	t, err := token.Sign(private, token.Token{Subject: "ann", Expires: time.Now().Add(time.Minute)})
//	l, err := kcp.Listen(":7777", kcp.WithTokens(public))        // the game server
//	d := kcp.Dialer(join, kcp.WithToken(t))                      // the client
package token

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"time"
	"unicode/utf8"
)

// A Token is what a matchmaker says. Times count in whole seconds.
type Token struct {
	Subject   string     // whom it is about, 1 to 64 bytes of UTF-8: the client's Identity follows from it
	NotBefore time.Time  // zero: from now on
	Expires   time.Time  // the client must have asked by then; it may play on after that
	Servers   [][32]byte // public keys of the servers where it is good, at most 4; none: of each that trusts the signer
	Client    [32]byte   // public key of the client that may use it (kcp.Key.For); zero: the first that does
	ID        [16]byte   // zero: Sign makes one at random
}

const (
	version     = 1
	fixed       = 1 + 16 + 8 + 8 + 1
	maxServers  = 4
	maxSubject  = 64
	hasClient   = 1
	context     = "tendon connect token 1\x00"
	signatureAt = ed25519.SignatureSize
)

// Sign makes a token in the form that clients pass to kcp.WithToken. It fails for a token
// that is out of its limits.
func Sign(key ed25519.PrivateKey, t Token) (string, error) {
	switch {
	case len(key) != ed25519.PrivateKeySize:
		return "", fmt.Errorf("token: a private key has %d bytes, not %d", len(key), ed25519.PrivateKeySize)
	case t.Subject == "" || len(t.Subject) > maxSubject || !utf8.ValidString(t.Subject):
		return "", fmt.Errorf("token: the subject %q has %d bytes; give 1 to %d of UTF-8", t.Subject, len(t.Subject), maxSubject)
	case len(t.Servers) > maxServers:
		return "", fmt.Errorf("token: %d servers; at most %d fit, or give none for all that trust the signer", len(t.Servers), maxServers)
	case t.Expires.IsZero() || !t.Expires.After(t.NotBefore):
		return "", fmt.Errorf("token: it would expire before it begins; set Expires after NotBefore")
	}
	if t.ID == ([16]byte{}) {
		rand.Read(t.ID[:]) // never fails: it ends the program instead
	}
	b := t.append(nil)
	b = append(b, ed25519.Sign(key, append([]byte(context), b...))...)
	return base64.RawURLEncoding.EncodeToString(b), nil
}

// append writes what is signed.
//
//	0   u8   version 1
//	1   16   id
//	17  i64  not before, seconds since 1970
//	25  i64  expires
//	33  u8   bit 0: a client's key follows; the rest zero
//	    32   the client's public key
//	    u8   servers, at most 4, then 32 bytes of each
//	    u8   length of the subject, 1 to 64, then its bytes
func (t Token) append(b []byte) []byte {
	b = append(append(b, version), t.ID[:]...)
	begin := int64(0)
	if !t.NotBefore.IsZero() {
		begin = t.NotBefore.Unix()
	}
	b = binary.LittleEndian.AppendUint64(b, uint64(begin))
	b = binary.LittleEndian.AppendUint64(b, uint64(t.Expires.Unix()))
	if t.Client == ([32]byte{}) {
		b = append(b, 0)
	} else {
		b = append(append(b, hasClient), t.Client[:]...)
	}
	b = append(b, byte(len(t.Servers)))
	for _, s := range t.Servers {
		b = append(b, s[:]...)
	}
	return append(append(b, byte(len(t.Subject))), t.Subject...)
}

// Bytes decodes the form that Sign returns, for a handshake. It does not check the token:
// only the server can.
func Bytes(s string) ([]byte, error) {
	b, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil || len(b) < fixed+2+signatureAt {
		return nil, fmt.Errorf("token: %.20q is no connect token: it is cut short or was changed", s)
	}
	return b, nil
}

// parse reads a token without its signature.
func parse(b []byte) (t Token, ok bool) {
	if len(b) < fixed || b[0] != version || b[fixed-1]&^hasClient != 0 {
		return t, false
	}
	copy(t.ID[:], b[1:])
	if begin := int64(binary.LittleEndian.Uint64(b[17:])); begin != 0 {
		t.NotBefore = time.Unix(begin, 0)
	}
	t.Expires = time.Unix(int64(binary.LittleEndian.Uint64(b[25:])), 0)
	flags, b := b[fixed-1], b[fixed:]
	if flags&hasClient != 0 {
		if len(b) < 32 {
			return t, false
		}
		b = b[copy(t.Client[:], b):]
	}
	if len(b) == 0 || b[0] > maxServers || len(b) < 1+32*int(b[0]) {
		return t, false
	}
	n, b := int(b[0]), b[1:]
	for range n {
		t.Servers, b = append(t.Servers, [32]byte(b)), b[32:]
	}
	if len(b) < 2 || b[0] > maxSubject || len(b) != 1+int(b[0]) || !utf8.Valid(b[1:]) {
		return t, false
	}
	t.Subject = string(b[1:])
	return t, true
}
