package ecs

// hang: a client's tree. The core has all of it changed before it tells of any change, so
// between two reports this machine's tree is partly the former one.

// hang puts a proxy under the parent that the core says it has. It becomes an orphan if that
// parent is not known, or has no entity here.
func (px *proxies) hang(n *node) {
	rep := n.replica
	up := px.nodes.byID[rep.Parent]
	if rep.Adrift() {
		up = nil
	}
	for up != nil && px.letGo(up, n) {
	}
	if up != nil && up.isBelow(n) {
		up = nil
	}
	px.nodes.linkTo(n, up)
	n.orphan = up == nil && (rep.Adrift() || rep.Parent != 0)
}

// isBelow reports whether n is top or hangs below it.
func (n *node) isBelow(top *node) bool {
	for ; n != nil; n = n.parent {
		if n == top {
			return true
		}
	}
	return false
}

// isAdrift reports whether a proxy's place in the world is not known, because it or a node
// above it is an orphan.
func (n *node) isAdrift() bool {
	for ; n != nil; n = n.parent {
		if n.orphan {
			return true
		}
	}
	return false
}

// letGo lets a node leave its parent that hangs below n and above up by a hold that is no
// longer true, and reports whether there was one: the node's own change of parent is told
// later in this Apply, or its parent has gone, or it has gone itself and is only still drawn.
// Such a node is drawn as before until drawn time gets there (former).
func (px *proxies) letGo(up, n *node) bool {
	if !up.isBelow(n) {
		return false
	}
	for u := up; u != n; u = u.parent {
		if u.heldTruly() {
			continue
		}
		px.draw.noteFormer(u)
		px.nodes.linkTo(u, nil)
		px.notify.tellParent(u)
		if !u.leaving && u.replica.Adrift() {
			px.setAdrift(u)
		}
		return true
	}
	return false
}

// heldTruly reports whether a proxy hangs where the core has it.
func (n *node) heldTruly() bool {
	return n.replica != nil && !n.leaving && !n.parent.leaving && !n.replica.Adrift() && n.replica.Parent == n.parent.id
}
