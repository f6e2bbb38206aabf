package ecs_test

// The scale, a listener that keeps all packets that are sent through it. With it the
// props tests check how many bytes a change costs.

import (
	"bytes"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// beside is how many bytes a packet may have besides the changes, for a check of what the
// peer holds.
const beside = 8

// A scale has one pan for each connection, in the order in which they joined.
type scale struct {
	transport.Listener
	pans  []*pan
	order []*pan // to whom the datagrams went
}

// A pan holds what was sent to one peer since it was last emptied.
type pan struct {
	transport.Conn
	on        *scale
	datagrams [][]byte
	messages  [][]byte
}

func (s *scale) Listen(o transport.Offer) (transport.Link, error) {
	l, err := s.Listener.Listen(o)
	return weighed{l, s}, err
}

type weighed struct {
	transport.Link
	*scale
}

func (w weighed) Poll(h transport.Handler) { w.Link.Poll(weigher{h, w.scale}) }

// A weigher passes pans to the session in place of connections.
type weigher struct {
	h transport.Handler
	*scale
}

func (w weigher) pan(c transport.Conn) *pan {
	for _, p := range w.pans {
		if p.Conn == c {
			return p
		}
	}
	p := &pan{Conn: c, on: w.scale}
	w.pans = append(w.pans, p)
	return p
}

func (w weigher) Connected(c transport.Conn, hello []byte) { w.h.Connected(w.pan(c), hello) }
func (w weigher) Message(c transport.Conn, b []byte)       { w.h.Message(w.pan(c), b) }
func (w weigher) Closed(c transport.Conn, err error)       { w.h.Closed(w.pan(c), err) }

func (w weigher) Datagram(c transport.Conn, seq uint64, at time.Duration, b []byte) {
	w.h.Datagram(w.pan(c), seq, at, b)
}

func (p *pan) Datagram(b []byte) {
	p.datagrams = append(p.datagrams, bytes.Clone(b))
	p.on.order = append(p.on.order, p)
	p.Conn.Datagram(b)
}

func (p *pan) Reliable(b []byte) error {
	p.messages = append(p.messages, bytes.Clone(b))
	return p.Conn.Reliable(b)
}

// empty forgets what was sent so far.
func (p *pan) empty() { p.datagrams, p.messages = nil, nil }

// heaviest returns the size of the largest datagram in bytes: a change travels in one
// datagram, and the others are acks.
func (p *pan) heaviest() int {
	most := 0
	for _, d := range p.datagrams {
		most = max(most, len(d))
	}
	return most
}

// all returns everything that was sent, for comparison.
func (p *pan) all() []byte {
	return bytes.Join(append(p.datagrams[:len(p.datagrams):len(p.datagrams)], p.messages...), []byte{'|'})
}
