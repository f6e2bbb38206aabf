package endpoint

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/lane"
)

// Config is what a transport supplies to its endpoint. All fields except Timing are
// required.
type Config struct {
	Transport string // Stats.Transport
	Local     string // Stats.Local
	Now       func() time.Duration
	// Send puts one packet on the network. It copies b, does not block, and
	// may be called from several goroutines at once.
	Send func(to netip.AddrPort, b []byte)
	// Random returns random bits for connection ids and attempts: unguessable where
	// strangers can send, seeded in a simulation.
	Random  func() uint64
	Machine func(out func(segments []byte)) lane.Machine
	Timing  Timing
}

// Timing is the intervals and timeouts of a connection. A zero field means the limit
// of package transport: HelloInterval, ConnectTimeout, HalfOpenTimeout, Keepalive,
// SilenceTimeout. Tests shorten them.
type Timing struct {
	Hello, Connect, HalfOpen, Keepalive, Silence time.Duration
}

func (t Timing) orDefault() Timing {
	set := func(v *time.Duration, limit time.Duration) {
		if *v == 0 {
			*v = limit
		}
	}
	set(&t.Hello, transport.HelloInterval)
	set(&t.Connect, transport.ConnectTimeout)
	set(&t.HalfOpen, transport.HalfOpenTimeout)
	set(&t.Keepalive, transport.Keepalive)
	set(&t.Silence, transport.SilenceTimeout)
	return t
}

// checkOffer returns an error for an offer that is out of the handshake's limits.
func checkOffer(o transport.Offer) error {
	switch {
	case o.Game == "" || len(o.Game) > transport.MaxGame:
		return fmt.Errorf("transport: the game's name %q has %d bytes; give it 1 to %d", o.Game, len(o.Game), transport.MaxGame)
	case len(o.Hello) > transport.MaxHello:
		return fmt.Errorf("transport: the hello has %d bytes; at most %d fit, send the rest once connected", len(o.Hello), transport.MaxHello)
	case len(o.Digest) > transport.MaxDigest:
		return fmt.Errorf("transport: the schema's digest has %d bytes; at most %d fit", len(o.Digest), transport.MaxDigest)
	case o.MaxPeers < 0 || o.MaxPeers > transport.MaxPeers:
		return fmt.Errorf("transport: MaxPeers is %d; give the number of connections, at most %d, or 0 for that many", o.MaxPeers, transport.MaxPeers)
	}
	return nil
}
