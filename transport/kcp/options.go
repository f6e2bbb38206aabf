package kcp

import (
	"crypto/ed25519"

	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

// An Option changes a Listener or a Dialer.
type Option func(*options)

type options struct {
	simulation *Simulation
	timing     endpoint.Timing
	key        *Key
	keyFile    string
	secret     string
	address    string
	signers    []ed25519.PublicKey
	tokens     bool
	token      string
}

func collect(opts []Option) (o options) {
	for _, f := range opts {
		f(&o)
	}
	return o
}

// WithConditions puts a simulated network between the endpoint and its socket,
// in both directions. Several endpoints may share one simulation; each has its
// own paths.
func WithConditions(s *Simulation) Option { return func(o *options) { o.simulation = s } }

// WithKey gives a Listener its private key, or a Dialer the key from which its identity
// follows, in place of those in the user's configuration.
func WithKey(k Key) Option { return func(o *options) { o.key = &k } }

// WithKeyFile names the file that holds the key, in place of those in the user's
// configuration. If it is not there, Listen or Dial makes the key and the file. A client's
// file is locked while the client is connected: Dial fails if another client has it.
func WithKeyFile(path string) Option { return func(o *options) { o.keyFile = path } }

// WithSecret makes a Listener let in only clients that have the same join secret, 1 to 64
// bytes: it is part of the join string. A Dialer that is given a bare address needs it too.
// Without it everybody who reaches the listener may join, as far as Config.Admit agrees.
func WithSecret(secret string) Option { return func(o *options) { o.secret = secret } }

// WithAddress sets the address in a Listener's join string: "example.org" or
// "example.org:7777", as players reach it from elsewhere. Else it is the bound address, or
// this machine's in its local network.
func WithAddress(hostOrAddress string) Option { return func(o *options) { o.address = hostOrAddress } }

// WithTokens makes a Listener let in only clients with a connect token that one of signers
// has signed: see package token. Their Identity is the token's subject.
func WithTokens(signers ...ed25519.PublicKey) Option {
	return func(o *options) { o.signers, o.tokens = signers, true }
}

// WithToken gives a Dialer its connect token, as token.Sign returns it.
func WithToken(t string) Option { return func(o *options) { o.token = t } }
