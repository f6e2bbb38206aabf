package ecs_test

import (
	"testing"

	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
)

// Who closes the session in the OnStreamOut of a node that a rule removes closes it
// when that node has gone: those of who leaves end one after the other.
func TestCloseInARemoval(t *testing.T) {
	l := newLab(t, lan)
	server := l.server(tendon.Config{})
	client := l.client(tendon.Config{})
	l.joined()
	var theirs []*donburi.Entry
	for range 3 {
		e := Crate.Spawn(server.World(), CrateArgs{})
		tendon.Give(e, client.Me())
		theirs = append(theirs, e)
	}
	l.until("all are there", func() bool { return client.count(Body) == 3 })
	server.OnStreamOut(Body, func(_ *donburi.Entry, _ bool) {
		server.say("out")
		server.Close("a crate is gone")
	})
	entities := []donburi.Entity{theirs[0].Entity(), theirs[1].Entity(), theirs[2].Entity()}
	server.World().Remove(entities[1])
	check(t, "closed when it returns", server.Mode(), tendon.Single)
	l.steps(30)
	for _, e := range entities {
		check(t, "an entity of who has left is there", server.World().Valid(e), false)
	}
	check(t, "ends that were told", len(server.said()), 3)
	check(t, "the client is alone", client.Mode(), tendon.Single)
}
