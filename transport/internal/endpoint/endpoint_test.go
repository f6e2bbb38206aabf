package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/mtu"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/wire"
	"github.com/tendonengine/tendon/transport/lane"
)

var (
	serverAddr = netip.MustParseAddrPort("10.0.0.1:7777")
	clientAddr = netip.MustParseAddrPort("10.0.0.2:5000")
	strangers  = netip.MustParseAddrPort("10.6.6.6:666")
)

// A bench is one endpoint whose network and clock the test controls.
type bench struct {
	*Endpoint
	now    time.Duration
	sent   [][]byte // by the endpoint, copied
	to     []netip.AddrPort
	bytes  int
	events []string
	conns  []transport.Conn
	err    error
}

func (b *bench) config() Config {
	rng := rand.New(rand.NewPCG(1, 2))
	return Config{
		Transport: "test", Local: "here", Now: func() time.Duration { return b.now },
		Send: func(to Path, p []byte) {
			b.bytes += len(p)
			if len(b.sent) < 10_000 {
				b.sent, b.to = append(b.sent, bytes.Clone(p)), append(b.to, to.Remote)
			}
		},
		Random: rng.Uint64, Machine: lane.NewARQ,
	}
}

func (b *bench) Connected(c transport.Conn, hello []byte) {
	b.conns = append(b.conns, c)
	b.events = append(b.events, "connected "+string(hello))
}

func (b *bench) Datagram(_ transport.Conn, seq uint64, _ time.Duration, p []byte) {
	b.events = append(b.events, fmt.Sprintf("datagram %d %s", seq, p))
}

func (b *bench) Message(_ transport.Conn, p []byte) {
	b.events = append(b.events, "message "+string(p))
}

func (b *bench) Closed(_ transport.Conn, err error) {
	b.events = append(b.events, "closed")
	b.err = err
}

// arrive gives packets to the endpoint and polls it.
func (b *bench) arrive(from netip.AddrPort, packets ...[]byte) {
	for _, p := range packets {
		b.Arrive(b.now, Path{Remote: from}, p)
	}
	b.Poll(b)
}

// pass lets time pass while the program runs.
func (b *bench) pass(d time.Duration) {
	for end := b.now + d; b.now < end; {
		b.now = min(end, b.now+longestGap/2)
		b.awake.pulse(b.now)
	}
}

func (b *bench) last() []byte {
	if len(b.sent) == 0 {
		return nil
	}
	return b.sent[len(b.sent)-1]
}

func offer() transport.Offer {
	return transport.Offer{Game: "pong", Schema: 7, Digest: bytes.Repeat([]byte("d"), transport.MaxDigest)}
}

func listening(t testing.TB) *bench {
	b := &bench{}
	e, err := Listen(b.config(), offer())
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	return b
}

func dialled(t testing.TB) *bench {
	b := &bench{}
	o := offer()
	o.Hello = []byte("Ada")
	e, err := Dial(b.config(), o, serverAddr)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	return b
}

// client is one that wants to join, with this attempt.
func client(attempt uint64) *raw.Client {
	return raw.NewClient(raw.Source(rand.New(rand.NewPCG(attempt, 3)).Uint64), attempt, wire.Request{Game: "pong", Schema: 7, Hello: []byte("Ada")})
}

// shake does the handshake of a client up to the ACCEPT, and returns what the listener
// answers to the INIT.
func (b *bench) shake(from netip.AddrPort, c *raw.Client) []byte {
	b.arrive(from, c.Hello())
	init := c.Answer(b.last())
	if init == nil {
		return nil
	}
	b.sent, b.to = nil, nil
	b.arrive(from, init)
	c.Answer(b.last())
	return b.last()
}

// accepted returns a client that was let in.
func (b *bench) accepted(t testing.TB, from netip.AddrPort, attempt uint64) *raw.Client {
	t.Helper()
	c := client(attempt)
	if b.shake(from, c); !c.In() {
		t.Fatalf("a client is not let in: %x", b.sent)
	}
	return c
}

// A packer makes packets of a client.
type packer func(k wire.Kind, seq uint64, payload ...byte) []byte

// joined returns a listener with one client, whose packets pack makes.
func joined(t testing.TB) (b *bench, pack packer) {
	b, c := joinedBy(t)
	return b, c.Seal
}

func joinedBy(t testing.TB) (b *bench, c *raw.Client) {
	b = listening(t)
	c = b.accepted(t, clientAddr, 1)
	b.arrive(clientAddr, c.Say(wire.Keepalive))
	if len(b.conns) != 1 {
		t.Fatalf("no connection: %q", b.events)
	}
	b.conns[0].Flush() // which sends the first probes
	widen(b)
	b.events, b.sent, b.to = nil, nil, nil
	return b, c
}

// connected returns a client that is in, and its server.
func connected(t testing.TB) (b *bench, s *raw.Server) {
	b = dialled(t)
	s = raw.NewServer(raw.Source(rand.New(rand.NewPCG(4, 4)).Uint64))
	b.arrive(serverAddr, s.Answer(b.last()))
	b.arrive(serverAddr, s.Answer(b.last()))
	if len(b.conns) != 1 {
		t.Fatalf("no connection: %q", b.events)
	}
	widen(b)
	b.events, b.sent, b.to = nil, nil, nil
	return b, s
}

// widen makes the paths of all connections known to carry the longest packets.
func widen(b *bench) {
	for _, c := range b.Endpoint.snapshot() {
		c.mtu.Passed(mtu.Max)
	}
}

// A closer closes its endpoint inside Closed and Datagram.
type closer struct{ *bench }

func (c closer) Closed(conn transport.Conn, err error) {
	c.bench.Closed(conn, err)
	c.Endpoint.Close("over")
}

func (c closer) Datagram(conn transport.Conn, seq uint64, at time.Duration, p []byte) {
	c.bench.Datagram(conn, seq, at, p)
	c.Endpoint.Close("over")
}

// An endpoint that is closed inside Closed reports nothing more and lets nobody in.
func TestCloseInsideClosed(t *testing.T) {
	b, _ := joined(t)
	b.arrive(strangers, b.accepted(t, strangers, 2).Say(wire.Keepalive))
	b.conns[0].Close("kicked")
	b.conns[1].Close("kicked")
	b.sent, b.events = nil, nil
	b.Poll(closer{b})
	if b.Poll(b); len(b.events) != 1 || len(b.sent) != 0 {
		t.Errorf("told %q, sent %x", b.events, b.sent)
	}
	if c := client(4); b.shake(clientAddr, c) == nil || c.In() || len(b.Endpoint.conns) != 0 {
		t.Errorf("an endpoint that is closed answers %x", b.sent)
	}
}

// An endpoint that is closed inside Datagram does not handle the packets that came after
// it; it lets no clients in either.
func TestCloseInsideDatagram(t *testing.T) {
	b, pack := joined(t)
	other := client(2)
	b.Arrive(b.now, Path{Remote: strangers}, other.Hello())
	init := other.Answer(b.last())
	b.Arrive(b.now, Path{Remote: clientAddr}, pack(wire.Datagram, 2, 'x'))
	b.Arrive(b.now, Path{Remote: clientAddr}, pack(wire.Datagram, 3, 'x'))
	b.sent = nil
	if b.Poll(closer{b}); len(b.events) != 1 || len(b.sent) != 1 {
		t.Errorf("told %q, sent %x", b.events, b.sent)
	}
	b.sent = nil
	b.arrive(strangers, init)
	if m, err := other.Denied(b.last()); err != nil || m.Reason != wire.NotAdmitted || string(m.Detail) != "the server has stopped: over" {
		t.Errorf("once all is over a client is answered by %+v, %v", m, err)
	}
}

// A kicker closes each connection inside Connected.
type kicker struct{ *bench }

func (k kicker) Connected(c transport.Conn, hello []byte) {
	k.bench.Connected(c, hello)
	c.Close("no")
}

// Nothing is delivered from a client that is kicked inside Connected, whatever the kind
// of the packet that connected it.
func TestKickInsideConnected(t *testing.T) {
	segment := append([]byte{1, 0, 0, 0, 81, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0}, 1, 'x')
	both := append(append([]byte{byte(len(segment)), 0}, segment...), "state"...)
	for kind, payload := range map[wire.Kind][]byte{wire.Datagram: []byte("state"), wire.Lane: segment, wire.Both: both, wire.Close: {0}} {
		b := listening(t)
		b.Arrive(b.now, Path{Remote: clientAddr}, b.accepted(t, clientAddr, 1).Say(kind, payload...))
		for range 2 {
			b.Poll(kicker{b})
		}
		if fmt.Sprint(b.events) != "[connected Ada closed]" {
			t.Errorf("kind %d: told %q", kind, b.events)
		}
	}
}

// When the socket fails, every connection that the game knows gets Closed, and no other.
func TestSocketFails(t *testing.T) {
	b, _ := joined(t)
	b.accepted(t, strangers, 2)
	b.Fail(net.ErrClosed)
	b.Poll(b)
	if fmt.Sprint(b.events) != "[closed]" || !errors.Is(b.err, transport.ErrSocket) || len(b.Endpoint.conns)+len(b.asked) != 0 {
		t.Errorf("told %q, %v; %d connections", b.events, b.err, len(b.Endpoint.conns))
	}
}

// A listener that is shut reports the end of its open connections only, and lets nobody
// in: neither half-open connections nor new clients.
func TestShut(t *testing.T) {
	b, _ := joined(t)
	c := b.accepted(t, strangers, 2)
	b.Arrive(b.now, Path{Remote: strangers}, c.Say(wire.Keepalive))
	b.sent = nil
	b.Shut("over")
	b.Shut("twice")
	for range 2 {
		b.Poll(b)
	}
	if fmt.Sprint(b.events) != "[closed]" || fmt.Sprint(b.err) != "closed: over" || len(b.sent) != 2 {
		t.Errorf("told %q, %v; %d packets sent", b.events, b.err, len(b.sent))
	}
	b.sent = nil
	if c := client(4); b.shake(clientAddr, c) == nil || c.In() || len(b.Endpoint.conns) != 0 {
		t.Errorf("an endpoint that is shut answers %x", b.sent)
	}
	if fmt.Sprint(b.Err()) != "closed: over" {
		t.Errorf("it says %v", b.Err())
	}
	b.Close("closed")
	if b.Err() != nil {
		t.Errorf("closed, it says %v", b.Err())
	}
	b.Fail(net.ErrClosed) // as a reader does whose socket was closed
	if b.Err() != nil {
		t.Errorf("closed, it says %v of its socket", b.Err())
	}
}
