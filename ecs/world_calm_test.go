package ecs_test

// What must hold of callbacks and calls once a game that was played at random is quiet.

import (
	"fmt"
	"maps"
	"slices"

	"github.com/yohamta/donburi"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// told is whether a machine was told by callbacks of all that it has, and has nothing
// besides.
func (a *actor) told() error {
	all := nodesOf(a.machine)
	for _, e := range all {
		id := tendon.ID(e)
		if !a.in[id] {
			return fmt.Errorf("it was not told of %v", id)
		}
		if was, now := a.owner[id], tendon.Owner(e); was != now {
			return fmt.Errorf("it was told that %v is of %d, not %d", id, was, now)
		}
		if e.HasComponent(Paint) {
			if was, ok := a.painted[id]; ok && was != *Paint.Get(e) {
				return fmt.Errorf("it was told that the paint of %v is %v, not %v", id, was, *Paint.Get(e))
			}
		}
		if e.HasComponent(components.Hidden) {
			return fmt.Errorf("%v is hidden", id)
		}
	}
	if len(a.in) != len(all) {
		return fmt.Errorf("it was told of %v, and has %d nodes", a.in, len(all))
	}
	if err := a.sacksTold(all); err != nil {
		return err
	}
	return a.strays()
}

// strays are entities of a client that are no node's.
func (a *actor) strays() error {
	if a.IsAuthority() {
		return nil
	}
	for e := range donburi.NewQuery(filter.Contains(components.Proxy)).Iter(a.World()) {
		up := tendon.Parent(e)
		switch {
		case tendon.ID(e) != 0:
		case up != nil && a.has(tendon.ID(up)): // a part
		case e.HasComponent(components.Hidden) && e.HasComponent(components.RplNode): // a load-time node out of sight
		default:
			return fmt.Errorf("it has %v", e)
		}
	}
	return nil
}

// peersKnown is whether the server has the peers that it was told of, and holds for
// each what that has.
func (g *adventure) peersKnown() error {
	var want []rpl.Peer
	for _, p := range slices.Sorted(maps.Keys(g.server.lives)) {
		if l := g.server.lives[p]; !l.left && !l.joins {
			want = append(want, p)
		}
	}
	if got := slices.Collect(g.server.Peers()); !slices.Equal(got, want) {
		return fmt.Errorf("the server has peers %v, and was told of %v", got, want)
	}
	for _, p := range g.players {
		if held, has := g.server.Core().PeerStats(p.Me()).Held, len(nodesOf(p.machine))+1; held != has {
			return fmt.Errorf("the server holds %d nodes for %s, which has %d", held, p.name, has)
		}
		if got := string(g.server.Hello(p.Me())); got != p.hello {
			return fmt.Errorf("peer %d is %q, not %q", p.Me(), got, p.hello)
		}
	}
	return nil
}

// lastCalls calls everything on everything: all of it runs where it must.
func (g *adventure) lastCalls() {
	want := map[uint32][]*actor{}
	send := func(by *actor, e *donburi.Entry, to rpl.Target, at ...*actor) {
		n := g.note(by)
		g.made[n].what = fmt.Sprintf("to %v on %v of %d", to, tendon.ID(e), tendon.Owner(e))
		if err := notes[to][rpl.Reliable].Send(e, n); err != nil {
			g.t.Fatalf("%s calls %v: %v", by.name, tendon.ID(e), err)
		}
		want[n] = at
	}
	for _, e := range append(nodesOf(g.server.machine), g.server.Session()) {
		var players, owner []*actor
		if tendon.Owner(e) <= rpl.Server {
			owner = []*actor{g.server}
		}
		for _, p := range g.players {
			if p.has(tendon.ID(e)) {
				players = append(players, p)
			}
			if tendon.Owner(e) == p.Me() {
				owner = []*actor{p} // nobody, where it is of who is lost
			}
		}
		all := append(slices.Clip(players), g.server)
		for _, p := range owner {
			here := p.find(tendon.ID(e))
			send(p, here, rpl.ToServer, g.server)
			send(p, here, rpl.ToOwner, p)
			send(p, here, rpl.Everywhere, all...)
		}
		send(g.server, e, rpl.ToOwner, owner...)
		send(g.server, e, rpl.Everywhere, all...)
		if g.server.Me() != 0 {
			players = all
		}
		send(g.server, e, rpl.Broadcast, players...)
	}
	for _, p := range g.players {
		g.shout(p)
		want[g.next] = []*actor{g.server}
	}
	g.play(300)
	for _, n := range slices.Sorted(maps.Keys(want)) {
		c := g.made[n]
		for _, a := range want[n] {
			if !c.at[a] {
				g.t.Fatalf("call %d %s of %s has not run on %s", n, c.what, c.by.name, a.name)
			}
		}
		if len(c.at) != len(want[n]) {
			g.t.Fatalf("call %d %s of %s has run on %d machines, not %d", n, c.what, c.by.name, len(c.at), len(want[n]))
		}
	}
}
