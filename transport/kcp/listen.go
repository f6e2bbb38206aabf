package kcp

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/internal/seal"
	"github.com/tendonengine/tendon/transport/token"
)

// A Listener is a bound socket that a session may host on. Its methods may be called from
// any goroutine.
type Listener struct {
	o      options
	socket *net.UDPConn
	key    Key
	check  *token.Checker // nil: no tokens

	mu     sync.Mutex
	link   *link
	closed bool
	game   string // once it is hosted on
}

var _ transport.Listener = (*Listener)(nil)

// Listen binds an address, such as "127.0.0.1:7777", or ":7777" for all addresses
// of this machine; with port 0 the system chooses the port. It opens the socket at
// once. If the port is taken, by a session that has just been closed and still says goodbye,
// it tries again for a second and a half, and then fails: who steps other sessions on the same
// goroutine takes another port (port 0). Peers get answers once a session hosts on it.
// On all addresses it answers from the one that a client has asked, on Linux. Elsewhere
// the system chooses: if the machine has several addresses on one network, bind the one
// that clients join.
//
// The listener's key is kept in the user's configuration (os.UserConfigDir,
// tendon/server.key), so that a join string is good for the next program too; with port 0,
// with which the address is not, the key is new each time. If it cannot be kept, the
// default logger is told. WithKey and WithKeyFile give another one.
func Listen(addr string, opts ...Option) (*Listener, error) {
	if err := checkAddress(addr); err != nil {
		return nil, err
	}
	if err := noUDP(); err != nil {
		return nil, err
	}
	o := collect(opts)
	if err := o.checkListener(); err != nil {
		return nil, err
	}
	at, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return nil, fmt.Errorf("kcp: cannot listen on %q: %w; write an address of this machine and a port from 0 to 65535, as in :7777", addr, err)
	}
	socket, err := net.ListenUDP("udp", at)
	for until := time.Now().Add(portWait); taken(err) && time.Now().Before(until); {
		time.Sleep(pollPort)
		socket, err = net.ListenUDP("udp", at)
	}
	if taken(err) {
		return nil, fmt.Errorf("kcp: cannot listen on %s: the port is taken; choose another, or end the program that has it: %w", addr, err)
	}
	if err != nil {
		return nil, fmt.Errorf("kcp: cannot listen on %s: %w; write an address of this machine, or :port for all of them", addr, err)
	}
	l := &Listener{o: o, socket: socket}
	if err := l.prepare(at.Port == 0); err != nil {
		socket.Close()
		return nil, err
	}
	return l, nil
}

// prepare gets the listener's key, and makes what checks tokens.
func (l *Listener) prepare(passing bool) (err error) {
	switch {
	case l.o.key != nil:
		l.key = *l.o.key
	case l.o.keyFile != "":
		l.key, err = loadKey(l.o.keyFile)
	case passing:
		l.key = NewKey()
	default:
		l.key = keptKey()
	}
	if err == nil && l.o.tokens {
		l.check, err = token.NewChecker(l.key.Public(), time.Now, l.o.signers...)
	}
	return err
}

// keptKey is the server's key in the user's configuration; one of this program's alone if
// it cannot be kept.
func keptKey() Key {
	path, err := ownPath(serverFile)
	if err == nil {
		var k Key
		if k, err = loadKey(path); err == nil {
			return k
		}
	}
	slog.Warn("the server's key is not kept: its join string is good until the program ends; give it a file with kcp.WithKeyFile", "err", err)
	return NewKey()
}

// windowsTaken is WSAEADDRINUSE, which syscall does not name.
const windowsTaken = syscall.Errno(10048)

func taken(err error) bool {
	return errors.Is(err, syscall.EADDRINUSE) || errors.Is(err, windowsTaken)
}

// Listen implements transport.Listener.
func (l *Listener) Listen(o transport.Offer) (transport.Link, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed || l.link != nil {
		return nil, fmt.Errorf("kcp: %s was hosted on before, or is closed; call kcp.Listen again", l.Addr())
	}
	k, err := open(l.socket, l.Addr(), l.o, func(c endpoint.Config) (bool, *endpoint.Endpoint, error) {
		c.Listener.Pair, c.Listener.Secret = seal.PairOf(seal.Key(l.key)), seal.SecretKey([]byte(l.o.secret))
		if l.check != nil {
			c.Listener.Token = func(b []byte, client seal.Key) (string, error) { return l.check.Check(b, client) }
		}
		e, err := endpoint.Listen(c, o)
		return true, e, err
	})
	if err != nil {
		l.closed = true
		return nil, err
	}
	l.link, l.game = k, o.Game
	return k, nil
}

// Addr implements transport.Listener. It has the port that the system chose.
func (l *Listener) Addr() string { return l.socket.LocalAddr().String() }

// JoinString is the text that players paste to join: the address, this listener's public
// key, the join secret if there is one (so who has the text may join), and, once a session
// hosts here, the game's name. A Dialer takes it.
func (l *Listener) JoinString() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	j := JoinString{Address: l.reached(), Key: l.key.Public(), Game: l.game}
	if l.o.secret != "" {
		j.Secret = []byte(l.o.secret)
	}
	return j.String()
}

// reached is the address at which players reach the listener.
func (l *Listener) reached() string {
	at := l.socket.LocalAddr().(*net.UDPAddr).AddrPort()
	switch host, port := splitReached(l.o.address, at.Port()); {
	case host != "":
		return net.JoinHostPort(host, strconv.Itoa(int(port)))
	case !at.Addr().IsUnspecified():
		return at.String()
	}
	// Nothing is sent: the system is asked which of its addresses it would send from.
	for _, far := range []string{"192.0.2.1:9", "[2001:db8::1]:9"} {
		if c, err := net.Dial("udp", far); err == nil {
			local := c.LocalAddr().(*net.UDPAddr).AddrPort().Addr().Unmap()
			c.Close()
			return netip.AddrPortFrom(local, at.Port()).String()
		}
	}
	return netip.AddrPortFrom(thisMachine, at.Port()).String()
}

// Close implements transport.Listener.
func (l *Listener) Close() error {
	l.mu.Lock()
	if link := l.link; link != nil {
		l.mu.Unlock() // it may take a second
		return link.shut("the listener was closed")
	}
	defer l.mu.Unlock()
	if l.closed {
		return nil
	}
	l.closed = true
	return l.socket.Close()
}
