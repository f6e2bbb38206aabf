package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Handles in common. Peers that were given the same nodes in the same order have each node by
// the same handle. A node that leaves its course is then marked once, here, for all who have
// it so: its sharers. Schedule takes these marks over into those of each peer, 64 at a time.
// To mark it at each peer misses a line of memory for each of them.

// commons are the handles that nodes have in common, and the marks on them.
type commons struct {
	least   int         // leastSharers
	claimed wire.Bitset // a handle is shared for one node at a time
	marked  wire.Bitset // to be taken over into the marks of those who share the handle
	any     bool        // marked has some
}

// noteHandle notes that a peer has a node by a handle. The node is shared once enough of its
// holders have it so.
func (a *Authority) noteHandle(n *node, p *peer, h uint32) {
	if n.shared {
		if h == n.common {
			n.sharers++
			p.shares.Set(h)
		}
		return
	}
	if len(n.holders) < a.commons.least || a.commons.claimed.Has(h) {
		return
	}
	k := 0
	for _, hd := range n.holders {
		k += flag(hd.handle == h)
	}
	if k < a.commons.least {
		return
	}
	for _, hd := range n.holders {
		if hd.handle == h {
			a.peers[hd.peer].shares.Set(h)
		}
	}
	n.shared, n.common, n.sharers = true, h, uint32(k)
	a.commons.claimed.Set(h)
}

// dropHandle notes that a peer, which is no holder of the node any more, had it by a handle.
func (a *Authority) dropHandle(n *node, p *peer, h uint32) {
	if !n.shared || h != n.common {
		return
	}
	p.shares.Clear(h)
	if n.sharers--; int(n.sharers) < a.commons.least {
		a.unshare(n)
	}
}

// unshare has a node marked at each of its holders again. A mark that waits goes to each.
func (a *Authority) unshare(n *node) {
	h := n.common
	waits := a.commons.marked.Has(h)
	for _, hd := range n.holders {
		if hd.handle != h {
			continue
		}
		p := a.peers[hd.peer]
		p.shares.Clear(h)
		if waits {
			p.marks.set(markDirty, h)
		}
	}
	n.shared = false
	a.commons.claimed.Clear(h)
	a.commons.marked.Clear(h)
}

// tellHolders marks a node that has left its course, for every peer that holds it.
func (a *Authority) tellHolders(n *node) {
	if n.transient {
		return
	}
	if n.shared {
		a.commons.marked.Set(n.common)
		a.commons.any = true
		if int(n.sharers) == len(n.holders) {
			return
		}
	}
	for _, h := range n.holders {
		if h.handle != wire.NoHandle && !(n.shared && h.handle == n.common) {
			a.peers[h.peer].marks.set(markDirty, h.handle)
		}
	}
}

// tellSharers takes the marks over into those of each peer.
func (a *Authority) tellSharers() {
	s := &a.commons
	if !s.any {
		return
	}
	s.any = false
	for _, p := range a.peers {
		if p == nil {
			continue
		}
		n := min(len(p.shares.W), len(s.marked.W))
		if n == 0 {
			continue
		}
		p.marks.reach(uint32(64*n - 1))
		for k, w := range s.marked.W[:n] {
			p.marks.of[k][markDirty] |= w & p.shares.W[k]
		}
	}
	clear(s.marked.W)
}
