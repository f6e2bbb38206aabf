package kcp

// Asking the system to which address a packet was sent.

import (
	"net"
	"syscall"
)

// controlSize holds the longest control message, which has an IPv6 address and an
// interface's index.
const controlSize = 64

// tellHomes asks the system to say with each packet to which address it was sent. A
// socket of both families says so in IPv6's form, of IPv4 packets too. index is where
// the message holds the interface's index.
func tellHomes(socket *net.UDPConn) (index int, ok bool) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return 0, false
	}
	if err := raw.Control(func(fd uintptr) {
		if syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IPV6, syscall.IPV6_RECVPKTINFO, 1) == nil {
			index, ok = syscall.CmsgLen(0)+16, true
			return
		}
		ok = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1) == nil
		index = syscall.CmsgLen(0)
	}); err != nil {
		return 0, false
	}
	return index, ok
}

// homeSize is the size of a whole control message.
func homeSize(index int) int {
	if index == syscall.CmsgLen(0) {
		return syscall.CmsgSpace(syscall.SizeofInet4Pktinfo)
	}
	return syscall.CmsgSpace(syscall.SizeofInet6Pktinfo)
}
