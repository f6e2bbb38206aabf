package main

// A client over real sockets whose connection is cut joins again by another one before
// the server has noticed. The server gives it its seat and its walker back.

import (
	"strings"
	"testing"
	"time"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/kcp"
	"github.com/tendonengine/tendon/transport/netsim"
)

func TestBackOverUDP(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir()) // whose key no test of another package has meanwhile
	p := newPair(t)
	server, client := p.server, p.client
	var said []string
	for what, on := range map[string]func(func(rpl.Peer)){
		"join": server.rep.OnJoin, "lost": server.rep.OnLost, "back": server.rep.OnBack, "leave": server.rep.OnLeave,
	} {
		on(func(rpl.Peer) { said = append(said, what) })
	}
	var printed strings.Builder
	(&session{out: &printed, began: time.Now()}).announce(server)
	defer func() {
		if t.Failed() {
			t.Logf("the server has heard %q", said)
		}
	}()
	line := kcp.NewSimulation(1, netsim.Conditions{})
	client.rep.Join(kcp.Dialer(p.addr, kcp.WithConditions(line)))
	p.until("the client walks", true, p.walks)
	number, node := client.rep.Me(), tendon.ID(mine(client))

	line.SetConditions(netsim.Conditions{Loss: 1}) // the packet that ends the old connection is lost, too
	client.rep.Join(kcp.Dialer(p.addr))
	p.until("it is back", true, func() bool { return len(said) > 2 && p.walks() })
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
