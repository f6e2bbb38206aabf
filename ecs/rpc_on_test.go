package ecs_test

// RPCs that are declared On components, called on nodes that lack them.

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// onLocal are calls on nodes that have the local component on the machine that runs them.
var onLocal = map[rpl.Target]*tendon.RPC[uint8]{}

func init() {
	for _, to := range []rpl.Target{rpl.ToServer, rpl.ToOwner, rpl.Broadcast, rpl.Everywhere} {
		onLocal[to] = tendon.NewRPC[uint8](proto, fmt.Sprintf("on local %d", to), to, rpl.Reliable).On(Paint, Local)
	}
}

// A call runs only where its node has the components, and a server that refuses an
// Everywhere call does not hand it on.
func TestRPCOn(t *testing.T) {
	for _, c := range []struct {
		to     rpl.Target
		caller string // machines are "server", "client 1", which owns the node, and "client 2"
		has    string // the machines on which the node has the component
		ran    string
		refuse string
	}{
		{rpl.ToServer, "client 1", "client 1, server", "server", ""},
		{rpl.ToServer, "client 1", "client 1", "", "server"},
		{rpl.ToOwner, "server", "server", "", "client 1"},
		{rpl.Broadcast, "server", "client 2, server", "client 2, server", "client 1"},
		{rpl.Everywhere, "client 1", "client 1, client 2", "client 1", "server"},
		{rpl.Everywhere, "client 1", "client 1, client 2, server", "client 1, client 2, server", ""},
	} {
		t.Run(fmt.Sprintf("%v by %s, on %s", c.to, c.caller, c.has), func(t *testing.T) {
			l := newLab(t, lan)
			server, owner, _ := l.server(tendon.Config{}), l.client(tendon.Config{}), l.client(tendon.Config{})
			l.joined()
			e := server.Create(Paint)
			id := tendon.ID(e)
			tendon.Give(e, owner.Me())
			l.steps(20)
			for _, m := range l.machines {
				onLocal[c.to].Handle(m.Replication, func(call tendon.Call, _ uint8) { m.say("%s", Local.Get(call.Entry).From) })
				if strings.Contains(c.has, m.name) {
					donburi.Add(m.find(id), Local, &LocalData{From: m.name})
				}
			}
			for _, m := range l.machines {
				if m.name != c.caller {
					continue
				}
				if err := onLocal[c.to].Send(m.find(id), 1); err != nil {
					t.Error(err)
				}
			}
			l.steps(20)
			var ran, refused []string
			for _, name := range []string{"client 1", "client 2", "server"} {
				for _, m := range l.machines {
					if m.name == name {
						ran = append(ran, m.said()...)
						for range *m.Counter("rpc refused") {
							refused = append(refused, name)
						}
					}
				}
			}
			check(t, "it ran on", strings.Join(ran, ", "), c.ran)
			check(t, "it was refused by", strings.Join(refused, ", "), c.refuse)
		})
	}
}

// A machine that lacks the component is told so when it calls, and a call on this machine
// whose node loses the component before it runs is refused.
func TestRPCOnHere(t *testing.T) {
	m := newLab(t, lan).machine("alone", tendon.Config{})
	e := m.Create(Paint)
	call := onLocal[rpl.ToServer]
	call.Handle(m.Replication, func(tendon.Call, uint8) { m.say("ran") })
	if err := call.Send(e, 1); !errors.Is(err, tendon.ErrNotAllowed) || !strings.Contains(err.Error(), "LocalData") {
		t.Errorf("without the component: %v", err)
	}
	donburi.Add(e, Local, &LocalData{})
	if err := call.Send(e, 1); err != nil {
		t.Error(err)
	}
	donburi.Remove[LocalData](e, Local)
	m.lab.steps(2)
	check(t, "it ran", len(m.said()), 0)
	check(t, "it was refused", *m.Counter("rpc refused"), 1)
	p := tendon.NewProtocol("mistakes with On")
	refused(t, "On of RPC", func() { tendon.NewRPC[uint8](p, "of nothing", rpl.ToServer, rpl.Reliable).On(nil) })
}
