package ecs

// session: the node of the session itself, for what belongs to no entity. It goes with the
// game from world to world, and gives its place to the node of another session while this
// machine is in that.

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
)

// sessionType marks the session's own entity.
var sessionType = donburi.NewTag("Session")

// Session returns the session's own node, for what belongs to no entity. It is always
// relevant, owned by nobody, and lives through levels with its components: a component
// added to it on the authority is replicated. While this machine is in another's session,
// the node carries only what that session's server has put there; this machine's own
// components are back when it is alone again. After each Load, ask for the entry again,
// and set the references in its components again, in OnStart: they refer to entities of
// the old world. The node cannot be removed, given or attached.
func (r *Replication) Session() *donburi.Entry { return r.world.Entry(r.session.entity) }

// attachSession makes an entity of a new world the session's, and copies there what the
// session carried in the old one.
func (r *Replication) attachSession(e *donburi.Entry, old donburi.World) {
	n := r.session
	if n == nil || old == nil {
		n = &node{id: rpl.SessionNode, data: components.NodeData{Relevance: rpl.Always}}
		r.session = n
	}
	was := n.entity
	n.entity = e.Entity()
	for i := range n.items {
		b := &n.items[i]
		if b.comp == nil || b.entity != was || !old.Valid(was) {
			continue
		}
		if from := old.Entry(was); from.HasComponent(b.comp.c) {
			add(e, b.comp.c)
			b.comp.copy(e.Component(b.comp.c), from.Component(b.comp.c))
			b.entity = n.entity
		}
	}
	components.RplNode.SetValue(e, n.data)
	r.addNode(n)
}

// A savedComponent is a component of the session's entity that is put away while this
// machine is in another's session.
type savedComponent struct {
	comp *component
	at   unsafe.Pointer
}

// putAway removes the replicated components from the session's entity and saves them: in
// another's session it carries what comes from there.
func (r *Replication) putAway() {
	e := r.Session()
	for _, c := range r.protocol.components {
		if e.HasComponent(c.c) {
			r.saved = append(r.saved, savedComponent{c, e.Component(c.c)})
		}
	}
	r.strip()
}

// takeOut gives the session's entity the saved components back.
func (r *Replication) takeOut() {
	e := r.Session()
	for _, s := range r.saved {
		add(e, s.comp.c)
		e.SetComponent(s.comp.c, s.at)
	}
	r.saved = nil
}

// strip removes all replicated components from the session's entity.
func (r *Replication) strip() {
	e := r.Session()
	for _, c := range r.protocol.components {
		drop(e, c.c)
	}
	r.session.items = nil
}
