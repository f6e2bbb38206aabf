package main

// The pair: a server and its client in one process, over real sockets.

import (
	"testing"
	"time"

	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/transport/kcp"
)

type pair struct {
	*testing.T
	server, client *member // the server hosts; the client has yet to join it
	addr           string  // the server's address
}

func newPair(t *testing.T) *pair {
	t.Helper()
	client, err := newMember("Client", false, 5)
	if err != nil {
		t.Fatal(err)
	}
	l, err := kcp.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &pair{t, testMember(t, "Server", true), client, l.Addr()}
	p.server.rep.Host(l)
	t.Cleanup(func() {
		client.rep.Close("the test is over")
		p.server.rep.Close("the test is over")
	})
	return p
}

// until runs steps until ok returns true. The game goes on in them if play is set.
func (p *pair) until(what string, play bool, ok func() bool) {
	p.Helper()
	for range 4000 {
		for _, m := range []*member{p.server, p.client} {
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
	p.Fatalf("still not: %s", what)
}

// walks reports whether the client has joined and has its walker.
func (p *pair) walks() bool {
	_, ok := tendon.Mine(p.client.rep, island.Walker)
	return ok && p.client.rep.Mode() == tendon.Client
}
