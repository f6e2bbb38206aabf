package ecs_test

// spy: a listener that keeps what a server says to each peer.

import (
	"slices"
	"time"

	"github.com/tendonengine/tendon/transport"
)

type spyListener struct {
	transport.Listener
	conns []*spyConn // in order of their coming
}

func (l *spyListener) Listen(o transport.Offer) (transport.Link, error) {
	link, err := l.Listener.Listen(o)
	return &spyLink{Link: link, to: l}, err
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

// A spyConn keeps all that is said on a connection.
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
