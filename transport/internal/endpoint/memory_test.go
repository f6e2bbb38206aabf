//go:build !race

package endpoint

// What strangers and those on their way in cost the listener's memory.

import (
	"bytes"
	"encoding/binary"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/mtu"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Before its cookie comes back a client costs nothing; one that was let in and says nothing
// at most 4 KiB; one that is in and has not joined at most 8 KiB.
func TestMemoryOnTheWayIn(t *testing.T) {
	const clients = 100
	b := listening(t)
	b.offer.Joins = true
	at := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 1, byte(i >> 8), byte(i)}), 1000)
	}
	b.arrive(at(0), client(1).Hello())
	b.sent, b.to = nil, nil
	empty := heap()
	for i := range 10_000 {
		b.Arrive(b.now, Path{Remote: at(i)}, wire.HelloMessage{Attempt: uint64(i)}.Append(nil))
		b.sent, b.to = b.sent[:0], b.to[:0]
	}
	b.Poll(b)
	b.sent, b.to = nil, nil
	asked := heap()
	if grown := asked - empty; grown > 32<<10 { // 3 bytes each; the rest of the program has allocations of its own
		t.Errorf("10,000 questions leave %d bytes", grown)
	}
	all := make([]*raw.Client, clients)
	for i := range all {
		all[i] = b.accepted(t, at(i), uint64(i))
	}
	b.sent, b.to = nil, nil
	keys := make([][]byte, clients)
	for i, c := range all {
		keys[i] = c.Say(wire.Keepalive)
	}
	if h := b.Held(); h.HalfOpen != clients {
		t.Fatalf("%+v", h)
	}
	clear(all)
	half := heap()
	t.Logf("half-open: %d bytes each", (half-asked)/clients)
	if each := (half - asked) / clients; each > 4<<10 {
		t.Errorf("a half-open client takes %d bytes", each)
	}
	for i := range keys {
		b.Arrive(b.now, Path{Remote: at(i)}, keys[i])
	}
	b.Poll(b)
	if h := b.Held(); h.Open != clients || b.most() != 1 {
		t.Fatalf("%+v", h)
	}
	clear(keys)
	b.events, b.sent, b.to = nil, nil, nil
	for range 100 {
		b.now += time.Millisecond
		b.Tick()
		b.Poll(b)
	}
	unjoined := heap()
	t.Logf("unjoined: %d bytes each", (unjoined-asked)/clients)
	if each := (unjoined - asked) / clients; each > 8<<10 {
		t.Errorf("a client that has not joined takes %d bytes", each)
	}
	runtime.KeepAlive(b)
}

// Who is in, has not joined, and sends all that there is no room for, takes at most 40 KiB: parts of
// which the rest never comes, segments behind a missing one, datagrams while the game stands.
// Joined, it may send as everybody does.
func TestMemoryOfTheUnready(t *testing.T) {
	const clients = 64
	b := listening(t)
	b.offer.Joins, b.timing.Join, b.timing.Silence = true, time.Hour, time.Hour
	all := make([]*raw.Client, clients)
	at := func(i int) netip.AddrPort {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 2, 0, byte(i)}), 1000)
	}
	for i := range all {
		all[i] = b.accepted(t, at(i), uint64(i))
		b.arrive(at(i), all[i].Say(wire.Keepalive))
	}
	b.events, b.sent, b.to = nil, nil, nil
	segment := func(sn uint32, data []byte) []byte {
		s := binary.LittleEndian.AppendUint32(nil, 1)
		s = append(s, 81, 0, 0, 1, 0, 0, 0, 0)
		for _, v := range []uint32{sn, 0, uint32(len(data))} {
			s = binary.LittleEndian.AppendUint32(s, v)
		}
		return append(s, data...)
	}
	long := bytes.Repeat([]byte("x"), 1100)
	before := heap()
	for i, c := range all {
		for k := range 300 {
			part := mtu.Part{Of: uint16(c.Seq + 1), Index: 0, Count: 15, Kind: uint8(wire.Datagram), Data: long}
			b.Arrive(b.now, Path{Remote: at(i)}, c.Say(wire.Part, part.Append(nil)...))
			b.Arrive(b.now, Path{Remote: at(i)}, c.Say(wire.Lane, segment(1+uint32(k%255), long)...))
			b.now += time.Millisecond
			if k%16 == 0 {
				b.Poll(b)
			}
		}
		b.Poll(b)
		for range 300 { // the game stands
			b.now += time.Millisecond
			b.Arrive(b.now, Path{Remote: at(i)}, c.Say(wire.Datagram, long...))
		}
		if n := b.Held().Inbox; n > transport.MaxUnjoinedInbox {
			t.Fatalf("%d bytes of one wait for the game", n)
		}
		b.Poll(b)
		b.events, b.sent, b.to = nil, nil, nil
	}
	if h := b.Held(); h.Open != clients {
		t.Fatalf("%+v", h)
	}
	each := (heap() - before) / clients
	t.Logf("%d bytes each", each)
	if each > 40<<10 {
		t.Errorf("a client that has not joined takes %d bytes", each)
	}
	c := all[0]
	b.arrive(at(0), c.Say(wire.Lane, segment(0, []byte{5})...)) // and what waited makes a message
	b.conns[0].Joined()
	for sn := uint32(20); sn < 60; sn++ {
		b.arrive(at(0), c.Say(wire.Lane, segment(sn, long)...))
	}
	b.now += time.Second
	b.events = nil
	for sn := uint32(1); sn < 20; sn++ {
		b.arrive(at(0), c.Say(wire.Lane, segment(sn, long)...))
	}
	if len(b.events) < 200 || b.err != nil {
		t.Errorf("once it has joined %d messages come, %v", len(b.events), b.err)
	}
	runtime.KeepAlive(b)
}

// What 100,000 recorded packets of a whole session leave behind is at most 64 KiB.
func TestNothingIsKept(t *testing.T) {
	b := listening(t)
	c := client(1)
	recorded := [][]byte{c.Hello()}
	b.shake(clientAddr, c)
	recorded = append(recorded, c.Init)
	for i := range 20 {
		p := c.Say(wire.Datagram, make([]byte, 10*i)...)
		recorded = append(recorded, p)
		b.arrive(clientAddr, p)
	}
	b.sent, b.to, b.events = nil, nil, nil
	before := heap()
	for i := range 100_000 {
		from := netip.AddrPortFrom(strangers.Addr(), uint16(i%3000))
		if i%2 == 0 {
			from = clientAddr
		}
		b.Arrive(b.now, Path{Remote: from}, recorded[i%len(recorded)])
		b.sent, b.to = b.sent[:0], b.to[:0]
		if i%1000 == 0 {
			b.now += 10 * time.Millisecond
			b.Poll(b)
			b.Tick()
		}
	}
	b.Poll(b)
	b.Poll(b)
	if len(b.conns) != 1 || len(b.Endpoint.conns) != 1 {
		t.Errorf("%d connections", len(b.Endpoint.conns))
	}
	b.sent, b.to, b.events = nil, nil, nil
	grown := heap() - before
	t.Logf("%d bytes are kept", grown)
	if grown > 64<<10 {
		t.Errorf("%d bytes are kept", grown)
	}
	runtime.KeepAlive(b)
	runtime.KeepAlive(recorded)
}

// A connection that is remembered for its goodbye takes at most 4 KiB, whatever waited for its
// client.
func TestMemoryOfTheParted(t *testing.T) {
	const clients = 64
	b := listening(t)
	before := heap()
	for i := range clients {
		from := netip.AddrPortFrom(netip.AddrFrom4([4]byte{10, 3, 0, byte(i)}), 1000)
		c := b.accepted(t, from, uint64(i))
		b.arrive(from, c.Say(wire.Keepalive))
		part := mtu.Part{Of: uint16(c.Seq + 1), Index: 0, Count: 2, Kind: uint8(wire.Datagram), Data: make([]byte, 1000)}
		b.arrive(from, c.Say(wire.Part, part.Append(nil)...))
		for b.conns[i].Reliable(make([]byte, 8000)) == nil { // until there is no room for more
			continue
		}
		b.conns[i].Flush()
		b.conns[i].Close("why")
	}
	unheard(b)
	b.Poll(b)
	if h := b.Held(); h != (Held{Left: clients, IDs: clients}) {
		t.Fatalf("%+v", h)
	}
	b.events, b.conns = nil, nil
	each := (heap() - before) / clients
	t.Logf("%d bytes each", each)
	if each > 4<<10 {
		t.Errorf("a connection that is remembered takes %d bytes", each)
	}
	runtime.KeepAlive(b)
}
