package endpoint

import (
	"encoding/binary"
	"fmt"
	"net/netip"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/lane"
)

// Config is what a transport supplies to its endpoint. All fields before Timing but
// Flush are required.
type Config struct {
	Transport string // Stats.Transport
	Local     string // Stats.Local
	Now       func() time.Duration
	// Send puts one packet on the network. It copies b, does not block, and
	// may be called from several goroutines at once.
	Send func(to Path, b []byte)
	// Flush, if set, is called at the end of a round of sends (Conn.Flush) and after a goodbye
	// (Conn.Close). Who calls Arrive, Poll, Tick and Work knows by itself that they may send.
	Flush func()
	// Random returns random bits for keys, connection ids and attempts: unguessable where
	// strangers can send, seeded in a simulation. Any goroutine may call it.
	Random  func() uint64
	Machine func(out func(segments []byte)) lane.Machine

	Timing   Timing
	Listener Listener
	Client   Client
}

// Listener is what the listening end may have.
type Listener struct {
	Pair   *seal.Pair // its key; nil: a new one
	Secret seal.Key   // of the join secret; zero: none
	// Token, if set, checks each client's connect token and returns who it is about. The
	// error names the fault, which the client is told; it wraps transport.ErrToken.
	Token func(token []byte, client seal.Key) (subject string, err error)
	// Wake, if set, is called when Work has something to do; it must not block. Else
	// handshakes are worked on inside Arrive and Poll.
	Wake func()
}

// Client is what the joining end may have.
type Client struct {
	Master seal.Key // zero: Offer.Key
	// Own, if set, returns the master key to show to a listener with this public key; zero: as
	// Master says. It is called on the reader's goroutine, for each key that answers: who sees the
	// questions can make up some (mostShakes).
	Own    func(listener seal.Key) seal.Key
	Pinned *seal.Key // the listener's public key; nil: whichever it says
	Secret seal.Key  // as the listener's
	Token  []byte
}

// A Path is where a peer is: its address, and the address of this machine to which it
// sends, if the transport knows that and needs it to answer.
type Path struct {
	Remote netip.AddrPort
	Local  netip.Addr
}

// Timing is the intervals and timeouts of a connection. A zero field means the limit
// of package transport: HelloInterval, ConnectTimeout, HalfOpenTimeout, JoinTimeout,
// Keepalive, SilenceTimeout. Tests shorten them.
type Timing struct {
	Hello, Connect, HalfOpen, Join, Keepalive, Silence time.Duration
}

// timing is a Config's, with what the offer asks for.
func timing(c Config, o transport.Offer) Timing {
	t := c.Timing
	if o.HalfOpen > 0 {
		t.HalfOpen = o.HalfOpen
	}
	if o.Join > 0 {
		t.Join = o.Join
	}
	if o.Silence > 0 {
		t.Silence = o.Silence
	}
	return t.orDefault()
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
	set(&t.Join, transport.JoinTimeout)
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
	case len(o.Title) > transport.MaxTitle:
		return fmt.Errorf("transport: the title %q has %d bytes; at most %d fit", o.Title, len(o.Title), transport.MaxTitle)
	case len(o.Digest) > transport.MaxDigest:
		return fmt.Errorf("transport: the schema's digest has %d bytes; at most %d fit", len(o.Digest), transport.MaxDigest)
	case o.MaxPeers < 0 || o.MaxPeers > transport.MaxPeers:
		return fmt.Errorf("transport: MaxPeers is %d; give the number of connections, at most %d, or 0 for that many", o.MaxPeers, transport.MaxPeers)
	}
	return o.Limits.Check("transport: Offer.Limits")
}

// randomReader reads the random bits of a Config.
type randomReader struct{ random func() uint64 }

func (r randomReader) Read(b []byte) (int, error) {
	var word [8]byte
	for n := 0; n < len(b); {
		binary.LittleEndian.PutUint64(word[:], r.random())
		n += copy(b[n:], word[:])
	}
	return len(b), nil
}
