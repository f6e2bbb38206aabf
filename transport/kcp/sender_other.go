//go:build !unix

package kcp

// Writing to the socket where the system drops what it has no room for, or waits.

import (
	"net"

	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

// A sender writes to a socket.
type sender struct{ socket *net.UDPConn }

func newSender(socket *net.UDPConn, _ *homing) (*sender, error) { return &sender{socket}, nil }

// send writes one packet. There are no control messages here (home_other.go).
func (s *sender) send(b []byte, path endpoint.Path) error {
	_, err := s.socket.WriteToUDPAddrPort(b, path.Remote)
	return err
}
