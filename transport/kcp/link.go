package kcp

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
)

const (
	// tickEvery is how often the timer looks for questions to repeat and
	// silence to break: a fifth of transport.Keepalive.
	tickEvery = 50 * time.Millisecond
	// readBuffer is asked of the system for a socket: a second of a hundred
	// players' packets while the reader does not run.
	readBuffer = 1 << 20
	// longestPause between two reads of a socket that returns errors.
	longestPause = 100 * time.Millisecond
)

// A link is an endpoint on a socket.
type link struct {
	e      *endpoint.Endpoint
	socket *net.UDPConn
	air    *air // nil: no simulated network
	start  time.Time
	once   sync.Once
	done   chan struct{}
	all    sync.WaitGroup // the goroutines

	readErrors, writeErrors atomic.Uint64
}

var _ transport.Link = (*link)(nil)

// open makes a link on a socket; start gives it its endpoint. The socket is the
// link's from then on, also when that fails.
func open(socket *net.UDPConn, local string, o options, start func(endpoint.Config) (*endpoint.Endpoint, error)) (*link, error) {
	l := &link{socket: socket, start: time.Now(), done: make(chan struct{})}
	send := l.write
	if o.simulation != nil {
		l.air = o.simulation.attach(l)
		send = l.air.send
	}
	e, err := start(endpoint.Config{
		Transport: "kcp", Local: local, Now: l.Now, Send: send, Random: random, Machine: newMachine, Timing: o.timing,
	})
	if err != nil {
		if l.air != nil {
			o.simulation.detach(l.air)
		}
		socket.Close()
		return nil, err
	}
	l.e = e
	socket.SetReadBuffer(readBuffer) // if the system refuses, its own size will do
	l.all.Go(l.read)
	l.all.Go(l.tick)
	if l.air != nil {
		l.all.Go(l.air.run)
	}
	return l, nil
}

// Now implements transport.Link.
func (l *link) Now() time.Duration { return time.Since(l.start) }

// Poll implements transport.Link.
func (l *link) Poll(h transport.Handler) { l.e.Poll(h) }

// Err implements transport.Link.
func (l *link) Err() error { return l.e.Err() }

// Counters implements transport.Link.
func (l *link) Counters() transport.Counters {
	c := l.e.Counters()
	c.ReadErrors, c.WriteErrors = l.readErrors.Load(), l.writeErrors.Load()
	return c
}

// Close implements transport.Link.
func (l *link) Close(reason string) error {
	l.e.Close(reason)
	return l.free()
}

// shut is Close by the listener, of which the Handler is told.
func (l *link) shut(reason string) error {
	l.e.Shut(reason)
	return l.free()
}

// free gives the socket back, once. It waits for the goroutines, which wait for
// nothing.
func (l *link) free() (err error) {
	l.once.Do(func() {
		close(l.done)
		if l.air != nil {
			l.air.close()
		}
		err = l.socket.Close()
		l.all.Wait()
	})
	return err
}

// write puts a packet on the socket. One that fails is a packet lost; a peer
// that cannot be reached is found out by his silence.
func (l *link) write(to netip.AddrPort, b []byte) {
	if _, err := l.socket.WriteToUDPAddrPort(b, to); err != nil {
		l.writeErrors.Add(1)
	}
}

// Windows says by an error of the next read that a packet was longer than the
// buffer, or that one sent before was not wanted. syscall does not name them.
const (
	windowsTooLong  = syscall.Errno(10040)
	windowsNetReset = syscall.Errno(10052)
	windowsReset    = syscall.Errno(10054)
)

// ofOnePacket reports whether an error of the socket says nothing of the next
// packet: to pause then would have strangers hold up the others.
func ofOnePacket(err error) bool {
	return errors.Is(err, windowsTooLong) || errors.Is(err, windowsNetReset) || errors.Is(err, windowsReset)
}

// read takes packets from the socket until the link is closed. It goes on after
// all errors (a host that refuses, a network that is away for a while) but that
// of a socket which somebody else has closed.
func (l *link) read() {
	var b [2 << 10]byte // longer packets are cut, and then too long all the same
	pause := time.Duration(0)
	for {
		n, from, err := l.socket.ReadFromUDPAddrPort(b[:])
		at := l.Now()
		if err == nil {
			pause = 0
			l.arrive(at, netip.AddrPortFrom(from.Addr().Unmap(), from.Port()), b[:n])
			continue
		}
		l.readErrors.Add(1)
		if errors.Is(err, net.ErrClosed) {
			l.e.Fail(err)
			return
		}
		if ofOnePacket(err) {
			continue
		}
		pause = min(max(2*pause, time.Millisecond), longestPause)
		select {
		case <-l.done:
			return
		case <-time.After(pause):
		}
	}
}

func (l *link) arrive(at time.Duration, from netip.AddrPort, b []byte) {
	if l.air != nil {
		l.air.receive(at, from, b)
		return
	}
	l.e.Arrive(at, from, b)
}

func (l *link) tick() {
	t := time.NewTicker(tickEvery)
	defer t.Stop()
	for {
		select {
		case <-l.done:
			return
		case <-t.C:
			l.e.Tick()
		}
	}
}

// random is 64 bits that nobody can guess.
func random() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never fails: it ends the program instead
	return binary.LittleEndian.Uint64(b[:])
}
