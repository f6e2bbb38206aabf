package main

// A client over real sockets whose datagrams cannot be read for a while: it has all
// told anew, and sees what the server does.

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/kcp"
)

// A spoiler is a dialer, its link and that link's handler: while it is on, of no
// datagram that comes more is left than its length.
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
	server := testMember(t, "Server", true)
	client, err := newMember("Client", false, 5)
	if err != nil {
		t.Fatal(err)
	}
	l, err := kcp.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server.rep.Host(l)
	defer server.rep.Close("the test is over")
	defer client.rep.Close("the test is over")
	way := &spoiler{Dialer: kcp.Dialer(l.Addr())}
	client.rep.Join(way)
	until := func(what string, play bool, ok func() bool) {
		t.Helper()
		for range 4000 {
			for _, m := range []*member{server, client} {
				m.rep.Receive()
				if play {
					m.game.Step(m.rep)
				}
				m.rep.Send()
			}
			if ok() {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Fatalf("still not: %s", what)
	}
	until("the client walks", true, func() bool {
		_, ok := tendon.Mine(client.rep, island.Walker)
		return ok && client.rep.Mode() == tendon.Client
	})
	me := mine(client)
	way.on = true
	until("all is told anew", true, func() bool { return *server.rep.Counter("resync") > 0 })
	way.on = false
	judge, err := newJudge()
	if err != nil {
		t.Fatal(err)
	}
	until("the client sees what it should", false, func() bool { return judge.compare(server, []*member{client}).count == 0 })
	if !me.Valid() || mine(client).Entity() != me.Entity() {
		t.Error("its walker has come anew")
	}
}
