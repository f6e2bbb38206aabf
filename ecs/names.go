package ecs

// names: what a session does with its load-time nodes, which internal/loadtime keeps.

import (
	"maps"
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
)

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
