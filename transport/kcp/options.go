package kcp

import (
	"crypto/ed25519"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"strings"
	"unicode"

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
	secretSet  bool
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
// Without it everybody who reaches the listener may join, as far as Config.Admit agrees: so an
// empty secret, as of a variable that was not set, is an error of Listen. To a Dialer it is none.
func WithSecret(secret string) Option {
	return func(o *options) { o.secret, o.secretSet = secret, true }
}

// WithAddress sets the address in a Listener's join string: "example.org" or
// "example.org:7777", as players reach it from elsewhere; Listen returns the error for another
// form. Without it, and if it is empty, that is the bound address, or this machine's in its local
// network.
func WithAddress(hostOrAddress string) Option { return func(o *options) { o.address = hostOrAddress } }

// WithTokens makes a Listener let in only clients with a connect token that one of signers
// has signed: see package token. Their Identity is the token's subject.
func WithTokens(signers ...ed25519.PublicKey) Option {
	return func(o *options) { o.signers, o.tokens = signers, true }
}

// WithToken gives a Dialer its connect token, as token.Sign returns it.
func WithToken(t string) Option { return func(o *options) { o.token = t } }

// checkSecret returns an error for a join secret that no join string has room for.
func (o options) checkSecret() error {
	if len(o.secret) > maxSecret {
		return fmt.Errorf("kcp: WithSecret has %d bytes; give 1 to %d: more do not fit into a join string", len(o.secret), maxSecret)
	}
	return nil
}

// checkListener returns an error for what a Listener cannot do.
func (o options) checkListener() error {
	if o.secretSet && o.secret == "" {
		return fmt.Errorf("kcp: WithSecret has an empty secret; give 1 to %d bytes, or leave WithSecret out to let in everybody who reaches the listener", maxSecret)
	}
	if err := o.checkSecret(); err != nil || o.address == "" {
		return err
	}
	host, _ := splitReached(o.address, 1)
	if ip, err := netip.ParseAddr(host); err == nil && ip.IsUnspecified() || !isHost(host) {
		return fmt.Errorf("kcp: WithAddress(%q) is no address at which players reach the listener; write a host, or host:port with a port from 1 to 65535, as in example.org or 192.0.2.1:7777", o.address)
	}
	return nil
}

// isHost reports whether a text is an IP address or can be the name of a host: one that ends in a
// number, as 1.2.3.4.5, is meant as an address.
func isHost(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	name := strings.TrimSuffix(s, ".")
	last := name[strings.LastIndexByte(name, '.')+1:]
	return strings.Trim(last, "0123456789") != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("-._", r)
	})
}

// splitReached splits what WithAddress was given; a host without a port has the listener's. host
// is empty if it can be neither.
func splitReached(addr string, own uint16) (host string, port uint16) {
	host, text, err := net.SplitHostPort(addr)
	if err != nil {
		return strings.TrimSuffix(strings.TrimPrefix(addr, "["), "]"), own
	}
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n == 0 {
		return "", 0
	}
	return host, uint16(n)
}
