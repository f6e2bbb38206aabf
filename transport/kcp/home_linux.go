package kcp

// Asking the system to which address a packet was sent, and telling it from which to send.

import (
	"encoding/binary"
	"net"
	"net/netip"
	"syscall"
)

// controlSize holds the longest control message, which has an IPv6 address and an
// interface's index.
const controlSize = 64

// askHomes asks the system to say with each packet to which address it was sent. A
// socket of both families says so in IPv6's form, of IPv4 packets too.
func askHomes(socket *net.UDPConn) (six, ok bool) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return false, false
	}
	if err := raw.Control(func(fd uintptr) {
		six = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IPV6, syscall.IPV6_RECVPKTINFO, 1) == nil
		ok = six || syscall.SetsockoptInt(int(fd), syscall.IPPROTO_IP, syscall.IP_PKTINFO, 1) == nil
	}); err != nil {
		return false, false
	}
	return six, ok
}

// home is the layout of a control message: its level, type and data, and where the address
// is in them. The rest is the interface's index, which stays 0: routing may change it.
func home(six bool) (level, kind, data, at, size int) {
	if six {
		return syscall.IPPROTO_IPV6, syscall.IPV6_PKTINFO, syscall.SizeofInet6Pktinfo, 0, 16
	}
	return syscall.IPPROTO_IP, syscall.IP_PKTINFO, syscall.SizeofInet4Pktinfo, 4, 4
}

// parseHome reads the address from a control message; it is invalid if there is none.
func parseHome(control []byte, six bool) netip.Addr {
	_, _, data, at, size := home(six)
	if len(control) != syscall.CmsgSpace(data) {
		return netip.Addr{}
	}
	from := syscall.CmsgLen(0) + at
	ip, _ := netip.AddrFromSlice(control[from : from+size])
	return ip
}

// appendHome writes the control message with which a packet leaves from an address.
func appendHome(b []byte, six bool, local netip.Addr) []byte {
	level, kind, data, at, size := home(six)
	m := append(b, make([]byte, syscall.CmsgSpace(data))...)
	h := m[len(b):]
	lengthSize := syscall.SizeofCmsghdr - 8
	if lengthSize == 8 {
		binary.NativeEndian.PutUint64(h, uint64(syscall.CmsgLen(data)))
	} else {
		binary.NativeEndian.PutUint32(h, uint32(syscall.CmsgLen(data)))
	}
	binary.NativeEndian.PutUint32(h[lengthSize:], uint32(level))
	binary.NativeEndian.PutUint32(h[lengthSize+4:], uint32(kind))
	ip := local.As16()
	copy(h[syscall.CmsgLen(0)+at:], ip[16-size:])
	return m
}
