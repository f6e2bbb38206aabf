package store

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// The tree of nodes (parents and children) and their owners.

// MayHang reports whether a node may hang under another: not below itself.
func (st *Store) MayHang(child, parent uint32) bool {
	for up := parent; up != 0; up = st.Nodes[up].Parent {
		if up == child {
			return false
		}
	}
	return true
}

// SetParent hangs a node under another, or makes it a root if p is 0.
func (st *Store) SetParent(c, p uint32) {
	st.unlink(c)
	n := &st.Nodes[c]
	n.Parent = p
	if p != 0 {
		pn := &st.Nodes[p]
		r := pn.RareToWrite()
		n.RareToWrite().ChildAt, r.children = uint32(len(r.children)), append(r.children, c)
	}
	st.NoteSecrets(c)
}

// unlink makes a node a root.
func (st *Store) unlink(c uint32) {
	n := &st.Nodes[c]
	if n.Parent == 0 {
		return
	}
	up := st.Nodes[n.Parent].rare
	last := up.children[len(up.children)-1]
	up.children[n.rare.ChildAt], st.Nodes[last].rare.ChildAt = last, n.rare.ChildAt
	up.children = up.children[:len(up.children)-1]
	n.Parent = 0
}

// Root is the root of a node's tree.
func (st *Store) Root(slot uint32) uint32 {
	for st.Nodes[slot].Parent != 0 {
		slot = st.Nodes[slot].Parent
	}
	return slot
}

// SetOwner makes a peer the owner of a node from this tick on, and reports whether it was not.
func (st *Store) SetOwner(slot uint32, p ids.Peer) bool {
	n := &st.Nodes[slot]
	if n.Owner == p {
		return false
	}
	n.retire(st.Tick, ids.Tick(st.hz), st.Send)
	st.setOwner(slot, p)
	return true
}

// setOwner notes whose a node is, and puts it into the list of that peer's nodes.
func (st *Store) setOwner(slot uint32, p ids.Peer) {
	n := &st.Nodes[slot]
	if own := st.owned[n.Owner]; n.Owner != 0 {
		last := own[len(own)-1]
		own[n.rare.ownedAt], st.Nodes[last].rare.ownedAt = last, n.rare.ownedAt
		if own = own[:len(own)-1]; len(own) > 0 {
			st.owned[n.Owner] = own
		} else {
			delete(st.owned, n.Owner)
		}
	}
	if n.Owner = p; p != 0 {
		n.RareToWrite().ownedAt, st.owned[p] = uint32(len(st.owned[p])), append(st.owned[p], slot)
	}
}

// Owned appends to dst the slots of the nodes that a peer owns, in ascending order.
func (st *Store) Owned(p ids.Peer, dst []uint32) []uint32 {
	if p == 0 {
		return dst
	}
	from := len(dst)
	dst = append(dst, st.owned[p]...)
	slices.Sort(dst[from:])
	return dst
}

// tenure is one former ownership of a node. It ended with the tick until, from which on
// the next owner has the node.
type tenure struct {
	owner ids.Peer
	until ids.Tick
	send  uint32 // Store.Send as it ended
}

// unheard is for how many seconds a peer may act as the owner that it was. Its line may hold for long what tells
// it otherwise, but who hears nothing for so long is lost.
const unheard = 10

// retire notes that the owner has had a node until a tick. Only owners whose calls may
// still count are remembered (protocol rule 22), at most one a tick, and one more that a send has told of:
// that owner may act as one until it hears of the next. Of each owner the newest is remembered until it has.
func (n *Node) retire(t, second ids.Tick, send uint32) {
	r := n.RareToWrite()
	r.past = slices.DeleteFunc(r.past, func(p tenure) bool {
		return p.until+second <= t && (p.owner == n.Owner || p.until+unheard*second <= t)
	})
	if k := len(r.past); k > 0 && r.past[k-1].until == t && r.past[k-1].send == send {
		return // the owner had the node at no tick, and was not told
	}
	r.past = append(r.past, tenure{n.Owner, t, send})
}

// OwnedLately reports whether a peer owned the node, and lost it so lately that it may not have heard.
func (st *Store) OwnedLately(n *Node, p ids.Peer) bool {
	return slices.ContainsFunc(n.RareView().past, func(t tenure) bool { return t.owner == p && t.until+ids.Tick(unheard*st.hz) > st.Tick })
}

// OwnerAt returns who owned a node at a tick, and whether the node has changed hands
// since (protocol rule 21: ownership is a function of the tick).
func (n *Node) OwnerAt(t ids.Tick) (owner ids.Peer, since bool) {
	if n.rare != nil {
		for _, p := range n.rare.past {
			if t < p.until {
				return p.owner, true
			}
		}
	}
	return n.Owner, false
}
