package main

// A client over real sockets whose line is cut, and who joins again by another:
// the server has not noticed yet, and gives it its seat and its walker back.

import (
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/demo/island"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/kcp"
	"github.com/tendonengine/tendon/transport/netsim"
)

func TestBackOverUDP(t *testing.T) {
	server := testMember(t, "Server", true)
	client, err := newMember("Client", false, 5)
	if err != nil {
		t.Fatal(err)
	}
	var said []string
	for what, on := range map[string]func(func(rpl.Peer)){
		"join": server.rep.OnJoin, "lost": server.rep.OnLost, "back": server.rep.OnBack, "leave": server.rep.OnLeave,
	} {
		on(func(rpl.Peer) { said = append(said, what) })
	}
	var printed strings.Builder
	(&session{out: &printed, began: time.Now()}).announce(server)
	l, err := kcp.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server.rep.Host(l)
	defer server.rep.Close("the test is over")
	defer client.rep.Close("the test is over")
	until := func(what string, ok func() bool) {
		t.Helper()
		for range 2000 {
			for _, m := range []*member{server, client} {
				m.rep.Receive()
				m.game.Step(m.rep)
				m.rep.Send()
			}
			if ok() {
				return
			}
			time.Sleep(5 * time.Millisecond)
		}
		t.Fatalf("still not: %s; the server has heard %q", what, said)
	}
	walks := func() bool {
		_, ok := tendon.Mine(client.rep, island.Walker)
		return ok && client.rep.Mode() == tendon.Client
	}
	line := kcp.NewSimulation(1, netsim.Conditions{})
	client.rep.Join(kcp.Dialer(l.Addr(), kcp.WithConditions(line)))
	until("the client walks", walks)
	number, node := client.rep.Me(), tendon.ID(mine(client))

	line.SetConditions(netsim.Conditions{Loss: 1}) // its goodbye is lost too
	client.rep.Join(kcp.Dialer(l.Addr()))
	until("it is back", func() bool { return len(said) > 2 && walks() })
	if got := strings.Join(said, ", "); got != "join, lost, back" {
		t.Errorf("the server heard %q", got)
	}
	for _, want := range []string{"Client joined as peer 2.", "Client is lost", "Client is back."} {
		if !strings.Contains(printed.String(), want) {
			t.Errorf("the server has not printed %q:\n%s", want, printed.String())
		}
	}
	if client.rep.Me() != number || tendon.ID(mine(client)) != node {
		t.Errorf("peer %d with %v, before it was %d with %v", client.rep.Me(), tendon.ID(mine(client)), number, node)
	}
}
