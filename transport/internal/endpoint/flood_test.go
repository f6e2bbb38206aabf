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
	good := hello(1).Append(nil)
	p := make([]byte, transport.MaxPacket)
	for i := range 100_000 {
		switch i % 4 {
		case 0:
			copy(p, good)
			p[3], p[4], p[5] = byte(i), byte(i>>8), byte(i>>16)
		default:
			copy(p, noise[rng.IntN(len(noise)-len(p)):])
			p[0] = byte(i / 4)
		}
		n := len(p)
		if i%4 > 1 {
			n = rng.IntN(len(p))
		}
		received += n
		b.Arrive(b.now, netip.AddrPortFrom(strangers.Addr(), uint16(i)), p[:n])
		if i%1000 == 0 {
			b.now += 10 * time.Millisecond
			b.Poll(b)
			b.Tick()
		}
	}
	b.now += transport.HalfOpenTimeout
	b.Poll(b)
	b.Poll(b) // the second slab
	if len(b.events) != 0 || len(b.Endpoint.conns)+len(b.byID)+len(b.asked) != 0 {
		t.Errorf("%d connections after a flood; events %q", len(b.Endpoint.conns), b.events)
	}
	if b.bytes*10 > received {
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

// While the game does not poll, the inbox is bounded, in all and for each peer, so that
// one peer does not crowd out the others.
func TestInboxIsBounded(t *testing.T) {
	b, pack := joined(t)
	b.arrive(strangers, hello(2).Append(nil))
	other, err := wire.ParseAccept(b.last())
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1000, 0} {
		p := pack(wire.Datagram, 2, make([]byte, size)...)
		for range 100_000 {
			b.Arrive(b.now, clientAddr, p)
		}
		s := &b.inbox.fill
		if n := len(s.bytes) + len(s.records)*int(unsafe.Sizeof(record{})); n > transport.MaxPeerInbox || b.inbox.dropped == 0 {
			t.Errorf("%d bytes wait, %d packets dropped", n, b.inbox.dropped)
		}
		if unsafe.Sizeof(record{}) > recordSize {
			t.Errorf("a packet takes %d bytes, not %d", unsafe.Sizeof(record{}), recordSize)
		}
		b.Arrive(b.now, strangers, wire.End(wire.Begin(nil, wire.Keepalive, false, other.ID, 1)))
		b.events = nil
		if b.Poll(b); size > 0 && (len(b.events) != 2 || b.events[1] != "connected Ada") {
			t.Errorf("beside a flood: %.200q", b.events)
		}
	}
	var peers []func() // all of them at once
	for i := range 40 {
		from := netip.AddrPortFrom(clientAddr.Addr(), uint16(1000+i))
		b.arrive(from, hello(uint64(10+i)).Append(nil))
		a, _ := wire.ParseAccept(b.last())
		b.arrive(from, wire.End(wire.Begin(nil, wire.Keepalive, false, a.ID, 1)))
		peers = append(peers, func() {
			p := wire.End(wire.Begin(nil, wire.Keepalive, false, a.ID, 2))
			for range 20_000 {
				b.Arrive(b.now, from, p)
			}
			if s := &b.inbox.fill; len(s.bytes)+len(s.records)*recordSize > transport.MaxInbox {
				t.Fatalf("%d bytes and %d packets wait", len(s.bytes), len(s.records))
			}
		})
	}
	for _, floods := range peers {
		floods()
	}
}

// A client has one peer: while the game stalls, that peer may fill the whole inbox.
func TestInboxOfAClient(t *testing.T) {
	b := dialled(t)
	m, _ := wire.ParseHello(b.sent[0])
	b.arrive(serverAddr, wire.AcceptMessage{Attempt: m.Attempt, ID: 5}.Append(nil))
	p := wire.End(append(wire.Begin(nil, wire.Datagram, true, 5, 1), make([]byte, 1000)...))
	const fit = transport.MaxInbox / (transport.Overhead + 1000 + recordSize)
	for range fit + 1 {
		b.Arrive(b.now, serverAddr, p)
	}
	if n := len(b.inbox.fill.records); n != fit || b.Counters().Dropped != 1 {
		t.Errorf("%d packets wait, want %d; %d dropped", n, fit, b.Counters().Dropped)
	}
}

// A Poll frees the inbox for what comes after it, and a slab that a flood has grown goes
// back to the heap.
func TestInboxIsFreed(t *testing.T) {
	b, pack := joined(t)
	const fit = transport.MaxPeerInbox / (transport.Overhead + 1000 + recordSize)
	next := uint64(2)
	send := func(n int) {
		t.Helper()
		b.events = nil
		for range n {
			b.Arrive(b.now, clientAddr, pack(wire.Datagram, next, make([]byte, 1000)...))
			next++
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

// Endless HELLOs while the game stalls leave room for the packets of connected peers.
func TestHellosDoNotCrowdOut(t *testing.T) {
	b, pack := joined(t)
	for i := range 10 * transport.MaxHelloInbox {
		b.Arrive(b.now, strangers, hello(uint64(i)).Append(nil))
	}
	if n := len(b.inbox.fill.records); n != transport.MaxHelloInbox || b.inbox.dropped != 9*transport.MaxHelloInbox {
		t.Errorf("%d wait, %d dropped", n, b.inbox.dropped)
	}
	if b.arrive(clientAddr, pack(wire.Datagram, 2, 'x')); len(b.events) != 1 {
		t.Errorf("beside them: %q", b.events)
	}
}

// An answer to no HELLO of the client does not enter the inbox.
func TestAnswersToNobody(t *testing.T) {
	b := dialled(t)
	m, _ := wire.ParseHello(b.sent[0])
	other := wire.AcceptMessage{Attempt: m.Attempt + 1, ID: 5}.Append(nil)
	accept := wire.AcceptMessage{Attempt: m.Attempt, ID: 5}.Append(nil)
	b.Arrive(b.now, serverAddr, other)
	b.Arrive(b.now, serverAddr, accept[:1])
	b.Arrive(b.now, strangers, accept)
	client := bytes.Clone(accept)
	client[0] &^= wire.FromListener
	b.Arrive(b.now, serverAddr, client)
	if n := len(b.inbox.fill.records); n != 0 || b.Counters().Ignored != 4 {
		t.Errorf("%d packets wait, %d ignored", n, b.Counters().Ignored)
	}
	b.arrive(serverAddr, accept)
	b.Arrive(b.now, serverAddr, accept)
	if n := len(b.inbox.fill.records); n != 0 || len(b.events) != 1 {
		t.Errorf("%d packets wait once it is in; events %q", n, b.events)
	}
}
