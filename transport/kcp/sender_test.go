//go:build unix

package kcp

// Sockets that have no room.

import (
	"net/netip"
	"syscall"
	"testing"

	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

// A packet for which the socket has no room is lost and counted. The game does not wait
// until there is room, and sends again once there is.
func TestFullSocketLosesThePacket(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", ":0"} {
		socket := boundTo(t, at)
		s, err := newSender(socket, nil)
		if err != nil {
			t.Fatal(err)
		}
		calls := 0
		s.put = func(int, []byte, []byte, syscall.Sockaddr, int) (int, error) {
			if calls++; calls == 1 {
				return 0, syscall.EINTR
			}
			return 0, syscall.EAGAIN
		}
		l := &link{socket: socket, sender: s}
		const packets = 1000
		for range packets { // would not end if it waited for room
			l.write(endpoint.Path{Remote: netip.MustParseAddrPort("127.0.0.1:7")}, []byte("x"))
		}
		if n := l.writeErrors.Load(); n != packets || calls <= packets {
			t.Errorf("%d packets are counted as lost after %d calls, want %d", n, calls, packets)
		}
		s.put = syscall.SendmsgN
		l.write(endpoint.Path{Remote: netip.MustParseAddrPort("127.0.0.1:7")}, []byte("x"))
		if n := l.writeErrors.Load(); n != packets {
			t.Error("a packet is lost although there is room again")
		}
	}
}
