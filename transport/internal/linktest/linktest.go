// Package linktest is the tests that every transport.Link must pass. Package mem
// runs them in virtual time, package kcp over sockets.
package linktest

import (
	"fmt"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

// A Net is a new network to test on.
type Net struct {
	Listener transport.Listener
	Dialer   func() transport.Dialer // makes the Dialer of one more client to Listener
	Nowhere  transport.Dialer        // to an address where nobody answers
	Step     func()                  // lets some time pass, at most 20 ms
	Steps    int                     // steps after which a test stops waiting for an event
	Idle     int                     // steps that take longer than the silence that ends a connection
	Set      func(netsim.Conditions) // sets the conditions of all clients, in both directions
}

// A Recorder is a Handler that records its calls.
type Recorder struct {
	Conns     []transport.Conn
	Hellos    []string
	Datagrams []Datagram
	Messages  []string
	Ended     []error
	// OnMessage, if set, is called for each message.
	OnMessage func(c transport.Conn, m []byte)
	gone      map[transport.Conn]bool
	wrong     []string
}

type Datagram struct {
	Conn transport.Conn
	Seq  uint64
	At   time.Duration
	Body string
}

func (r *Recorder) Connected(c transport.Conn, hello []byte) {
	r.alive(c, "Connected")
	r.Conns = append(r.Conns, c)
	r.Hellos = append(r.Hellos, string(hello))
}

func (r *Recorder) Datagram(c transport.Conn, seq uint64, at time.Duration, b []byte) {
	r.alive(c, "Datagram")
	r.Datagrams = append(r.Datagrams, Datagram{c, seq, at, string(b)})
}

func (r *Recorder) Message(c transport.Conn, b []byte) {
	r.alive(c, "Message")
	r.Messages = append(r.Messages, string(b))
	if r.OnMessage != nil {
		r.OnMessage(c, b)
	}
}

func (r *Recorder) Closed(c transport.Conn, err error) {
	r.alive(c, "Closed")
	if r.gone == nil {
		r.gone = map[transport.Conn]bool{}
	}
	r.gone[c] = true
	r.Ended = append(r.Ended, err)
}

func (r *Recorder) alive(c transport.Conn, what string) {
	if r.gone[c] {
		r.wrong = append(r.wrong, what+" after Closed")
	}
}

// A Counter is a Handler that counts datagrams, and keeps nothing of them.
type Counter struct {
	Recorder
	Datagrams int
}

func (c *Counter) Datagram(transport.Conn, uint64, time.Duration, []byte) { c.Datagrams++ }

// A Side is a link and the recorder of what it has reported.
type Side struct {
	transport.Link
	Recorder
	closed bool
}

// A Rig is a test in progress: a Net and the links opened on it.
type Rig struct {
	*testing.T
	Net
	Server *Side
	sides  []*Side
}

// NewRig starts a test on a net.
func NewRig(t *testing.T, n Net) *Rig {
	r := &Rig{T: t, Net: n}
	t.Cleanup(func() {
		for _, s := range r.sides {
			if !s.closed {
				s.Close("the test is over")
			}
		}
		for _, s := range r.sides {
			_ = s.Wait() // a test may have closed its socket
			for _, w := range s.wrong {
				t.Error(w)
			}
		}
		n.Listener.Close()
	})
	return r
}

// Offer is the offer that both ends make unless a test wants another.
func Offer() transport.Offer {
	return transport.Offer{Game: "linktest", Schema: 42, Digest: []byte("digest of 42")}
}

// Host listens on the net's Listener.
func (r *Rig) Host(o transport.Offer) *Side {
	r.Helper()
	l, err := r.Listener.Listen(o)
	if err != nil {
		r.Fatal(err)
	}
	r.Server = &Side{Link: l}
	r.sides = append(r.sides, r.Server)
	return r.Server
}

// Join dials and does not wait for the connection.
func (r *Rig) Join(o transport.Offer) *Side {
	r.Helper()
	return r.dial(r.Dialer(), o)
}

func (r *Rig) dial(d transport.Dialer, o transport.Offer) *Side {
	r.Helper()
	l, err := d.Dial(o)
	if err != nil {
		r.Fatal(err)
	}
	s := &Side{Link: l}
	r.sides = append(r.sides, s)
	return s
}

// Pair returns a listener and a client that are connected, each by its first Conn.
func (r *Rig) Pair() (server, client *Side) {
	r.Helper()
	server, client = r.Host(Offer()), r.Join(Offer())
	r.Until("both are connected", func() bool { return len(server.Conns) == 1 && len(client.Conns) == 1 })
	return server, client
}

// Turn lets the time of one step pass and polls every link.
func (r *Rig) Turn() {
	r.Step()
	for _, s := range r.sides {
		if !s.closed {
			s.Poll(&s.Recorder)
		}
	}
}

// Until turns until a condition holds; it fails the test when it never does.
func (r *Rig) Until(what string, so func() bool) {
	r.Helper()
	for range r.Steps {
		if so() {
			return
		}
		r.Turn()
	}
	if !so() {
		r.Fatalf("never: %s", what)
	}
}

// Leave closes a link, and does not wait until the goodbye has arrived.
func (r *Rig) Leave(s *Side, reason string) {
	s.closed = true
	s.Close(reason)
}

// Hang closes a link, and waits until it is freed.
func (r *Rig) Hang(s *Side, reason string) {
	r.Helper()
	r.Leave(s, reason)
	if err := s.Wait(); err != nil {
		r.Error(err)
	}
}

// Send sends one datagram and returns its number.
func Send(c transport.Conn, format string, args ...any) uint64 {
	seq, _ := c.Next()
	c.Datagram(fmt.Appendf(nil, format, args...))
	c.Flush()
	return seq
}
