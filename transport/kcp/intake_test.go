package kcp

import (
	"bytes"
	"fmt"
	"net"
	"net/netip"
	"runtime"
	"testing"

	"github.com/tendonengine/tendon/transport"
)

// Packets that wait in the socket are taken together where the system can do that, in their
// order, each with who sent it and to where; one that is too long is cut, and still too long.
func TestIntake(t *testing.T) {
	for _, x := range []struct{ network, listen, to string }{
		{"udp4", "127.0.0.1:0", "127.0.0.1"},
		{"udp", ":0", "127.0.0.2"},
		{"udp", ":0", "::1"},
	} {
		t.Run(x.listen+" "+x.to, func(t *testing.T) {
			at, err := net.ResolveUDPAddr(x.network, x.listen)
			if err != nil {
				t.Fatal(err)
			}
			socket, err := net.ListenUDP(x.network, at)
			if err != nil {
				t.Fatal(err)
			}
			defer socket.Close()
			homing := newHoming(socket)
			in, err := newIntake(socket, homing, readBatch)
			if err != nil {
				t.Fatal(err)
			}
			to := netip.AddrPortFrom(netip.MustParseAddr(x.to), uint16(socket.LocalAddr().(*net.UDPAddr).Port))
			sender, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
			if err != nil {
				t.Skip(err) // no IPv6, or no second address
			}
			defer sender.Close()
			const packets = 100
			for i := range packets {
				b := fmt.Appendf(nil, "packet %d", i)
				if i == packets-1 {
					b = bytes.Repeat([]byte("x"), 3*readSize)
				}
				if _, err := sender.Write(b); err != nil {
					t.Fatal(err)
				}
			}
			waits := 0
			for got := 0; got < packets; waits++ {
				n, err := in.wait()
				if err != nil && got < packets-1 { // of a packet that is too long, some systems say so
					t.Fatal(err)
				}
				for i := range n {
					b, from := in.packet(i)
					if got < packets-1 && string(b) != fmt.Sprintf("packet %d", got) || got == packets-1 && err == nil && (len(b) <= transport.MaxPacket || len(b) > readSize) {
						t.Fatalf("packet %d is %.20q of %d bytes", got, b, len(b))
					}
					if err == nil && from.Remote != sender.LocalAddr().(*net.UDPAddr).AddrPort() {
						t.Fatalf("packet %d comes from %v, not %v", got, from.Remote, sender.LocalAddr())
					}
					if homing != nil && from.Local.Unmap().String() != x.to {
						t.Fatalf("packet %d went to %v, not %s", got, from.Local, x.to)
					}
					got++
				}
			}
			if want := (packets + readBatch - 1) / readBatch; runtime.GOOS == "linux" && waits != want {
				t.Errorf("%d packets are taken at %d times, want %d", packets, waits, want)
			}
		})
	}
}
