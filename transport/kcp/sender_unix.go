//go:build unix

package kcp

// Writing to the socket without waiting for long where it has no room.

import (
	"net"
	"sync"
	"syscall"
	"time"

	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

// A sender writes to a socket and waits little. A write of package net waits for as long
// as the socket's buffer is full. Where the network card is slower than the game, every
// step would wait so, and with it all peers.
type sender struct {
	socket *net.UDPConn
	raw    syscall.RawConn
	six    bool    // the socket's family; one of both families takes IPv4 addresses in IPv6's form
	homing *homing // nil: packets leave from where the system likes
	put    func(fd int, b, control []byte, to syscall.Sockaddr, flags int) (int, error)

	mu         sync.Mutex // guards the rest: what try is given, kept here so that a packet costs no memory
	try        func(fd uintptr) bool
	b, control []byte
	home       [controlSize]byte
	to         syscall.Sockaddr
	to4        syscall.SockaddrInet4
	to6        syscall.SockaddrInet6
	err        error
	credit     time.Duration // how long it may wait, …
	counted    time.Time     // … as counted then
	waits      time.Time     // since when it waits; zero: it does not
}

func newSender(socket *net.UDPConn, h *homing) (*sender, error) {
	raw, err := socket.SyscallConn()
	if err != nil {
		return nil, err
	}
	s := &sender{socket: socket, raw: raw, homing: h, put: syscall.SendmsgN}
	s.six = socket.LocalAddr().(*net.UDPAddr).IP.To4() == nil
	s.try = func(fd uintptr) bool {
		for {
			_, s.err = s.put(int(fd), s.b, s.control, s.to, 0)
			if s.err != syscall.EINTR {
				return s.err != syscall.EAGAIN || !s.mayWait() // false waits for room
			}
		}
	}
	return s, nil
}

// send writes one packet. It returns an error if the socket does not take the packet.
func (s *sender) send(b []byte, path endpoint.Path) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	to := path.Remote
	s.b, s.control = b, nil
	if s.homing != nil && path.Local.IsValid() {
		s.control = appendHome(s.home[:0], s.homing.six, path.Local)
	}
	if to.Addr().Zone() != "" || !s.six && !to.Addr().Is4() { // package net knows the zones, and what to say
		_, _, err := s.socket.WriteMsgUDPAddrPort(b, s.control, to)
		return err
	}
	if s.six {
		s.to6 = syscall.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()}
		s.to = &s.to6
	} else {
		s.to4 = syscall.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().As4()}
		s.to = &s.to4
	}
	err := s.raw.Write(s.try)
	s.waited()
	if err != nil {
		return err
	}
	return s.err
}

// mayWait reports whether it may wait, or wait on, for room, and limits the wait.
func (s *sender) mayWait() bool {
	if !s.waits.IsZero() {
		return true // the limit ends it
	}
	now := time.Now()
	s.credit = min(longestWait, s.credit+now.Sub(s.counted)/shareOfWaits)
	s.counted = now
	if s.credit <= 0 || s.socket.SetWriteDeadline(now.Add(s.credit)) != nil {
		return false
	}
	s.waits = now
	return true
}

// waited counts a wait that has ended, and takes its limit away.
func (s *sender) waited() {
	if s.waits.IsZero() {
		return
	}
	s.counted = time.Now()
	s.credit -= s.counted.Sub(s.waits)
	s.waits = time.Time{}
	_ = s.socket.SetWriteDeadline(time.Time{}) // of a socket that is closed by now: the next write says so
}
