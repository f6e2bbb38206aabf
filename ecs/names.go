package ecs

// names: both ends make the load-time nodes by themselves, so when a client joins they
// compare their sets of names. The server tells the client which load-time nodes it has
// destroyed, before any state arrives. If the sets differed to begin with, the client
// reports by name what only one of the two machines has.

import (
	"maps"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/transport"
)

// loadTime keeps the load-time nodes, which every machine makes by itself.
type loadTime struct {
	*shared
	nodes   *nodes.Table
	extract *extractor
	proxies *proxies

	byName    map[string]donburi.Entity
	book      *nameBook                // nil: a name has come or gone since
	destroyed map[string]bool          // load-time nodes that this world was made with and that were destroyed
	standing  map[string]standing      // by name: load-time nodes as they stood when they last ended
	shapes    map[string][]nodes.Place // by name: what load-time nodes were built with
	buried    map[string]burial        // by name: what was destroyed in this world, for the next session
	shaping   []string                 // names of load-time nodes that are still being built
}

// nameBook is what joining peers are told of names, kept until a name comes or goes: a
// whole server's players may join in one step, after Load for one.
type nameBook struct {
	sum       sessionmsg.NameSum // of all load-time nodes that this world was made with
	destroyed []string
}

func (lt *loadTime) names() *nameBook {
	if lt.book == nil {
		b := &nameBook{destroyed: slices.Sorted(maps.Keys(lt.destroyed))}
		for name := range lt.byName {
			b.sum.Add(name)
		}
		for _, name := range b.destroyed {
			b.sum.Add(name)
		}
		lt.book = b
	}
	return lt.book
}

// unname records that a load-time node was destroyed; its name is free.
func (lt *loadTime) unname(name string) {
	if name != "" {
		delete(lt.byName, name)
		delete(lt.shapes, name)
		lt.destroyed[name] = true
		lt.book = nil
	}
}

// A standing is what a load-time node has beside its components: its parent and its
// groups. It keeps them if it ends and another node of its name begins in the same world.
type standing struct {
	parent string // a load-time node's name, "" for none
	groups uint64
}

// noteStanding records the standing of nodes that are about to end.
func (lt *loadTime) noteStanding(nodes []*nodes.Node) {
	clear(lt.standing)
	for _, n := range nodes {
		if n.Name == "" {
			continue
		}
		s := standing{groups: n.Groups}
		if n.Parent != nil {
			s.parent = n.Parent.Name
		}
		if s != (standing{}) {
			lt.standing[n.Name] = s
		}
	}
}

// standAgain gives the new nodes the parents and groups of the old ones.
func (lt *loadTime) standAgain(names []string) {
	for _, name := range names {
		s, n := lt.standing[name], lt.nodes.Of(lt.byName[name])
		if n == nil {
			continue
		}
		for _, g := range lt.protocol.groups {
			if s.groups&g.bit() != 0 {
				n.Groups |= g.bit()
				lt.Auth.SetNodeGroup(n.ID, g.audience, true)
			}
		}
		if p := lt.nodes.Of(lt.byName[s.parent]); p != nil && s.parent != "" {
			lt.Faults.Report("parent not set", Attach(lt.World.Entry(n.Entity), lt.World.Entry(p.Entity)))
		}
	}
}

// tellNames tells a client which of its load-time nodes are destroyed. If the client's
// set differs from this machine's, it also tells which nodes exist.
func (ss *seating) tellNames(c transport.Conn, theirs sessionmsg.NameSum) {
	room := sessionmsg.MaxNameBytes
	tell := func(kind sessionmsg.NameKind, names []string) {
		m := sessionmsg.Names{Kind: kind}
		size := 0
		for _, name := range names {
			if room -= len(name) + 1; room < 0 {
				ss.Faults.Count("names not told")
				continue
			}
			if size += len(name) + 1; size > sessionmsg.MaxNameChunk {
				ss.Faults.Report("session message not sent", c.Reliable(sessionmsg.AppendNames(nil, m)))
				m.Names, size = nil, len(name)+1
			}
			m.Names = append(m.Names, name)
		}
		if len(m.Names) > 0 || kind == sessionmsg.NamesAlive { // an empty set is told too
			ss.Faults.Report("session message not sent", c.Reliable(sessionmsg.AppendNames(nil, m)))
		}
	}
	tell(sessionmsg.NamesDestroyed, ss.loadTime.names().destroyed)
	if theirs != ss.loadTime.names().sum {
		ss.Faults.Count("names differ")
		tell(sessionmsg.NamesAlive, slices.Sorted(maps.Keys(ss.loadTime.byName)))
	}
	if err := c.Reliable(sessionmsg.AppendNames(nil, sessionmsg.Names{Kind: sessionmsg.NamesEnd})); err != nil {
		ss.Faults.Report("session message not sent", err)
		c.Close("the reliable lane is full")
	}
}

// compareNames removes what the server has destroyed, and reports what only one of the
// two machines has. Such differences are survivable: what only this machine has stays
// hidden, what only the server has is not shown.
func (px *proxies) compareNames() {
	s := &px.client.told
	if s.Alive != nil {
		var here, there []string
		for name := range px.loadTime.byName {
			if !s.Alive[name] && !s.Destroyed[name] {
				here = append(here, name)
			}
		}
		for name := range s.Alive {
			if _, ok := px.loadTime.byName[name]; !ok {
				there = append(there, name)
			}
		}
		slices.Sort(here)
		slices.Sort(there)
		px.Faults.Add("names differ", uint64(len(here)+len(there)))
		if len(here)+len(there) > 0 {
			px.config.Log.Warn("this machine and the server have made different load-time nodes: give both the same calls of Named",
				"only here", here, "only on the server", there)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Destroyed)) {
		ent, ok := px.loadTime.byName[name]
		n := px.nodes.Of(ent)
		if ok && n != nil {
			px.loadTime.bury(n)
		}
		px.loadTime.unname(name)
		if ok && n != nil {
			px.endProxy(n, true)
			px.RemoveEntities(n)
		}
	}
	*s = sessionmsg.ServerNames{Done: true, Applied: true}
}
