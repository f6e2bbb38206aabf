package ecs

// session: the node of the session itself, for what belongs to no entity. It goes with the
// game from world to world, and gives its place to the node of another session while this
// machine is in that.

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/rpl"
)

// sessionNode keeps the session's own node.
type sessionNode struct {
	*shared
	nodes *nodes.Table
	saved nodes.SavedState // the session's components, put away until this machine is alone again
}

// sessionType marks the session's own entity.
var sessionType = donburi.NewTag("Session")

// Session returns the session's own node, for what belongs to no entity. It is always relevant, owned by
// nobody, and lives through levels with its components: a component added to it on the authority is
// replicated. It cannot be removed, given or attached. After each Load, ask for the entry again, and set the
// references in its components again, in OnStart: they refer to entities of the old world. Until the new
// level's first state comes a client has there what it last heard before, and runs no rule on that. While this
// machine is in another's session, the node carries only what that session's server has put there; this
// machine's own components are back when it is alone again.
func (r *Replication) Session() *donburi.Entry {
	mustBeMade("Session", r)
	return r.home.entry()
}

func (hm *sessionNode) entry() *donburi.Entry { return hm.World.Entry(hm.nodes.Session.Entity) }

// attachSession makes an entity of a new world the session's, and copies there what the
// session carried in the old one.
func (hm *sessionNode) attachSession(e *donburi.Entry, old donburi.World) {
	n := hm.nodes.Session
	if n == nil || old == nil {
		n = &nodes.Node{ID: rpl.SessionNode, Data: components.NodeData{Relevance: rpl.Always}}
		hm.nodes.Session = n
	}
	was := n.Entity
	n.Entity = e.Entity()
	for i := range n.Items {
		b := &n.Items[i]
		if b.Comp == nil || b.Entity != was || !old.Valid(was) {
			continue
		}
		if from := old.Entry(was); from.HasComponent(b.Comp.Type) {
			donburix.Add(e, b.Comp.Type)
			b.Comp.Copy(e.Component(b.Comp.Type), from.Component(b.Comp.Type))
			b.Entity = n.Entity
		}
	}
	components.RplNode.SetValue(e, n.Data)
	hm.nodes.Add(n)
}

// putAway, takeOut and strip change what the session's entity carries, as nodes.SavedState says.
func (hm *sessionNode) putAway() { hm.saved.PutAway(hm.entry(), hm.nodes.Session, hm.Kinds.Components) }
func (hm *sessionNode) takeOut() { hm.saved.TakeOut(hm.entry()) }
func (hm *sessionNode) strip()   { nodes.Strip(hm.entry(), hm.nodes.Session, hm.Kinds.Components) }
