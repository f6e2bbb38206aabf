package ecs

// names: nodes that every machine makes by itself (Named), and what a session does with them;
// internal/loadtime keeps them.

import (
	"fmt"
	"maps"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
	"github.com/tendonengine/tendon/rpl"
)

// Named makes an existing entity a node that every machine creates for itself, as a door of the level. Call it with
// the same name on every machine. Only the replicated fields travel. A client hides the entity until they are here.
//
// If it loses components.RplNode on the authority, it is destroyed on the other machines, and its name is free: a
// client calls Named again once OnStreamOut has run and the entity has gone. If the next node of the name arrives
// before that, it takes over the entity, from its OnStreamIn on. A node that is out of a client's sight stays hidden
// there until the level or the session ends. Components that a server gave it stay on a
// client's entity after the session, while the world stays. Named panics if the name is taken, empty or longer than
// 64 bytes, if the entity is a node already or has been removed, inside a prefab's function, and in a world without a session.
func Named(e *donburi.Entry, name string) {
	r := of(e)
	if r == nil {
		panic(fmt.Sprintf("tendon: Named(%q) in a world without a session: call New first", name))
	}
	r.prefabs.MustNotRun("Named(\"", name, "\") is called")
	mustBeThere(fmt.Sprintf("Named(%q): this", name), e)
	if _, taken := r.loadTime.Entity(name); taken || name == "" {
		panic(fmt.Sprintf("tendon: Named(%q): the name is empty or taken: give each load-time node its own", name))
	}
	if len(name) > rpl.MaxName {
		panic(fmt.Sprintf("tendon: Named(%q): the name has %d bytes, at most %d: give it a shorter one", name, len(name), rpl.MaxName))
	}
	if r.nodes.Of(e.Entity()) != nil {
		panic(fmt.Sprintf("tendon: Named(%q): the entity is a node already: name it when it has been made, on every machine, and make it without a prefab", name))
	}
	r.loadTime.Name(name, e.Entity())
	r.makeNamed(e, name)
	r.loadTime.BeginShape(e.Entity(), name)
}

// remakeNamed makes nodes again of the load-time entities of this world, in the same
// order in each run.
func (r *Replication) remakeNamed() {
	r.extract.Anew() // the same entities are new nodes
	names := r.loadTime.Sorted()
	for _, name := range names {
		if ent, _ := r.loadTime.Entity(name); r.shared.World.Valid(ent) {
			r.makeNamed(r.shared.World.Entry(ent), name)
		} else { // a callback has removed it while all nodes ended
			r.loadTime.Unname(name)
		}
	}
	if r.shared.Auth != nil {
		r.standAgain(names)
	}
}

// makeNamed makes a load-time entity a node, or a proxy of one.
func (r *Replication) makeNamed(e *donburi.Entry, name string) {
	if r.shared.Auth != nil {
		r.extract.MakeNode(e, nodes.Origin{Name: name})
	} else {
		r.proxies.makeNamedProxy(e, name)
	}
}

// makeNamedProxy prepares a load-time entity for the authority's state.
func (px *proxies) makeNamedProxy(e *donburi.Entry, name string) {
	donburix.Add(e, components.RplNode, components.Owner, components.Parent, components.Proxy)
	n := px.nodes.New(e.Entity(), *components.RplNode.Get(e))
	n.Name = name
	delete(px.nodes.Parts, e.Entity())
	for _, p := range n.Parts() {
		donburix.Add(px.World.Entry(p), components.Proxy)
	}
	n.SetBuilt(px.loadTime.BuiltWith(n))
	px.nodes.Add(n)
	px.nodes.SetOwner(n, 0)
	px.nodes.ShowParent(n)
	px.draw.Hide(n, true)
}

// standAgain gives the new nodes the parents and groups of the old ones.
func (r *Replication) standAgain(names []string) {
	for _, name := range names {
		s, n := r.loadTime.Stood(name), r.loadTime.Node(name)
		if n == nil {
			continue
		}
		for _, g := range r.shared.protocol.groups {
			if s.Groups&g.bit() != 0 {
				n.Groups |= g.bit()
				r.shared.Auth.SetNodeGroup(n.ID, g.audience, true)
			}
		}
		if p := r.loadTime.Node(s.Parent); p != nil && s.Parent != "" {
			r.shared.Faults.Report("parent not set", Attach(r.shared.World.Entry(n.Entity), r.shared.World.Entry(p.Entity)))
		}
	}
}

// admitStrangers handles load-time nodes that this machine has made after their state
// arrived; what hangs under them may have arrived before them too.
func (px *proxies) admitStrangers(names []string) {
	var came []*rpl.Replica
	waiting := map[rpl.Node]*rpl.Replica{}
	for _, name := range names {
		if rep := px.strangers[name]; rep != nil {
			delete(px.strangers, name)
			waiting[rep.ID] = rep
			came = append(came, rep)
		}
	}
	var admit func(rep *rpl.Replica)
	admit = func(rep *rpl.Replica) {
		delete(waiting, rep.ID)
		if up := waiting[rep.Parent]; up != nil { // parents arrive first, so their callbacks run first
			admit(up)
		}
		px.Arrived(rep)
	}
	for _, rep := range came {
		if waiting[rep.ID] == rep {
			admit(rep)
		}
	}
	if came == nil {
		return
	}
	for _, c := range px.nodes.Sorted() {
		if c.Replica != nil && c.Orphan && !c.Leaving && !c.Replica.Orphaned() && px.nodes.ByID[c.Replica.Parent] != nil {
			px.Parented(c.Replica, 0)
		}
	}
	for _, rep := range came {
		px.Loaded(rep)
	}
}

// compareNames removes what the server has destroyed, and reports what only one of the
// two machines has. Such differences are survivable: what only this machine has stays
// hidden, what only the server has is not shown.
func (px *proxies) compareNames() {
	s := &px.client.names
	if here, there := px.loadTime.Differences(s); len(here)+len(there) > 0 {
		px.Faults.Add("names differ", uint64(len(here)+len(there)))
		px.config.Log.Warn("this machine and the server have made different load-time nodes: give both the same calls of Named",
			"only here", here, "only on the server", there)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Destroyed)) {
		n := px.loadTime.Node(name)
		if n != nil {
			px.loadTime.Bury(n)
		}
		px.loadTime.Unname(name)
		if n != nil {
			px.endProxy(n, nodes.Removed)
			px.RemoveEntities(n)
		}
	}
	*s = sessionmsg.ServerNames{Done: true, Applied: true}
}
