package endpoint

import (
	"math/rand/v2"
	"net/netip"
	"runtime"
	"testing"
	"time"

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

// While the game does not poll, what waits is bounded.
func TestInboxIsBounded(t *testing.T) {
	b, pack := joined(t)
	p := pack(wire.Datagram, 2, make([]byte, 1000)...)
	for range 10_000 {
		b.Arrive(b.now, clientAddr, p)
	}
	if n := len(b.inbox.fill.bytes); n > transport.MaxInbox || b.inbox.dropped == 0 {
		t.Errorf("%d bytes wait, %d packets dropped", n, b.inbox.dropped)
	}
}
