package token

// What a game server checks.

import (
	"crypto/ed25519"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// Why a server refuses a token. All wrap transport.ErrToken. The client is told the text.
var (
	ErrMissing = fmt.Errorf("%w: there is none, and this server asks for one", transport.ErrToken)
	ErrForged  = fmt.Errorf("%w: nobody whom this server trusts has signed it", transport.ErrToken)
	ErrEarly   = fmt.Errorf("%w: it is not valid yet", transport.ErrToken)
	ErrExpired = fmt.Errorf("%w: it has expired", transport.ErrToken)
	ErrServer  = fmt.Errorf("%w: it is for another server", transport.ErrToken)
	ErrClient  = fmt.Errorf("%w: it is for another client", transport.ErrToken)
	ErrUsed    = fmt.Errorf("%w: another client has used it", transport.ErrToken)
	ErrMany    = fmt.Errorf("%w: the server remembers as many used tokens as it can", transport.ErrToken)
)

// maxUsed is how many tokens a server remembers as used, until they expire: 4 MiB of them.
const maxUsed = 1 << 16

// A Checker checks the tokens that clients bring to one server. Any goroutine may call it.
type Checker struct {
	signers []ed25519.PublicKey
	server  [32]byte
	now     func() time.Time

	mu   sync.Mutex
	used map[[16]byte]use
}

// A use is which client has used a token, and how long that matters.
type use struct {
	client  [32]byte
	expires time.Time
}

// NewChecker makes a checker for the server with this public key, which trusts signers.
func NewChecker(server [32]byte, now func() time.Time, signers ...ed25519.PublicKey) (*Checker, error) {
	if len(signers) == 0 {
		return nil, fmt.Errorf("token: no signer is trusted, so nobody could join; give the matchmaker's public key")
	}
	for _, s := range signers {
		if len(s) != ed25519.PublicKeySize {
			return nil, fmt.Errorf("token: a signer's public key has %d bytes, not %d", len(s), ed25519.PublicKeySize)
		}
	}
	return &Checker{signers: signers, server: server, now: now, used: map[[16]byte]use{}}, nil
}

// Check returns whom the token is about, if the client with this public key may use it here
// and now. The client may use it again, also when it has lost its connection; another may
// not.
func (c *Checker) Check(b []byte, client [32]byte) (subject string, err error) {
	if len(b) == 0 {
		return "", ErrMissing
	}
	if len(b) < ed25519.SignatureSize || !c.signed(b) {
		return "", ErrForged
	}
	t, ok := parse(b[:len(b)-ed25519.SignatureSize])
	now := c.now()
	switch {
	case !ok:
		return "", ErrForged // by a signer that speaks another version
	case !t.NotBefore.IsZero() && now.Before(t.NotBefore):
		return "", ErrEarly
	case !now.Before(t.Expires):
		return "", ErrExpired
	case len(t.Servers) > 0 && !slices.Contains(t.Servers, c.server):
		return "", ErrServer
	case t.Client != [32]byte{} && t.Client != client:
		return "", ErrClient
	}
	return t.Subject, c.use(t, client, now)
}

func (c *Checker) signed(b []byte) bool {
	said, signature := b[:len(b)-ed25519.SignatureSize], b[len(b)-ed25519.SignatureSize:]
	said = append([]byte(context), said...)
	return slices.ContainsFunc(c.signers, func(k ed25519.PublicKey) bool { return ed25519.Verify(k, said, signature) })
}

func (c *Checker) use(t Token, client [32]byte, now time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if u, ok := c.used[t.ID]; ok {
		if u.client != client {
			return ErrUsed
		}
		return nil
	}
	if len(c.used) >= maxUsed {
		for id, u := range c.used {
			if !now.Before(u.expires) {
				delete(c.used, id)
			}
		}
		if len(c.used) >= maxUsed {
			return ErrMany
		}
	}
	c.used[t.ID] = use{client, t.Expires}
	return nil
}
