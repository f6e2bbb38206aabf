package ecs

// hang: a client's tree. The core has all of it changed before it tells of any change, so
// between two reports this machine's tree is partly the former one.

import "github.com/tendonengine/tendon/ecs/internal/nodes"

// hang puts a proxy under the parent that the core says it has. It becomes an orphan if that
// parent is not known, or has no entity here.
func (px *proxies) hang(n *nodes.Node) {
	rep := n.Replica
	up := px.nodes.ByID[rep.Parent]
	if rep.Orphaned() {
		up = nil
	}
	for up != nil && px.letGo(up, n) {
	}
	if up != nil && up.IsBelow(n) {
		up = nil
	}
	px.nodes.LinkTo(n, up)
	n.Orphan = up == nil && (rep.Orphaned() || rep.Parent != 0)
}

// letGo lets a node leave its parent that hangs below n and above up by a hold that is no
// longer true, and reports whether there was one: the node's own change of parent is told
// later in this Apply, or its parent has gone, or it has gone itself and is only still drawn.
// Such a node is drawn as before until drawn time gets there (former).
func (px *proxies) letGo(up, n *nodes.Node) bool {
	if !up.IsBelow(n) {
		return false
	}
	for u := up; u != n; u = u.Parent {
		if u.HeldTruly() {
			continue
		}
		px.draw.noteFormer(u)
		px.nodes.LinkTo(u, nil)
		px.notify.ParentChanged(u)
		if !u.Leaving && u.Replica.Orphaned() {
			px.hideOrphan(u)
		}
		return true
	}
	return false
}
