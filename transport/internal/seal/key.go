package seal

// Key pairs, and the keys that are derived from them.

import (
	"bytes"
	"crypto/ecdh"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"io"
)

// A Key is 32 bytes: a public or private key of X25519, a shared secret, or the key of a
// cipher.
type Key [32]byte

// A Pair is an X25519 key pair.
type Pair struct {
	private *ecdh.PrivateKey
	public  Key
}

// NewPair makes a key pair from 32 bytes of random, which nobody may guess.
func NewPair(random io.Reader) (*Pair, error) {
	var k Key
	if _, err := io.ReadFull(random, k[:]); err != nil {
		return nil, err
	}
	return PairOf(k), nil
}

// PairOf is the pair of a private key, which may be any 32 bytes.
func PairOf(private Key) *Pair {
	p, err := ecdh.X25519().NewPrivateKey(private[:])
	if err != nil {
		panic("seal: X25519 takes any 32 bytes: " + err.Error())
	}
	return &Pair{private: p, public: Key(p.PublicKey().Bytes())}
}

// Public is the public key.
func (p *Pair) Public() Key { return p.public }

// Derive returns 32 bytes that follow from the private key and a purpose, and tell nothing
// of either.
func (p *Pair) Derive(purpose string) Key { return derive(p.private.Bytes(), nil, purpose) }

// ClientPair is the pair that a client with this master key shows to one server. Two
// servers cannot tell from the keys they see whether they have the same player.
func ClientPair(master, server Key) *Pair {
	return PairOf(derive(master[:], server[:], "tendon client key"))
}

// SecretKey is the pre-shared key of a join secret; an empty secret gives the zero key,
// which stands for none.
func SecretKey(secret []byte) Key {
	if len(secret) == 0 {
		return Key{}
	}
	return derive(secret, nil, "tendon join secret")
}

func derive(secret, salt []byte, info string) Key {
	b, err := hkdf.Key(sha256.New, secret, salt, info, len(Key{}))
	if err != nil {
		panic("seal: " + err.Error()) // 32 bytes are never too many
	}
	return Key(b)
}

// A diffieHellman is what flynn/noise needs of X25519. It keeps the parsed keys of one
// handshake: flynn/noise passes them as bytes, and to parse them is half of the work.
type diffieHellman struct {
	pairs  [2]*Pair // the static and the ephemeral one
	random io.Reader
	first  Key // the first result: of the ephemeral and the listener's static key
	done   int // results so far
}

func (d *diffieHellman) DHLen() int     { return len(Key{}) }
func (d *diffieHellman) DHName() string { return "25519" }

func (d *diffieHellman) find(private []byte) (*Pair, error) {
	for _, p := range d.pairs {
		if p != nil && bytes.Equal(p.public[:], private) {
			return p, nil
		}
	}
	return nil, errors.New("seal: a key that the handshake does not have")
}

// DH returns the shared secret. A public key of small order, which has none, gives random
// bytes: so the message fails as any forged one does, and flynn/noise restores its state,
// which it would not after an error of this method.
func (d *diffieHellman) DH(private, public []byte) ([]byte, error) {
	p, err := d.find(private)
	if err != nil {
		return nil, err
	}
	shared := make([]byte, len(Key{}))
	remote, err := ecdh.X25519().NewPublicKey(public)
	if err == nil {
		var s []byte
		if s, err = p.private.ECDH(remote); err == nil {
			copy(shared, s)
		}
	}
	if err != nil {
		if _, err := io.ReadFull(d.random, shared); err != nil {
			return nil, err
		}
	}
	if d.done == 0 {
		copy(d.first[:], shared)
	}
	d.done++
	return shared, nil
}
