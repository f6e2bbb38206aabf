package endpoint

import (
	"bytes"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A client of another version is told so. Nothing is kept of it.
func TestOtherVersion(t *testing.T) {
	b := listening(t)
	var told []error
	b.offer.Refused = func(remote netip.AddrPort, why error) { told = append(told, why) }
	p := client(9).Hello()
	p[1] = 99
	b.arrive(clientAddr, p, p)
	if m, err := wire.ParseRefuse(b.last()); err != nil || m.Attempt != 9 || m.Version != wire.Version || len(b.sent) != 2 || b.to[0] != clientAddr {
		t.Errorf("answered with %+v, %v", m, err)
	}
	if h := b.Held(); h != (Held{}) || len(told) != 2 || told[0] != transport.ErrVersion {
		t.Errorf("%+v is kept; told %v", h, told)
	}
}

// What a listener asks before it lets a client in has an order: of two faults the first is
// told, sealed for the client.
func TestOrderOfChecks(t *testing.T) {
	banned := errors.New("you are banned")
	for _, x := range []struct {
		name   string
		spoil  func(c *raw.Client)
		full   bool
		admit  error
		reason wire.Reason
		detail string
		told   error
	}{
		{"the secret before the game", func(c *raw.Client) { c.Secret, c.Request.Game = seal.Key{1}, "other" }, true, banned, wire.BadSecret, "", transport.ErrSecret},
		{"the game before the schema", func(c *raw.Client) { c.Request.Game, c.Request.Schema = "other", 8 }, true, banned, wire.OtherGame, "pong", transport.ErrGame},
		{"the schema before the token", func(c *raw.Client) { c.Request.Schema = 8 }, true, banned, wire.OtherSchema, strings.Repeat("d", transport.MaxDigest), transport.ErrSchema},
		{"the token before the room", func(c *raw.Client) { c.Request.Token = nil }, true, banned, wire.BadToken, "none", transport.ErrToken},
		{"the room before the game's word", func(c *raw.Client) {}, true, banned, wire.Full, "", transport.ErrFull},
		{"the game's word", func(c *raw.Client) {}, false, banned, wire.NotAdmitted, "you are banned", banned},
		{"nothing", func(c *raw.Client) {}, false, nil, 0, "", nil},
	} {
		b := &bench{}
		o := offer()
		o.Room = func([]byte, transport.Identity, int) bool { return !x.full }
		o.Admit = func(hello []byte, id transport.Identity) error {
			if string(hello) != "Ada" || id != "sub:ada" {
				t.Errorf("%s: asked about %q, %q", x.name, hello, id)
			}
			return x.admit
		}
		var told []error
		o.Refused = func(remote netip.AddrPort, why error) {
			if told = append(told, why); remote != clientAddr {
				t.Errorf("%s: told of %v", x.name, remote)
			}
		}
		cfg := b.config()
		cfg.Listener.Token = func(token []byte, client seal.Key) (string, error) {
			if string(token) == "ada's" {
				return "ada", nil
			}
			return "", fmt.Errorf("none%.0w", transport.ErrToken)
		}
		e, err := Listen(cfg, o)
		if err != nil {
			t.Fatal(err)
		}
		b.Endpoint = e
		c := client(9)
		c.Request.Token = []byte("ada's")
		x.spoil(c)
		answer := b.shake(clientAddr, c)
		m, err := c.Denied(answer)
		switch {
		case x.reason == 0 && !c.In():
			t.Errorf("%s: answered with %x", x.name, answer)
		case x.reason != 0 && (err != nil || m.Reason != x.reason || string(m.Detail) != x.detail || m.Attempt != 9):
			t.Errorf("%s: denied with %+v, %v", x.name, m, err)
		case x.reason != 0 && (len(told) != 1 || !errors.Is(told[0], x.told) || len(b.Endpoint.conns) != 0 || b.gate.waiting[prefixOf(clientAddr)] != 0):
			t.Errorf("%s: told %v, %d connections", x.name, told, len(b.Endpoint.conns))
		}
	}
}

// No answer is longer than its question, and those to unproven addresses are much shorter.
func TestAnswersAreShort(t *testing.T) {
	b := listening(t)
	c := client(1)
	c.Request.Schema++
	b.arrive(clientAddr, c.Hello())
	if len(b.last())*100 > 15*len(c.Hello()) {
		t.Errorf("%d bytes answer %d", len(b.last()), len(c.Hello()))
	}
	init := c.Answer(b.last())
	short := wire.InitMessage{}
	short, err := wire.ParseInit(init)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{wire.MinInit, transport.MaxPacket} {
		p := short.Append(nil, size)
		b.arrive(clientAddr, p)
		if m, err := c.Denied(b.last()); err != nil || m.Reason != wire.OtherSchema || len(b.last()) > len(p) || (len(m.Detail) > 0) != (size == transport.MaxPacket) {
			t.Errorf("an INIT of %d bytes: %d bytes, %+v, %v", size, len(b.last()), m.Reason, err)
		}
	}
}

// An INIT without a good cookie costs the listener nothing: another's, one of another
// attempt, one that is too old, one that is spoiled.
func TestCookies(t *testing.T) {
	b := listening(t)
	c := client(1)
	b.arrive(clientAddr, c.Hello())
	init := c.Answer(b.last())
	b.sent = nil
	worked := b.gate.buckets
	attempt := bytes.Clone(init)
	attempt[3]++
	for at := 11; at < 31; at++ {
		bad := bytes.Clone(init)
		bad[at] ^= 1
		b.arrive(clientAddr, bad)
	}
	b.arrive(clientAddr, attempt)
	b.arrive(strangers, init)
	b.arrive(netip.AddrPortFrom(clientAddr.Addr(), clientAddr.Port()+1), init)
	b.pass(seal.CookieLife + time.Second)
	b.arrive(clientAddr, init)
	if h := b.Held(); len(b.sent) != 0 || h != (Held{}) || b.gate.buckets != worked {
		t.Errorf("answered with %x, %+v is kept", b.sent, h)
	}
}

// A connection id is not 0 and differs from all others.
func TestIDsDiffer(t *testing.T) {
	b := listening(t)
	taken := &Conn{e: b.Endpoint}
	for id := range 1 << 16 {
		b.byID[uint16(id)] = taken
	}
	delete(b.byID, 0)
	delete(b.byID, 7)
	if c := b.accepted(t, clientAddr, 1); c.ID != 7 {
		t.Errorf("the connection has the id %d; only 7 is free", c.ID)
	}
}

// Repeats of an INIT get the same answer. The client's next packet makes it Connected,
// once.
func TestRepeatedInit(t *testing.T) {
	b := listening(t)
	c := b.accepted(t, clientAddr, 1)
	first := b.last()
	b.arrive(clientAddr, c.Init, c.Init)
	if len(b.sent) != 3 || !bytes.Equal(b.sent[2], first) || len(b.Endpoint.conns) != 1 || len(b.events) != 0 {
		t.Fatalf("%d answers, %d connections, events %q", len(b.sent), len(b.Endpoint.conns), b.events)
	}
	k := c.Say(wire.Keepalive)
	b.arrive(clientAddr, k, k)
	b.arrive(clientAddr, c.Init)
	if len(b.events) != 1 || b.events[0] != "connected Ada" || len(b.sent) != 3 {
		t.Errorf("events %q, %d answers", b.events, len(b.sent))
	}
	// Another attempt from the same address is another client.
	if other := b.accepted(t, clientAddr, 2); other.ID == c.ID {
		t.Error("two attempts have one connection")
	}
}

// A handshake that is played again, from the same address or another, makes no connection
// that the game hears of.
func TestReplayedHandshakes(t *testing.T) {
	b := listening(t)
	c := b.accepted(t, clientAddr, 1)
	b.arrive(clientAddr, c.Say(wire.Keepalive), c.Seal(wire.Close, 2, 0))
	b.events = nil
	for i := range 1000 {
		b.arrive(clientAddr, c.Hello(), c.Init)
		b.arrive(strangers, c.Hello(), c.Init)
		b.arrive(clientAddr, c.Seal(wire.Keepalive, uint64(1+i%20)))
		if i%50 == 0 {
			b.pass(transport.HalfOpenTimeout)
		}
	}
	b.pass(transport.HalfOpenTimeout)
	b.Poll(b)
	if h := b.Held(); len(b.events) != 0 || h != (Held{}) {
		t.Errorf("told %q, %+v is kept", b.events, h)
	}
}

// Room gets the hello, the identity and the number of connections, so it can let in some
// clients where others are refused.
func TestRoom(t *testing.T) {
	b := &bench{}
	o := offer()
	o.Joins = true
	var asked []int
	o.Room = func(hello []byte, id transport.Identity, conns int) bool {
		asked = append(asked, conns)
		if !strings.HasPrefix(string(id), "key:") {
			t.Errorf("asked about %q", id)
		}
		return string(hello) == "Ada" || conns == 0
	}
	e, err := Listen(b.config(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	bob, ann := client(2), client(5)
	bob.Request.Hello, ann.Request.Hello = []byte("Bob"), []byte("Ann")
	if b.shake(clientAddr, bob); !bob.In() {
		t.Fatal("Bob is not let in")
	}
	// A place of one who has not joined is no reason to refuse.
	if a := b.shake(strangers, ann); a == nil || ann.In() {
		t.Errorf("beside one on the way in: %x", b.sent)
	} else if m, err := wire.ParseChallenge(a); err != nil || !m.Busy {
		t.Errorf("told %+v, %v", m, err)
	}
	b.arrive(clientAddr, bob.Say(wire.Keepalive))
	b.conns[0].Joined()
	if m, err := ann.Denied(b.shake(strangers, ann)); err != nil || m.Reason != wire.Full || m.Attempt != 5 {
		t.Errorf("refused with %+v, %v", m, err)
	}
	if c := b.accepted(t, strangers, 4); c.ID == bob.ID {
		t.Error("one id for two")
	}
	if !slices.Equal(asked, []int{0, 0, 1, 1, 1}) {
		t.Errorf("asked with %v connections", asked)
	}
}

// One address has at most so many clients on their way in; another gets in beside them, if
// need be instead of one of them.
func TestOneAddress(t *testing.T) {
	b := &bench{}
	o := offer()
	o.MaxPeers, o.Joins = transport.DefaultUnjoined, true
	e, err := Listen(b.config(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	for i := range 50 {
		from := netip.AddrPortFrom(strangers.Addr(), uint16(1000+i))
		c := client(uint64(10 + i))
		b.shake(from, c)
		if c.In() {
			b.arrive(from, c.Say(wire.Keepalive))
		} else if m, err := wire.ParseChallenge(b.last()); err != nil || !m.Busy {
			t.Fatalf("client %d is told %+v, %v", i, m, err)
		}
		if n := len(b.Endpoint.conns); n != min(i+1, transport.DefaultUnjoined) {
			t.Fatalf("%d connections of one address after %d asked", n, i+1)
		}
	}
	b.events = nil
	c := b.accepted(t, clientAddr, 3)
	b.arrive(clientAddr, c.Say(wire.Keepalive))
	if fmt.Sprint(b.events) != "[closed connected Ada]" {
		t.Errorf("another address: %q", b.events)
	}
	b.conns[len(b.conns)-1].Joined()
	b.pass(transport.JoinTimeout)
	b.arrive(clientAddr, c.Say(wire.Keepalive))
	if h := b.Held(); h.Open != 1 || h.HalfOpen != 0 || b.most() != 0 {
		t.Errorf("%+v is held when the time to join is over, %d waiting", h, b.most())
	}
}

// most is the largest number of one address's clients on their way in.
func (b *bench) most() (n int) {
	for _, w := range b.gate.waiting {
		n = max(n, w)
	}
	return n
}

// Clients that come again and again from many addresses, and never join, do not keep those out
// that come once: these are let in soon, and stay until they have joined.
func TestManyAddresses(t *testing.T) {
	b := &bench{}
	o := offer()
	o.MaxPeers, o.Joins = 24, true
	e, err := Listen(b.config(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	foes, attempt := 0, uint64(100)
	storm := func(d time.Duration) { // 400 a second
		for end := b.now + d; b.now < end; b.pass(10 * time.Millisecond) {
			for range 4 {
				foes++
				attempt++
				from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, 0, byte(foes % 200)}), uint16(2000+foes/200%1000))
				c := client(attempt)
				if b.shake(from, c); c.In() && foes%2 == 0 {
					b.arrive(from, c.Say(wire.Keepalive))
				}
			}
			b.sent, b.to, b.events = nil, nil, nil
		}
	}
	storm(2 * time.Second)
	for i := range 5 {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 8, 0, byte(i % 2)}), uint16(3000+i))
		attempt++
		c, tries := client(attempt), 0
		for b.shake(from, c); !c.In(); b.shake(from, c) {
			if tries++; tries > 4 {
				t.Fatalf("client %d is not let in", i)
			}
			storm(transport.HelloInterval * 2 / 5)
		}
		known := len(b.conns)
		b.arrive(from, c.Say(wire.Keepalive))
		if len(b.conns) != known+1 {
			t.Fatalf("client %d does not get in", i)
		}
		mine := b.conns[known].(*Conn)
		storm(400 * time.Millisecond)
		if mine.is(ended) {
			t.Errorf("client %d is crowded out", i)
		}
		mine.Joined()
		b.arrive(from, c.Say(wire.Close, byte(wire.Ended)))
	}
}

// The limits of one address, and the time of a half-open place, are the offer's.
func TestLimitsOfOneAddress(t *testing.T) {
	for _, x := range []struct {
		limits  transport.Limits
		in, now int // with a first burst; and a second later
	}{
		{transport.Limits{Unjoined: 20}, 20, 20},
		{transport.Limits{Unjoined: transport.MaxUnjoined, Handshakes: 500}, transport.MaxUnjoined, transport.MaxUnjoined},
		{transport.Limits{Unjoined: 100, Handshakes: 10}, 10, 20},
		{transport.Limits{}, transport.DefaultUnjoined, transport.DefaultUnjoined},
	} {
		b := &bench{}
		o := offer()
		o.Joins, o.Limits, o.HalfOpen = true, x.limits, time.Minute
		e, err := Listen(b.config(), o)
		if err != nil {
			t.Fatal(err)
		}
		b.Endpoint = e
		burst := func(first int) int {
			for i := range 150 {
				b.shake(netip.AddrPortFrom(strangers.Addr(), uint16(first+i)), client(uint64(first+i)))
			}
			return b.Held().HalfOpen
		}
		if n := burst(1000); n != x.in {
			t.Errorf("%+v: %d are let in, not %d", x.limits, n, x.in)
		}
		b.pass(time.Second)
		if n := burst(2000); n != x.now {
			t.Errorf("%+v: a second later there are %d, not %d", x.limits, n, x.now)
		}
		if b.pass(time.Minute); b.Held().HalfOpen == 0 {
			t.Error("they are gone before")
		}
		if b.Poll(b); b.Held().HalfOpen != 0 {
			t.Errorf("%+v: %d stay half-open", x.limits, b.Held().HalfOpen)
		}
	}
}

// A network of 64 bits is one address of IPv6, and IPv4 in IPv6's form is IPv4.
func TestPrefixes(t *testing.T) {
	for a, want := range map[string]string{
		"192.0.2.1:5": "192.0.2.1/32", "[::ffff:192.0.2.1]:6": "192.0.2.1/32", "[2001:db8:1:2:3:4:5:6]:7": "2001:db8:1:2::/64", "[fe80::1%eth0]:7": "fe80::/64",
	} {
		if got := prefixOf(netip.MustParseAddrPort(a)).String(); got != want {
			t.Errorf("%s is of %s, not %s", a, got, want)
		}
	}
}

// When the listener's game stalls during a handshake, the half-open timeout begins with
// its answer.
func TestListenerStallsInTheHandshake(t *testing.T) {
	b := listening(t)
	c := client(1)
	b.Arrive(b.now, Path{Remote: clientAddr}, c.Hello())
	b.Arrive(b.now, Path{Remote: clientAddr}, c.Answer(b.last()))
	b.pass(transport.ConnectTimeout - transport.HelloInterval)
	b.Poll(b)
	c.Answer(b.last())
	b.pass(100 * time.Millisecond)
	b.arrive(clientAddr, c.Say(wire.Keepalive))
	if len(b.events) != 1 || b.events[0] != "connected Ada" {
		t.Errorf("the client is not in: %q", b.events)
	}
}

// A repeat does not give a half-open connection more time.
func TestHalfOpen(t *testing.T) {
	b := listening(t)
	c := b.accepted(t, clientAddr, 1)
	for range transport.HalfOpenTimeout/transport.HelloInterval - 1 {
		b.pass(transport.HelloInterval)
		b.arrive(clientAddr, c.Init)
	}
	b.sent = nil
	if b.Tick(); len(b.sent) != 0 {
		t.Errorf("who has not been heard again is sent %x", b.sent)
	}
	b.pass(transport.HelloInterval)
	b.Poll(b)
	if h := b.Held(); h != (Held{}) || len(b.events) != 0 {
		t.Errorf("%+v is kept; events %q", h, b.events)
	}
}
