package ecs_test

// Which peers a call reaches when relevance or groups change in the same step.

import (
	"fmt"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// A call goes to the peers that may see its node when the call is made, also if the game
// has restricted the node to others earlier in the same step.
func TestCallAfterRelevanceChanged(t *testing.T) {
	for name, keep := range map[string]func(e *donburi.Entry){
		"Group.Add":           func(e *donburi.Entry) { hallTeam.Add(e) },
		"Relevance OwnerOnly": func(e *donburi.Entry) { components.RplNode.Get(e).Relevance = rpl.OwnerOnly },
		"Attach to a vault made in this step": func(e *donburi.Entry) {
			if err := tendon.Attach(e, hallVault.Spawn(e.World, tendon.None{})); err != nil {
				t.Fatal(err)
			}
		},
	} {
		l := newLab(t, lan)
		server, client := l.hall(tendon.Config{})
		ent := server.Create(hallPos).Entity()
		l.steps(30)
		client.said()
		server.once(func() {
			e := server.World().Entry(ent)
			keep(e)
			_ = hallTell.Send(e, "secret")
		})
		l.steps(60)
		check(t, name+": a client that may not see it says", fmt.Sprint(client.said()), "[out]")
	}
}

// The bound on the Everywhere calls that the server hands on from peers does not apply to
// the server's own Everywhere calls.
func TestServersOwnEverywhere(t *testing.T) {
	for _, dedicated := range []bool{true, false} {
		l := newLab(t, lan)
		server, client := l.hall(tendon.Config{Dedicated: dedicated})
		heard := 0
		hallEvery.Handle(client.Replication, func(tendon.Call, hallArgs) { heard++ })
		server.once(func() {
			for range 100 {
				if err := hallSay.Send(server.Session(), hallArgs{make([]byte, 4000)}); err != nil {
					t.Error(err)
				}
			}
			if err := hallEvery.Send(server.Session(), hallArgs{make([]byte, 100)}); err != nil {
				t.Errorf("dedicated %v: %v", dedicated, err)
			}
		})
		l.steps(600)
		check(t, fmt.Sprint("dedicated ", dedicated, ": heard"), heard, 1)
	}
}

// Put has no effect while While's function decides about the group.
func TestPutUnderWhile(t *testing.T) {
	l := newLab(t, lan)
	server, client := l.hall(tendon.Config{})
	hallTeam.While(server.Replication, func(rpl.Peer) bool { return true })
	n := server.Create(hallPos)
	hallTeam.Add(n)
	ent := n.Entity()
	l.steps(30)
	client.said()
	server.once(func() {
		hallTeam.Put(server.Replication, 2, false)
		_ = hallTell.Send(server.World().Entry(ent), "hello")
	})
	l.steps(60)
	check(t, "a peer that is in all the time says", fmt.Sprint(client.said()), "[hello]")
}
