package kcp

// What a listener sends.

import (
	"encoding/binary"
	"net"
	"net/netip"
	"sync/atomic"
	"testing"

	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

// Packets are written in the order in which they were put, whatever is put meanwhile, and what
// waits is written before the outbox closes. Those that find no room are lost, and counted.
func TestOutbox(t *testing.T) {
	var lost atomic.Int64
	hold := make(chan struct{})
	started := make(chan struct{}, 1)
	next, batches := uint32(0), 0
	o := newOutbox(func(b *batch) int {
		select {
		case started <- struct{}{}:
		default:
		}
		<-hold
		batches++
		for i := range b.packets {
			if n := binary.LittleEndian.Uint32(b.packet(i)); n != next || b.packets[i].path.Remote.Port() != uint16(n) {
				t.Errorf("packet %d to port %d comes, and not %d", n, b.packets[i].path.Remote.Port(), next)
			}
			next++
		}
		return 1
	}, func(n int) { lost.Add(int64(n)) })
	put := func(n uint32, size int) {
		b := make([]byte, size)
		binary.LittleEndian.PutUint32(b, n)
		o.put(endpoint.Path{Remote: netip.AddrPortFrom(netip.IPv4Unspecified(), uint16(n))}, b)
	}
	put(0, 100)
	o.flush()
	<-started // the writer has the first and holds it
	const size = 1000
	fits := uint32(outboxMost / size)
	for n := range fits + 10 {
		put(1+n, size)
	}
	if n := lost.Load(); n != 10 {
		t.Errorf("%d packets are lost of 10 for which there is no room", n)
	}
	close(hold)
	o.close()
	if next != 1+fits || batches != 2 {
		t.Errorf("%d packets of %d were written in %d batches", next, 1+fits, batches)
	}
	put(1, 100)
	if n := lost.Load(); n != 13 { // one of each batch, and the last
		t.Errorf("%d packets are counted as lost, not 13", n)
	}
}

// A batch reaches each of its addresses, from sockets of one family and of both; a socket that
// is closed takes nothing of it.
func TestBatch(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", ":0"} {
		socket := boundTo(t, at)
		homing := newHoming(socket)
		s, err := newSender(socket, homing)
		if err != nil {
			t.Fatal(err)
		}
		w := newBatchWriter(s)
		var to []*net.UDPConn
		for range 3 {
			c, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			to = append(to, c)
		}
		const each = 50 // more than are written at once, and few enough for the sockets' buffers
		var b batch
		for i := range each * len(to) {
			path := endpoint.Path{Remote: to[i%len(to)].LocalAddr().(*net.UDPAddr).AddrPort()}
			if homing != nil && i%2 == 0 {
				path.Local = netip.MustParseAddr("127.0.0.1")
			}
			b.bytes = binary.LittleEndian.AppendUint32(b.bytes, uint32(i))
			b.packets = append(b.packets, outgoing{path, 4 * i, 4*i + 4})
		}
		if lost := w.send(&b); lost != 0 {
			t.Errorf("%s: %d packets are lost", at, lost)
		}
		for k, c := range to {
			for i := range each {
				var got [8]byte
				n, from, err := c.ReadFromUDPAddrPort(got[:])
				if want := uint32(i*len(to) + k); err != nil || n != 4 || binary.LittleEndian.Uint32(got[:]) != want || from.Port() != uint16(socket.LocalAddr().(*net.UDPAddr).Port) {
					t.Fatalf("%s: %d bytes, %x from %v, %v; packet %d is due", at, n, got, from, err, want)
				}
			}
		}
		socket.Close()
		if lost := w.send(&b); lost != len(b.packets) {
			t.Errorf("%s: %d packets are lost of %d on a closed socket", at, lost, len(b.packets))
		}
	}
}
