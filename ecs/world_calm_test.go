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

// told checks that callbacks have reported all that a machine has, and nothing else.
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
	for _, what := range []string{"proxy written", "node on a client", "missed bump", "owner written", "parent written"} {
		if n := *a.Counter(what); n > 0 {
			return fmt.Errorf("it is blamed for %q %d times", what, n)
		}
	}
	if n := a.Strays(); n > 0 {
		return fmt.Errorf("it keeps %d references of what has gone", n)
	}
	if err := a.sacksTold(all); err != nil {
		return err
	}
	return a.strays()
}

// strays checks that every proxy entity of a client belongs to a node.
func (a *actor) strays() error {
	if a.IsAuthority() {
		return nil
	}
	for e := range donburi.NewQuery(filter.Contains(components.Proxy)).Iter(a.World()) {
		up := tendon.Parent(e)
		switch {
		case tendon.ID(e) != 0:
		case up != nil && a.has(tendon.ID(up)): // a part
		case hidden(e), up != nil && hidden(up): // a load-time node that is streamed out, or a part of one
		default:
			return fmt.Errorf("it has %v", e)
		}
	}
	return nil
}

func hidden(e *donburi.Entry) bool {
	return e.HasComponent(components.Hidden) && e.HasComponent(components.RplNode)
}

// peersKnown checks that the server has the peers that its callbacks reported, and holds
// for each of them as many nodes as that peer has.
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
	served := slices.Sorted(slices.Values(g.server.Core().Peers(nil)))
	if streams := slices.DeleteFunc(want, func(p rpl.Peer) bool { return p == g.server.Me() }); !slices.Equal(served, streams) {
		return fmt.Errorf("the server streams to peers %v, and has %v", served, streams)
	}
	want = append(want, g.server.Me())
	seen := map[rpl.Peer]*actor{}
	for _, p := range g.players {
		if other := seen[p.Me()]; other != nil || !slices.Contains(want, p.Me()) || g.server.Stats(p.Me()).Lost {
			return fmt.Errorf("%s is peer %d of another session, or lost", p.name, p.Me())
		}
		seen[p.Me()] = p
		if held, has := g.server.Core().PeerStats(p.Me()).Held, len(nodesOf(p.machine))+1; held != has {
			return fmt.Errorf("the server holds %d nodes for %s, which has %d", held, p.name, has)
		}
		if got := string(g.server.Hello(p.Me())); got != p.hello {
			return fmt.Errorf("peer %d is %q, not %q", p.Me(), got, p.hello)
		}
	}
	return nil
}

// lastCalls makes every kind of call on every node: each runs where it must, and nowhere
// else.
func (g *adventure) lastCalls() {
	want := map[uint32][]*actor{}
	all := append(nodesOf(g.server.machine), g.server.Session())
	for i, e := range all {
		g.lastCallsOn(e, all[i*7%len(all)], func(at ...*actor) { want[g.next] = at })
	}
	for _, p := range g.players {
		g.shout(p)
		want[g.next] = []*actor{g.server}
	}
	var err error
	for range 60 * 6 {
		if err = g.allRan(want); err == nil {
			break
		}
		g.play(10)
	}
	if err != nil {
		g.t.Fatalf("after a minute: %v", err)
	}
	g.play(60)
	for _, n := range slices.Sorted(maps.Keys(want)) {
		if c := g.made[n]; len(c.at) != len(want[n]) {
			g.t.Fatalf("call %d %v has run on %d machines, not %d", n, c, len(c.at), len(want[n]))
		}
	}
}

// lastCallsOn makes every kind of call on node e; some of the calls refer to node to. want
// is told where each call must run.
func (g *adventure) lastCallsOn(e, to *donburi.Entry, want func(at ...*actor)) {
	var players, owner []*actor
	id, other := tendon.ID(e), tendon.ID(to)
	if tendon.Owner(e) <= rpl.Server {
		owner = []*actor{g.server}
	}
	for _, p := range g.players {
		if p.has(id) {
			players = append(players, p)
		}
		if tendon.Owner(e) == p.Me() {
			owner = []*actor{p} // it stays empty if the owner is a lost peer
		}
	}
	all := append(slices.Clip(players), g.server)
	see := func(at []*actor) (see []*actor) {
		for _, a := range at {
			if e, ok := a.Find(other); ok && e.HasComponent(Paint) {
				see = append(see, a)
			}
		}
		return see
	}
	note := func(by *actor, to rpl.Target) *donburi.Entry {
		e := by.find(id)
		c := g.note(by, e, to, rpl.Reliable)
		c.what = fmt.Sprintf(", of %d", tendon.Owner(e))
		return e
	}
	call := func(by *actor, to rpl.Target, at ...*actor) {
		send(g, notes, note(by, to), g.next)
		want(at...)
	}
	hint := func(by *actor, to rpl.Target, at ...*actor) {
		e := note(by, to)
		what, _ := by.Find(other)
		g.hint(e, what, nil)
		want(at...)
	}
	for _, p := range owner {
		call(p, rpl.ToServer, g.server)
		call(p, rpl.ToOwner, p)
		call(p, rpl.Everywhere, all...)
		if len(see([]*actor{p, g.server})) == 2 || p == g.server {
			hint(p, rpl.ToServer, see([]*actor{g.server})...)
			hint(p, rpl.Everywhere, see(all)...)
		}
	}
	call(g.server, rpl.ToOwner, owner...)
	call(g.server, rpl.Everywhere, all...)
	for _, p := range append(g.players, g.server) {
		if one := p.Me(); one != 0 {
			e := note(g.server, rpl.ToServer)
			g.made[g.next].only = &one
			send(g, notes, e, g.next)
			want(slices.DeleteFunc(slices.Clone(all), func(a *actor) bool { return a != p })...)
		}
	}
	if g.server.Me() != 0 {
		players = all
	}
	g.breath = max(g.breath, 0)
	g.tell(note(g.server, rpl.Broadcast), 2000, func(n int) int { return n - 1 })
	want(players...)
	hint(g.server, rpl.Broadcast, see(players)...)
}

// allRan checks that calls have run on every machine where they must.
func (g *adventure) allRan(want map[uint32][]*actor) error {
	for _, n := range slices.Sorted(maps.Keys(want)) {
		for _, a := range want[n] {
			if c := g.made[n]; !c.at[a] {
				return fmt.Errorf("call %d %v has not run on %s", n, c, a.name)
			}
		}
	}
	return nil
}
