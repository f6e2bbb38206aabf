package kcp

// Reading several packets from the socket at once. Where packets come quicker than they are
// handled, as in a flood or from hundreds of peers, the system is asked once for all that
// wait: so more of them are taken before its buffer is full.

import (
	"encoding/binary"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"unsafe"

	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

// A datagram is what recvmmsg fills in: struct mmsghdr.
type datagram struct {
	header syscall.Msghdr
	size   uint32
}

// An arrived packet's bytes, sender and control message.
type arrived struct {
	bytes   [readSize]byte
	name    [syscall.SizeofSockaddrInet6]byte
	control [controlSize]byte
	vector  syscall.Iovec
}

// An intake takes packets from a socket. It is one goroutine's.
type intake struct {
	raw    syscall.RawConn
	homing *homing // nil: where packets were sent to does not matter
	all    []arrived
	heads  []datagram
	got    int
	err    error
	zones  map[uint32]string
	try    func(fd uintptr) bool // kept, so that a read allocates nothing
}

// newIntake makes an intake that takes up to most packets at once.
func newIntake(socket *net.UDPConn, h *homing, most int) (*intake, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	r := &intake{raw: raw, homing: h, all: make([]arrived, most), heads: make([]datagram, most), zones: map[uint32]string{}}
	for i := range r.all {
		a, m := &r.all[i], &r.heads[i].header
		a.vector.Base = &a.bytes[0]
		a.vector.SetLen(len(a.bytes))
		m.Name, m.Iov, m.Iovlen = &a.name[0], &a.vector, 1
		if h != nil {
			m.Control = &a.control[0]
		}
	}
	r.try = func(fd uintptr) bool {
		for {
			n, _, e := syscall.Syscall6(syscall.SYS_RECVMMSG, fd, uintptr(unsafe.Pointer(&r.heads[0])), uintptr(len(r.heads)), syscall.MSG_DONTWAIT, 0, 0)
			switch e {
			case 0:
				r.got, r.err = int(n), nil
				return true
			case syscall.EINTR:
			case syscall.EAGAIN:
				return false // and waits
			default:
				r.got, r.err = 0, e
				return true
			}
		}
	}
	return r, nil
}

// wait returns how many packets have come, once there are any.
func (r *intake) wait() (n int, err error) {
	for i := range r.heads {
		m := &r.heads[i].header
		m.Namelen = syscall.SizeofSockaddrInet6
		if r.homing != nil {
			m.SetControllen(controlSize)
		}
	}
	if err := r.raw.Read(r.try); err != nil {
		return 0, err
	}
	return r.got, r.err
}

// packet is one of the packets that wait has taken, until the next wait.
func (r *intake) packet(i int) (b []byte, from endpoint.Path) {
	a, m := &r.all[i], &r.heads[i]
	from.Remote = r.sender(a.name[:m.header.Namelen])
	if r.homing != nil && !from.Remote.Addr().IsLinkLocalUnicast() { // which holds on one interface, which the system finds
		from.Local = parseHome(a.control[:m.header.Controllen], r.homing.six)
	}
	return a.bytes[:min(int(m.size), len(a.bytes))], from
}

// sender reads a socket address.
func (r *intake) sender(b []byte) netip.AddrPort {
	if len(b) < syscall.SizeofSockaddrInet4 {
		return netip.AddrPort{}
	}
	port := binary.BigEndian.Uint16(b[2:])
	if binary.NativeEndian.Uint16(b) == syscall.AF_INET {
		return netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[4:8])), port)
	}
	if len(b) < syscall.SizeofSockaddrInet6 {
		return netip.AddrPort{}
	}
	ip := netip.AddrFrom16([16]byte(b[8:24])).Unmap()
	if zone := binary.NativeEndian.Uint32(b[24:]); zone != 0 && ip.Is6() {
		ip = ip.WithZone(r.zone(zone))
	}
	return netip.AddrPortFrom(ip, port)
}

// zone is the name of an interface.
func (r *intake) zone(index uint32) string {
	if name, ok := r.zones[index]; ok {
		return name
	}
	name := strconv.Itoa(int(index))
	if i, err := net.InterfaceByIndex(int(index)); err == nil {
		name = i.Name
	}
	r.zones[index] = name
	return name
}
