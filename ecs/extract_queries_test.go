package ecs_test

// Sessions do not use donburi's queries, which are never freed.

import (
	"reflect"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
)

// queried counts what donburi has remembered of its queries of single components: one
// entry for each component and world, kept for as long as the program runs.
func queried(t *testing.T) (worlds int) {
	t.Helper()
	for _, c := range donburi.AllComponentTypes() {
		query := reflect.ValueOf(c).Elem().FieldByName("query")
		if !query.IsValid() {
			t.Fatalf("%s has no query: donburi keeps it in another way", c.Name())
		}
		worlds += query.Elem().FieldByName("layoutMatches").Len()
	}
	return worlds
}

// A session never runs such a query: a server with many levels, or a bot that joins again
// and again, would make the process grow for ever.
func TestSessionsAskNoQueries(t *testing.T) {
	before := queried(t)
	l := newLab(t, lan)
	server, client := l.server(tendon.Config{Debug: true}), l.client(tendon.Config{Debug: true})
	l.joined()
	id := tendon.ID(Crate.Spawn(server.World(), CrateArgs{Label: "x"}))
	server.Create(Body, Paint)
	l.steps(30)
	client.Frame()
	client.World().Create(components.RplNode, Paint)
	l.steps(2)
	check(t, "nodes on a client", *client.Counter("node on a client") > 0, true)
	check(t, "the node is here", client.has(id), true)
	if _, mine := tendon.Mine(client.Replication, Body); mine {
		t.Error("it is nobody's")
	}
	client.Close("bye")
	client.Join(l.net.Dialer(l.listener))
	l.joined()
	server.Close("that was all")
	l.steps(30)
	if n := queried(t) - before; n != 0 {
		t.Errorf("%d entries are kept of the two worlds", n)
	}
	components.RplNode.Iter(server.World())(func(*donburi.Entry) bool { return false })
	check(t, "entries of what a game asks", queried(t)-before, 1)
}
