package ecs_test

// The spy: a listener that keeps the packets a server sends to each peer, a dialer that
// keeps a client's, and the tests of what each end tells its lane about loss.

import (
	"slices"
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/netsim"
)

type spyListener struct {
	transport.Listener
	conns []*spyConn // in the order in which they were opened
}

func (l *spyListener) Listen(o transport.Offer) (transport.Link, error) {
	link, err := l.Listener.Listen(o)
	return &spyLink{Link: link, to: l}, err
}

// A spyDialer keeps what a client sends.
type spyDialer struct {
	transport.Dialer
	to spyListener
}

func (d *spyDialer) Dial(o transport.Offer) (transport.Link, error) {
	link, err := d.Dialer.Dial(o)
	return &spyLink{Link: link, to: &d.to}, err
}

type spyLink struct {
	transport.Link
	to *spyListener
}

func (l *spyLink) Poll(h transport.Handler) { l.Link.Poll(spyHandler{h, l.to}) }

type spyHandler struct {
	transport.Handler
	to *spyListener
}

func (h spyHandler) of(c transport.Conn) *spyConn {
	for _, s := range h.to.conns {
		if s.Conn == c {
			return s
		}
	}
	s := &spyConn{Conn: c}
	h.to.conns = append(h.to.conns, s)
	return s
}

func (h spyHandler) Connected(c transport.Conn, hello []byte) { h.Handler.Connected(h.of(c), hello) }
func (h spyHandler) Message(c transport.Conn, b []byte)       { h.Handler.Message(h.of(c), b) }
func (h spyHandler) Closed(c transport.Conn, err error)       { h.Handler.Closed(h.of(c), err) }
func (h spyHandler) Datagram(c transport.Conn, seq uint64, at time.Duration, b []byte) {
	h.Handler.Datagram(h.of(c), seq, at, b)
}

// A spyConn keeps all that is sent on a connection.
type spyConn struct {
	transport.Conn
	datagrams, messages [][]byte
	loss                []float64
}

func (c *spyConn) Datagram(b []byte) {
	c.datagrams = append(c.datagrams, slices.Clone(b))
	c.Conn.Datagram(b)
}

func (c *spyConn) Reliable(b []byte) error {
	c.messages = append(c.messages, slices.Clone(b))
	return c.Conn.Reliable(b)
}

func (c *spyConn) SetLoss(share float64) { c.loss = append(c.loss, share) }

// Once a second the server tells a peer's lane the loss that it has measured.
func TestLossIsPassedOn(t *testing.T) {
	l := newLab(t, netsim.Conditions{Delay: 20e6, Loss: 0.3})
	spy := &spyListener{Listener: l.listener}
	server := l.machine("server", tendon.Config{})
	server.Host(spy)
	client := l.client(tendon.Config{})
	l.joined()
	e := server.Create(Paint).Entity()
	server.step = func() { Paint.Get(server.World().Entry(e)).Colour++ }
	before := len(spy.conns[0].loss)
	l.steps(600)
	told := spy.conns[0].loss[before:]
	if len(told) < 8 || len(told) > 12 || told[len(told)-1] < 0.15 || told[len(told)-1] > 0.45 {
		t.Errorf("told of %v over ten seconds at a loss of 0.3", told)
	}
	check(t, "as in Stats", server.Stats(client.Me()).Loss > 0.15, true)
}

// Once a second a client tells its own lane the loss that it measures, or 0 if that is low.
func TestClientsAssumeTheLossThatTheySee(t *testing.T) {
	for _, loss := range []float64{0, 0.02, 0.2} {
		l := newLab(t, netsim.Conditions{Delay: 50e6, Jitter: 40e6, Loss: loss})
		server, client := l.server(tendon.Config{}), l.machine("client", tendon.Config{})
		spy := &spyDialer{Dialer: l.net.Dialer(l.listener)}
		client.joins = true
		client.Join(spy)
		l.joined()
		e := server.Create(Paint).Entity()
		server.step = func() { Paint.Get(server.World().Entry(e)).Colour++ }
		l.steps(1800)
		told := spy.to.conns[0].loss
		if n := len(told); n < 28 || n > 35 {
			t.Errorf("told %d times in half a minute", n)
		}
		most, last := slices.Max(told), told[len(told)-1]
		if loss < 0.1 && most > 0 || loss > 0.1 && (last < 0.1 || last > 0.3) {
			t.Errorf("at a loss of %v told of %v", loss, told)
		}
	}
}
