// Package seal is the cryptography of an endpoint: the handshake, the ciphers of packets,
// key pairs, and the proofs that cost a listener no memory (cookies and reset tokens).
// What the bytes mean is package wire's business.
package seal

// The cipher of packets.

import (
	"crypto/cipher"
	"encoding/binary"

	"golang.org/x/crypto/chacha20poly1305"
)

const (
	TagSize   = chacha20poly1305.Overhead
	NonceSize = chacha20poly1305.NonceSize
)

// Ciphers are those of one end of a connection.
type Ciphers struct{ In, Out Cipher }

func ciphers(in, out Key) Ciphers { return Ciphers{In: NewCipher(in), Out: NewCipher(out)} }

// A Cipher is ChaCha20-Poly1305 under one key. It is not safe for concurrent use: it keeps
// its nonce, so that sealing and opening allocate nothing.
type Cipher struct {
	aead  cipher.AEAD
	nonce *[NonceSize]byte
}

// NewCipher makes a cipher.
func NewCipher(k Key) Cipher {
	a, err := chacha20poly1305.New(k[:])
	if err != nil {
		panic("seal: " + err.Error()) // the key has the right size
	}
	return Cipher{a, new([NonceSize]byte)}
}

// Ready reports whether the cipher has a key.
func (c Cipher) Ready() bool { return c.aead != nil }

func (c Cipher) number(seq uint64) []byte {
	binary.LittleEndian.PutUint64(c.nonce[NonceSize-8:], seq) // the first four bytes are zero, as in Noise
	return c.nonce[:]
}

// Seal seals the packet b in place, whose first header bytes stay legible, and appends the
// tag. No two packets may have the same number.
func (c Cipher) Seal(b []byte, header int, seq uint64) []byte {
	return c.aead.Seal(b[:header], c.number(seq), b[header:], b[:header])
}

// Open appends the payload of a sealed packet to dst. If the packet is forged, ok is false
// and dst has its former length.
func (c Cipher) Open(dst, packet []byte, header int, seq uint64) (out []byte, ok bool) {
	out, err := c.aead.Open(dst, c.number(seq), packet[header:], packet[:header])
	if err != nil {
		return dst, false
	}
	return out, true
}

// SealWith and OpenWith take a whole nonce and what else is authenticated.
func (c Cipher) SealWith(dst, nonce, ad, b []byte) []byte { return c.aead.Seal(dst, nonce, b, ad) }

func (c Cipher) OpenWith(dst, nonce, ad, b []byte) ([]byte, bool) {
	out, err := c.aead.Open(dst, nonce, b, ad)
	return out, err == nil
}
