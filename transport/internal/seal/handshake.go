package seal

// The handshake: Noise_IKpsk1_25519_ChaChaPoly_BLAKE2s in two messages.

import (
	"crypto/rand"
	"errors"
	"io"

	"github.com/flynn/noise"
	"golang.org/x/crypto/blake2s"
)

// Sizes of the two messages without their payloads.
const (
	Message1Size = 32 + 32 + TagSize + TagSize // ephemeral key, sealed static key, the payload's tag
	Message2Size = 32 + TagSize
)

var (
	// ErrForged is of bytes that the other end has not sealed, or not for this handshake.
	ErrForged = errors.New("seal: the authentication fails")
	// ErrSecret is of a first message by a client that knows this end's key but has
	// another join secret, or of one that was spoiled behind the client's key.
	ErrSecret = errors.New("seal: another join secret")
)

// A Handshake is one end of a handshake. It is not safe for concurrent use.
type Handshake struct {
	state *noise.HandshakeState
	dh    *diffieHellman
	said  [blake2s.Size]byte // hash of message 1
}

// An Opening is what both ends put into a handshake.
type Opening struct {
	Ours     *Pair  // this end's static keys
	Prologue []byte // what both ends must have seen alike before
	Secret   Key    // SecretKey of the join secret
	Random   io.Reader
}

// Initiate begins a client's handshake with the listener that has the key theirs.
func Initiate(o Opening, theirs Key) (*Handshake, error) { return begin(o, theirs[:]) }

// Respond begins a listener's handshake.
func Respond(o Opening) (*Handshake, error) { return begin(o, nil) }

func begin(o Opening, theirs []byte) (*Handshake, error) {
	if o.Random == nil {
		o.Random = rand.Reader
	}
	d := &diffieHellman{pairs: [2]*Pair{o.Ours}, random: o.Random}
	state, err := noise.NewHandshakeState(noise.Config{
		CipherSuite: noise.NewCipherSuite(d, noise.CipherChaChaPoly, noise.HashBLAKE2s),
		Random:      o.Random, Pattern: noise.HandshakeIK, Initiator: theirs != nil, Prologue: o.Prologue,
		PresharedKey: o.Secret[:], PresharedKeyPlacement: 1,
		// Private keys stay in d. It finds them by their public ones.
		StaticKeypair: noise.DHKey{Private: o.Ours.public[:], Public: o.Ours.public[:]}, PeerStatic: theirs,
	})
	if err != nil {
		return nil, err
	}
	return &Handshake{state: state, dh: d}, nil
}

// GenerateKeypair makes the ephemeral pair, for flynn/noise.
func (d *diffieHellman) GenerateKeypair(random io.Reader) (noise.DHKey, error) {
	p, err := NewPair(random)
	if err != nil {
		return noise.DHKey{}, err
	}
	d.pairs[1] = p
	return noise.DHKey{Private: p.public[:], Public: p.public[:]}, nil
}

// Write1 is the client's message. Its payload is sealed for the listener.
func (h *Handshake) Write1(payload []byte) ([]byte, error) {
	b, _, _, err := h.state.WriteMessage(nil, payload)
	h.said = blake2s.Sum256(b)
	return b, err
}

// Read1 reads the client's message at the listener. The error is ErrForged or ErrSecret.
func (h *Handshake) Read1(b []byte) (payload []byte, client Key, err error) {
	h.said = blake2s.Sum256(b)
	payload, _, _, err = h.state.ReadMessage(nil, b)
	switch {
	case err == nil:
		return payload, Key(h.state.PeerStatic()), nil
	case h.dh.done >= 2: // the client's static key could be read, so only the secret is left
		return nil, client, ErrSecret
	}
	return nil, client, ErrForged
}

// Write2 is the listener's answer, with the ciphers of the connection.
func (h *Handshake) Write2(payload []byte) (b []byte, c Ciphers, err error) {
	b, in, out, err := h.state.WriteMessage(nil, payload)
	if err != nil {
		return nil, c, err
	}
	return b, ciphers(in.UnsafeKey(), out.UnsafeKey()), nil
}

// Read2 reads the listener's answer at the client. After ErrForged it may be called again.
func (h *Handshake) Read2(b []byte) (payload []byte, c Ciphers, err error) {
	payload, out, in, err := h.state.ReadMessage(nil, b)
	if err != nil {
		return nil, c, ErrForged
	}
	return payload, ciphers(in.UnsafeKey(), out.UnsafeKey()), nil
}

// Denial is a cipher for the listener's refusal, which may be the answer to a first message
// that it cannot read whole. Only the two ends of this handshake have it, and it opens
// nothing but answers to this very message. Each refusal needs a nonce of its own.
func (h *Handshake) Denial() Cipher {
	return NewCipher(derive(h.dh.first[:], h.said[:], "tendon refusal"))
}
