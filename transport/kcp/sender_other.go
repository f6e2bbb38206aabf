//go:build !unix

package kcp

// Writing to the socket where the system drops what it has no room for, or waits.

import (
	"net"
	"net/netip"
)

// A sender writes to a socket.
type sender struct{ socket *net.UDPConn }

func newSender(socket *net.UDPConn) (*sender, error) { return &sender{socket}, nil }

// send writes one packet. There are no control messages here (home_other.go).
func (s *sender) send(b, _ []byte, to netip.AddrPort) error {
	_, err := s.socket.WriteToUDPAddrPort(b, to)
	return err
}
