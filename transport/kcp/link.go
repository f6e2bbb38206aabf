package kcp

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"net"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/endpoint"
	"github.com/tendonengine/tendon/transport/lane"
)

// A link is an endpoint on a UDP socket: its goroutines read packets and run the
// endpoint's timer.
type link struct {
	e      *endpoint.Endpoint
	socket *net.UDPConn
	sender *sender
	outbox *outbox // a listener's; nil: what is sent is written at once
	intake *intake
	air    *air          // nil: no simulated network
	homing *homing       // nil: the socket's packets all come from one address
	work   chan struct{} // a listener's: a handshake waits for the worker
	over   func()        // called when the link is closed; nil: nothing
	start  time.Time
	once   sync.Once
	done   chan struct{}  // closed when the goodbyes are said
	all    sync.WaitGroup // the goroutines
	freed  chan struct{}  // closed when the socket and the goroutines are gone
	err    error          // of freeing the socket

	readErrors, writeErrors atomic.Uint64
}

var _ transport.Link = (*link)(nil)

// A starter makes a link's endpoint, and says whether it listens: then a worker is needed.
type starter func(endpoint.Config) (listens bool, e *endpoint.Endpoint, err error)

// open makes a link on a socket; start makes its endpoint. open takes over the
// socket and closes it when start fails.
func open(socket *net.UDPConn, local string, o options, start starter) (*link, error) {
	l := &link{socket: socket, homing: newHoming(socket), start: time.Now(), work: make(chan struct{}, 1), done: make(chan struct{}), freed: make(chan struct{})}
	var err error
	if l.sender, err = newSender(socket, l.homing); err != nil {
		socket.Close()
		return nil, err
	}
	send := l.write
	if o.simulation != nil {
		l.air = o.simulation.attach(l)
		send = l.air.send
	}
	listens, e, err := start(endpoint.Config{
		Transport: "kcp", Local: local, Now: l.Now, Send: send, Flush: l.flush, Random: random, Machine: lane.NewARQ, Timing: o.timing,
		Listener: endpoint.Listener{Wake: l.wake},
	})
	if err == nil {
		most := readBatch
		if !listens {
			most = readBatchClient
		}
		l.intake, err = newIntake(socket, l.homing, most)
	}
	if err != nil {
		if l.air != nil {
			o.simulation.detach(l.air)
		}
		socket.Close()
		return nil, err
	}
	l.e = e
	if listens {
		l.outbox = newOutbox(newBatchWriter(l.sender).send, func(n int) { l.writeErrors.Add(uint64(n)) })
	}
	socket.SetReadBuffer(readBuffer) // if the system refuses, its own size will do
	l.all.Go(l.read)
	l.all.Go(l.tick)
	if listens {
		l.all.Go(l.shakeHands)
	}
	if l.air != nil {
		l.all.Go(l.air.run)
	}
	return l, nil
}

// Now implements transport.Link.
func (l *link) Now() time.Duration { return time.Since(l.start) }

// Poll implements transport.Link.
func (l *link) Poll(h transport.Handler) {
	l.e.Poll(h)
	l.flush()
}

// Err implements transport.Link.
func (l *link) Err() error { return l.e.Err() }

// Counters implements transport.Link.
func (l *link) Counters() transport.Counters {
	c := l.e.Counters()
	c.ReadErrors, c.WriteErrors = l.readErrors.Load(), l.writeErrors.Load()
	return c
}

// Close implements transport.Link.
func (l *link) Close(reason string) {
	l.e.Close(reason)
	l.part()
}

// Wait implements transport.Link.
func (l *link) Wait() error {
	<-l.freed
	return l.err
}

// shut closes the link because its listener was closed; unlike Close, it is reported
// to the Handler.
func (l *link) shut(reason string) error {
	l.e.Shut(reason)
	l.part()
	return l.Wait()
}

// part has the goodbyes leave once, and the rest happen beside the game, which may step other
// sessions.
func (l *link) part() {
	l.once.Do(func() {
		if l.outbox != nil {
			l.outbox.drain() // the program may end right after this
		}
		if l.over != nil {
			l.over()
		}
		go l.free()
	})
}

// free waits until all peers know that this end has closed, then closes the socket and waits
// for the goroutines, which do not block.
func (l *link) free() {
	for l.e.Lingers() && !errors.Is(l.e.Err(), transport.ErrSocket) {
		time.Sleep(pollGoodbye)
	}
	close(l.done)
	if l.air != nil {
		l.air.close()
	}
	if l.outbox != nil {
		l.outbox.close()
	}
	l.err = l.socket.Close()
	l.all.Wait()
	close(l.freed)
}

// write sends a packet on the socket; a listener's leaves with others (flush). A failed write is
// a lost packet, also if the socket has no room, so that a slow network card does not stop the
// game; a peer that cannot be reached is detected by its silence.
func (l *link) write(to endpoint.Path, b []byte) {
	if l.outbox != nil {
		l.outbox.put(to, b)
	} else if err := l.sender.send(b, to); err != nil {
		l.writeErrors.Add(1)
	}
}

// flush has what a listener sends leave now.
func (l *link) flush() {
	if l.outbox != nil {
		l.outbox.flush()
	}
}

// On Windows a read returns one of these errors when a packet was longer than the
// buffer, or when a packet sent earlier was rejected. syscall does not name them.
const (
	windowsTooLong  = syscall.Errno(10040)
	windowsNetReset = syscall.Errno(10052)
	windowsReset    = syscall.Errno(10054)
)

// ofOnePacket reports whether a read error concerns a single packet, so that the
// next read may succeed. The reader must not pause after such an error, or
// strangers could delay the other peers' packets.
func ofOnePacket(err error) bool {
	return errors.Is(err, windowsTooLong) || errors.Is(err, windowsNetReset) || errors.Is(err, windowsReset)
}

// read takes packets from the socket until it is closed. It continues after every
// other error, such as a host that refuses packets or a network that is down for a
// while.
func (l *link) read() {
	pause, full := time.Duration(0), 0
	for {
		n, err := l.intake.wait()
		at := l.Now()
		if err == nil {
			pause = 0
			if full++; n < readBatch {
				full = 0
			}
			if l.air == nil { // else another goroutine calls Arrive, and a simulated network has no floods
				l.e.Press(at, full >= fullBatches)
			}
			for i := range n {
				b, from := l.intake.packet(i)
				l.arrive(at, from, b)
			}
			l.flush()
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

func (l *link) arrive(at time.Duration, from endpoint.Path, b []byte) {
	if l.air != nil {
		l.air.receive(at, from, b)
		return
	}
	l.e.Arrive(at, from, b)
}

// wake tells the worker that a handshake waits.
func (l *link) wake() {
	select {
	case l.work <- struct{}{}:
	default: // it will look once more anyway
	}
}

// shakeHands is a listener's worker: a handshake takes half a millisecond, which neither
// the reader nor the game has.
func (l *link) shakeHands() {
	for {
		select {
		case <-l.done:
			return
		case <-l.work:
			l.e.Work()
			l.flush()
		}
	}
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
			l.flush()
		}
	}
}

// random returns 64 bits that nobody can guess.
func random() uint64 {
	var b [8]byte
	rand.Read(b[:]) // never returns an error: it ends the program instead
	return binary.LittleEndian.Uint64(b[:])
}
