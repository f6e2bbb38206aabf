package endpoint

import (
	"bytes"
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A flood of every kind of packet makes no session, sends less than it
// receives, and leaves no memory behind.
func TestFlood(t *testing.T) {
	b := listening(t)
	rng := rand.New(rand.NewPCG(3, 4))
	noise := make([]byte, 1<<16)
	for i := range noise {
		noise[i] = byte(rng.Uint32())
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	received := 0
	good := client(1).Hello()
	p := make([]byte, transport.MaxPacket)
	for i := range 100_000 {
		copy(p, noise[rng.IntN(len(noise)-len(p)):])
		p[0] = wire.First(wire.Kind(1+i/4%13), false)
		if i%4 == 0 {
			copy(p, good)
			p[3], p[4], p[5] = byte(i), byte(i>>8), byte(i>>16)
		}
		n := len(p)
		switch i % 4 {
		case 0:
			n = wire.MinInit
		case 1:
		default:
			n = rng.IntN(len(p))
		}
		received += n
		b.Arrive(b.now, Path{Remote: netip.AddrPortFrom(strangers.Addr(), uint16(i))}, p[:n])
		if i%1000 == 0 {
			b.now += 10 * time.Millisecond
			b.Poll(b)
			b.Tick()
		}
	}
	b.now += transport.HalfOpenTimeout
	b.Poll(b)
	b.Poll(b) // the second slab
	if len(b.events) != 0 || len(b.Endpoint.conns)+len(b.byID)+len(b.asked)+len(b.desk.known) != 0 {
		t.Errorf("%d connections after a flood; events %q", len(b.Endpoint.conns), b.events)
	}
	if b.bytes*100 > received*15 {
		t.Errorf("%d bytes out for %d in", b.bytes, received)
	}
	b.sent, b.to = nil, nil
	b.Poll(b)
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 512<<10 {
		t.Errorf("%d bytes kept after a flood", grown)
	}
}

// unlimited are limits that nobody meets; the tests' clock stands still.
var unlimited = transport.Limits{Packets: 1 << 30, Bytes: 1 << 30}

// While the game does not poll, the inbox is bounded, in all and for each peer, so that
// one peer does not crowd out the others.
func TestInboxIsBounded(t *testing.T) {
	b, c := joinedBy(t)
	b.offer.Limits = unlimited
	other := b.accepted(t, strangers, 2)
	for _, size := range []int{1000, 0} {
		for range 2 * transport.MaxPeerInbox / (size + recordSize) {
			b.Arrive(b.now, Path{Remote: clientAddr}, c.Say(wire.Datagram, make([]byte, size)...))
		}
		s := &b.inbox.fill
		if n := len(s.bytes) + len(s.records)*int(unsafe.Sizeof(record{})); n > transport.MaxPeerInbox || b.inbox.dropped == 0 {
			t.Errorf("%d bytes wait, %d packets dropped", n, b.inbox.dropped)
		}
		if unsafe.Sizeof(record{}) > recordSize {
			t.Errorf("a packet takes %d bytes, not %d", unsafe.Sizeof(record{}), recordSize)
		}
		b.Arrive(b.now, Path{Remote: strangers}, other.Say(wire.Keepalive))
		b.events = nil
		if b.Poll(b); size > 0 && (len(b.events) < 2 || b.events[len(b.events)-1] != "connected Ada") {
			t.Errorf("beside a flood: %.200q", b.events)
		}
	}
	for i := range uint64(6) { // all of them at once
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 9, 0, byte(i)}), 1000)
		c := b.accepted(t, from, 10+i)
		b.arrive(from, c.Say(wire.Keepalive))
		defer func() {
			for range 20_000 {
				b.Arrive(b.now, Path{Remote: from}, c.Say(wire.Datagram, make([]byte, 200)...))
			}
			if s := &b.inbox.fill; len(s.bytes)+len(s.records)*recordSize > transport.MaxInbox {
				t.Errorf("%d bytes and %d packets wait", len(s.bytes), len(s.records))
			}
		}()
	}
}

// A client has one peer: while the game stalls, that peer may fill the whole inbox.
func TestInboxOfAClient(t *testing.T) {
	b, s := connected(t)
	const fit = transport.MaxInbox / (1000 + recordSize)
	for range fit + 1 {
		b.Arrive(b.now, Path{Remote: serverAddr}, s.Say(wire.Datagram, make([]byte, 1000)...))
	}
	if n := len(b.inbox.fill.records); n != fit || b.Counters().Dropped != 1 {
		t.Errorf("%d packets wait, want %d; %d dropped", n, fit, b.Counters().Dropped)
	}
}

// A Poll frees the inbox for what comes after it, and a slab that a flood has grown goes
// back to the heap.
func TestInboxIsFreed(t *testing.T) {
	b, c := joinedBy(t)
	b.offer.Limits = unlimited
	const fit = transport.MaxPeerInbox / (1000 + recordSize)
	send := func(n int) {
		t.Helper()
		b.events = nil
		for range n {
			b.Arrive(b.now, Path{Remote: clientAddr}, c.Say(wire.Datagram, make([]byte, 1000)...))
		}
		b.Poll(b)
		if want := min(n, fit); len(b.events) != want {
			t.Errorf("%d of %d packets came, want %d", len(b.events), n, want)
		}
	}
	for range 5 {
		send(fit + 2)
	}
	for range 5 {
		send(10)
	}
	if n := cap(b.inbox.fill.bytes) + cap(b.inbox.spare.bytes); n > roomy {
		t.Errorf("%d bytes are kept after a flood", n)
	}
	for range 100 {
		send(fit / 50)
	}
}

// Endless HELLOs while the game stalls take no room at all, and forged packets of a
// connection neither.
func TestStrangersTakeNoRoom(t *testing.T) {
	b, c := joinedBy(t)
	forged := c.Seal(wire.Datagram, 2, 'x')
	forged[len(forged)-1] ^= 1
	for i := range uint64(10_000) {
		b.Arrive(b.now, Path{Remote: strangers}, client(i%10).Hello())
		b.Arrive(b.now, Path{Remote: clientAddr}, forged)
	}
	if h := b.Held(); h.Inbox+h.Requests+h.HalfOpen != 0 || h.Open != 1 {
		t.Errorf("%+v is kept", h)
	}
	if b.arrive(clientAddr, c.Say(wire.Datagram, 'x')); len(b.events) != 1 {
		t.Errorf("beside them: %q", b.events)
	}
}

// An answer to no question of the client means nothing.
func TestAnswersToNobody(t *testing.T) {
	b := dialled(t)
	s := raw.NewServer(raw.Source(rand.New(rand.NewPCG(4, 4)).Uint64))
	challenge := s.Answer(b.last())
	other := bytes.Clone(challenge)
	other[1]++
	mine := bytes.Clone(challenge)
	mine[0] &^= wire.FromListener
	b.Arrive(b.now, Path{Remote: serverAddr}, other)
	b.Arrive(b.now, Path{Remote: serverAddr}, challenge[:1])
	b.Arrive(b.now, Path{Remote: strangers}, challenge)
	b.Arrive(b.now, Path{Remote: serverAddr}, mine)
	if len(b.sent) != 1 || b.Counters().Ignored != 4 {
		t.Errorf("%d packets sent, %d ignored", len(b.sent), b.Counters().Ignored)
	}
	b.arrive(serverAddr, challenge)
	accept := s.Answer(b.last())
	forged := bytes.Clone(accept)
	forged[20] ^= 1
	b.arrive(serverAddr, forged)
	b.arrive(strangers, accept)
	if len(b.events) != 0 {
		t.Errorf("told %q", b.events)
	}
	b.arrive(serverAddr, accept, accept)
	if len(b.events) != 1 {
		t.Errorf("told %q", b.events)
	}
}
