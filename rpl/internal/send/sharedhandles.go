package send

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Handles in common. Peers that were given the same nodes in the same order have each node by
// the same handle. A node of which a row departs from its prediction is then marked once, here, for all who have
// it so: its sharers. Schedule takes these marks over into those of each peer, 64 at a time.
// To mark it at each peer misses a line of memory for each of them.

// sharedHandles are the handles that nodes have in common, and the marks on them.
type sharedHandles struct {
	Claimed wire.Bitset // a handle is shared for one node at a time
	marked  wire.Bitset // to be taken over into the marks of those who share the handle
	some    uint64      // bit i: of the i-th marks.Sheaf of marked some are set
}

// noteHandle notes that a peer has a node by a handle. The node is shared once enough of its
// holders have it so.
func (s *Sender) noteHandle(n *store.Node, p *Peer, h uint32) {
	if n.Shared {
		if h == n.SharedHandle {
			n.Sharers++
			p.Shares.Set(h)
		}
		return
	}
	// Many holders are counted when they have doubled: to count them for each that comes would
	// cost the square of the peers.
	const few = 64
	if k := len(n.Holders); k < s.Setup.LeastSharers || k > few && k&(k-1) != 0 || s.SharedHandles.Claimed.Has(h) {
		return
	}
	k := 0
	for _, hd := range n.Holders {
		k += flag(hd.Handle() == h)
	}
	if k < s.Setup.LeastSharers {
		return
	}
	for _, hd := range n.Holders {
		if hd.Handle() == h {
			s.All[hd.Peer()].Shares.Set(h)
		}
	}
	n.Shared, n.SharedHandle, n.Sharers = true, h, uint32(k)
	s.SharedHandles.Claimed.Set(h)
}

// dropHandle notes that a peer, which is no holder of the node any more, had it by a handle.
func (s *Sender) dropHandle(n *store.Node, p *Peer, h uint32) {
	p.Shares.Clear(h)
	if !n.Shared || h != n.SharedHandle {
		return
	}
	if n.Sharers--; int(n.Sharers) < s.Setup.LeastSharers {
		s.unshare(n)
	}
}

// unshare has a node marked at each of its holders again. A mark that waits goes to each.
func (s *Sender) unshare(n *store.Node) {
	h := n.SharedHandle
	waits := s.SharedHandles.marked.Has(h)
	for _, hd := range n.Holders {
		if hd.Handle() != h {
			continue
		}
		p := s.All[hd.Peer()]
		p.Shares.Clear(h)
		if waits {
			p.Marks.Set(marks.Dirty, h)
		}
	}
	n.Shared = false
	s.SharedHandles.Claimed.Clear(h)
	s.SharedHandles.marked.Clear(h)
}

// markDirty marks the nodes of which a row has departed from its prediction, for every peer that holds
// them.
func (s *Sender) markDirty() {
	for dirty := s.store.CommitAll(); len(dirty) > 0; dirty = dirty[min(store.Ahead, len(dirty)):] {
		some := dirty[:min(store.Ahead, len(dirty))]
		s.Updates.touchDirty(some)
		for _, slot := range some {
			s.markHolders(&s.store.Nodes[slot])
		}
	}
}

// markHolders marks a node for every peer that holds it.
func (s *Sender) markHolders(n *store.Node) {
	if n.Transient || !n.Used {
		return
	}
	common := wire.NoHandle
	if n.Shared {
		common = n.SharedHandle
		s.SharedHandles.marked.Set(common)
		s.SharedHandles.some |= 1 << (common >> 6 / marks.Sheaf)
		if int(n.Sharers) == len(n.Holders) {
			return
		}
	}
	peers := s.All
	for i := range n.Holders {
		if h := n.Holders[i].Handle(); h != wire.NoHandle && h != common {
			peers[n.Holders[i].Peer()].Marks.Set(marks.Dirty, h)
		}
	}
}

// markSharers takes the marks over into those of each peer.
func (s *Sender) markSharers() {
	sh := &s.SharedHandles
	if sh.some == 0 {
		return
	}
	for _, p := range s.All {
		if p == nil {
			continue
		}
		n := min(len(p.Shares.W), len(sh.marked.W))
		if n == 0 {
			continue
		}
		p.Marks.Reach(uint32(64*n - 1))
		for some := sh.some; some != 0; some &= some - 1 {
			i := bits.TrailingZeros64(some)
			found := uint64(0)
			for k := i * marks.Sheaf; k < min((i+1)*marks.Sheaf, n); k++ {
				w := sh.marked.W[k] & p.Shares.W[k]
				p.Marks.Of[k][marks.Dirty] |= w
				found |= w
			}
			p.Marks.Some |= uint64(flag(found != 0)) << i
		}
	}
	for ; sh.some != 0; sh.some &= sh.some - 1 {
		i := bits.TrailingZeros64(sh.some)
		clear(sh.marked.W[i*marks.Sheaf : min((i+1)*marks.Sheaf, len(sh.marked.W))])
	}
}
