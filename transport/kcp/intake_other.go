//go:build !linux

package kcp

// Reading packets from the socket, one by one.

import (
	"net"
	"net/netip"

	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

// An intake takes packets from a socket. It is one goroutine's.
type intake struct {
	socket *net.UDPConn
	bytes  [readSize]byte
	n      int
	from   netip.AddrPort
}

// newIntake makes an intake. There are no control messages here (home_other.go).
func newIntake(socket *net.UDPConn, _ *homing, _ int) (*intake, error) {
	return &intake{socket: socket}, nil
}

// wait returns how many packets have come, once there is one.
func (r *intake) wait() (n int, err error) {
	r.n, r.from, err = r.socket.ReadFromUDPAddrPort(r.bytes[:])
	return 1, err
}

// packet is the packet that wait has taken, until the next wait.
func (r *intake) packet(int) (b []byte, from endpoint.Path) {
	return r.bytes[:r.n], endpoint.Path{Remote: netip.AddrPortFrom(r.from.Addr().Unmap(), r.from.Port())}
}
