package kcp

// The address from which a listener on all addresses answers each client. Answers must come
// from the address that the client has asked: the client, and every NAT and firewall on the
// way, refuses others. Left alone, the system sends from the address that it likes best.

import "net"

// A homing socket says with each packet to which of the machine's addresses it was sent,
// and takes such an address with each packet to send.
type homing struct{ six bool } // six: in IPv6's form, also of IPv4 packets

// newHoming returns nil for a socket that has one address only, and on systems that do
// not say to which address a packet was sent.
func newHoming(socket *net.UDPConn) *homing {
	if !socket.LocalAddr().(*net.UDPAddr).IP.IsUnspecified() {
		return nil
	}
	six, ok := askHomes(socket)
	if !ok {
		return nil
	}
	return &homing{six}
}
