package ecs

// session: the node of the session itself, for what belongs to no entity. It goes with the
// game from world to world, and gives its place to the node of another session while this
// machine is in that.

import (
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/rpl"
)

// sessionNode keeps the session's own node.
type sessionNode struct {
	*shared
	nodes *nodeTable
	saved []savedComponent // the session's components, put away until this machine is alone again
}

// sessionType marks the session's own entity.
var sessionType = donburi.NewTag("Session")

// Session returns the session's own node, for what belongs to no entity. It is always
// relevant, owned by nobody, and lives through levels with its components: a component
// added to it on the authority is replicated. While this machine is in another's session,
// the node carries only what that session's server has put there; this machine's own
// components are back when it is alone again. After each Load, ask for the entry again,
// and set the references in its components again, in OnStart: they refer to entities of
// the old world. The node cannot be removed, given or attached.
func (r *Replication) Session() *donburi.Entry { return r.home.entry() }

func (hm *sessionNode) entry() *donburi.Entry { return hm.world.Entry(hm.nodes.session.entity) }

// attachSession makes an entity of a new world the session's, and copies there what the
// session carried in the old one.
func (hm *sessionNode) attachSession(e *donburi.Entry, old donburi.World) {
	n := hm.nodes.session
	if n == nil || old == nil {
		n = &node{id: rpl.SessionNode, data: components.NodeData{Relevance: rpl.Always}}
		hm.nodes.session = n
	}
	was := n.entity
	n.entity = e.Entity()
	for i := range n.items {
		b := &n.items[i]
		if b.comp == nil || b.entity != was || !old.Valid(was) {
			continue
		}
		if from := old.Entry(was); from.HasComponent(b.comp.c) {
			donburix.Add(e, b.comp.c)
			b.comp.copy(e.Component(b.comp.c), from.Component(b.comp.c))
			b.entity = n.entity
		}
	}
	components.RplNode.SetValue(e, n.data)
	hm.nodes.add(n)
}

// A savedComponent is a component of the session's entity that is put away while this
// machine is in another's session.
type savedComponent struct {
	comp *component
	at   unsafe.Pointer
}

// putAway removes the replicated components from the session's entity and saves them: in
// another's session it carries what comes from there.
func (hm *sessionNode) putAway() {
	e := hm.entry()
	for _, c := range hm.kinds.components {
		if e.HasComponent(c.c) {
			hm.saved = append(hm.saved, savedComponent{c, e.Component(c.c)})
		}
	}
	hm.strip()
}

// takeOut gives the session's entity the saved components back.
func (hm *sessionNode) takeOut() {
	e := hm.entry()
	for _, s := range hm.saved {
		donburix.Add(e, s.comp.c)
		e.SetComponent(s.comp.c, s.at)
	}
	hm.saved = nil
}

// strip removes all replicated components from the session's entity.
func (hm *sessionNode) strip() {
	e := hm.entry()
	for _, c := range hm.kinds.components {
		donburix.Drop(e, c.c)
	}
	hm.nodes.session.items = nil
}
