package main

// A client over real sockets that cannot read its datagrams for a while gets all state
// again, and then sees what the server does.

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/kcp"
)

// A spoiler is a dialer, its link and the link's handler. While it is on, it overwrites
// the bytes of every datagram that arrives and keeps only the length.
type spoiler struct {
	transport.Dialer
	transport.Link
	transport.Handler
	on bool
}

func (s *spoiler) Dial(o transport.Offer) (transport.Link, error) {
	l, err := s.Dialer.Dial(o)
	s.Link = l
	return s, err
}

func (s *spoiler) Poll(h transport.Handler) {
	s.Handler = h
	s.Link.Poll(s)
}

func (s *spoiler) Datagram(c transport.Conn, seq uint64, at time.Duration, b []byte) {
	if s.on {
		for i := range b {
			b[i] = 0xff
		}
	}
	s.Handler.Datagram(c, seq, at, b)
}

func TestResyncOverUDP(t *testing.T) {
	p := newPair(t)
	way := &spoiler{Dialer: kcp.Dialer(p.addr)}
	p.client.rep.Join(way)
	p.until("the client walks", true, p.walks)
	me := mine(p.client)
	way.on = true
	p.until("all is told anew", true, func() bool { return *p.server.rep.Counter("resync") > 0 })
	way.on = false
	judge, err := newJudge()
	if err != nil {
		t.Fatal(err)
	}
	p.until("the client sees what it should", false, func() bool { return judge.compare(p.server, []*member{p.client}).count == 0 })
	if !me.Valid() || mine(p.client).Entity() != me.Entity() {
		t.Error("its walker has come anew")
	}
}
