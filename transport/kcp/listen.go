package kcp

import (
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

// A listener is a bound socket that a session may host on.
type listener struct {
	o      options
	socket *net.UDPConn

	mu     sync.Mutex
	link   *link
	closed bool
}

var _ transport.Listener = (*listener)(nil)

// Listen binds an address, such as "127.0.0.1:7777", or ":7777" for all addresses
// of this machine; with port 0 the system chooses the port. It opens the socket at
// once and fails if the port is taken. Peers get answers once a session hosts on it.
// On all addresses it answers from the one that a client has asked, on Linux. Elsewhere
// the system chooses: if the machine has several addresses on one network, bind the one
// that clients join.
func Listen(addr string, opts ...Option) (transport.Listener, error) {
	if err := checkAddress(addr); err != nil {
		return nil, err
	}
	if err := noUDP(); err != nil {
		return nil, err
	}
	at, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("kcp: cannot listen on %q: %w; write an address of this machine and a port from 0 to 65535, as in :7777", addr, err)
	}
	socket, err := net.ListenUDP("udp", at)
	if taken(err) {
		return nil, fmt.Errorf("kcp: cannot listen on %s: the port is taken; choose another, or end the program that has it: %w", addr, err)
	}
	if err != nil {
		return nil, fmt.Errorf("kcp: cannot listen on %s: %w; write an address of this machine, or :port for all of them", addr, err)
	}
	return &listener{o: collect(opts), socket: socket}, nil
}

// windowsTaken is WSAEADDRINUSE, which syscall does not name.
const windowsTaken = syscall.Errno(10048)

func taken(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, windowsTaken)
}

// Listen implements transport.Listener.
func (l *listener) Listen(o transport.Offer) (transport.Link, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.link != nil {
		return nil, fmt.Errorf("kcp: %s was hosted on before, or is closed; call kcp.Listen again", l.Addr())
	}
	k, err := open(l.socket, l.Addr(), true, l.o, func(c endpoint.Config) (*endpoint.Endpoint, error) { return endpoint.Listen(c, o) })
	if err != nil {
		l.closed = true
		return nil, err
	}
	l.link = k
	return k, nil
}

// Addr implements transport.Listener. It has the port that the system chose.
func (l *listener) Addr() string { return l.socket.LocalAddr().String() }

// Close implements transport.Listener.
func (l *listener) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.link != nil {
		return l.link.shut("the listener was closed")
	}
	if l.closed {
		return nil
	}
	l.closed = true
	return l.socket.Close()
}
