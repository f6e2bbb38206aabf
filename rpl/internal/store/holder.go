package store

import (
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A Holder is a peer to which a node is relevant. A world has as many as nodes times the peers
// that see each, so it is packed into 8 bytes.
type Holder struct {
	peer   uint16
	handle uint16
	since  uint32 // the milliseconds of the caller's clock at which the peer began to want the node, and in the lowest bit whether there is a handle
}

// MaxPeerIndex is the highest index of a peer that a Holder can name.
const MaxPeerIndex = 1<<16 - 1

// heldBits are the bits of a Holder's time. It comes round after 24 days: a node that was held
// for so long may then stay half a second longer when it goes out of sight.
const heldBits = 31

func newHolder(peer int32, now time.Duration) Holder {
	return Holder{peer: uint16(peer), since: uint32(now/time.Millisecond) << (32 - heldBits)}
}

// Peer is the peer's index.
func (h *Holder) Peer() int32 { return int32(h.peer) }

// Handle is the peer's handle of the node: NoHandle until the node's arrival is first planned.
func (h *Holder) Handle() uint32 { return uint32(h.handle) | (h.since&1 - 1) }

// SetHandle notes the peer's handle of the node.
func (h *Holder) SetHandle(handle uint32) { h.handle, h.since = uint16(handle), h.since|1 }

// Held is how long the peer has wanted the node, to the millisecond.
func (h *Holder) Held(now time.Duration) time.Duration {
	ms := (uint32(now/time.Millisecond) - h.since>>(32-heldBits)) & (1<<heldBits - 1)
	return time.Duration(ms) * time.Millisecond
}

// Holder returns what a node notes of a peer, by the peer's index; nil if the node is not
// relevant to it. It is valid until the holders change.
func (n *Node) Holder(peer int32) *Holder {
	if i := n.holderAt(peer); i < len(n.Holders) && n.Holders[i].Peer() == peer {
		return &n.Holders[i]
	}
	return nil
}

// holderAt is where a peer is among the holders, or belongs: they stand in the order of the
// peers' indices, so that a node which a thousand peers hold is not searched through.
func (n *Node) holderAt(peer int32) int {
	from, to := 0, len(n.Holders)
	for from < to {
		if mid := int(uint(from+to) >> 1); n.Holders[mid].Peer() < peer {
			from = mid + 1
		} else {
			to = mid
		}
	}
	return from
}

// Hold makes a node relevant to a peer from now on.
func (st *Store) Hold(slot uint32, peer int32) {
	n := &st.Nodes[slot]
	st.catchUp(n)
	at, k := n.holderAt(peer), len(n.Holders)
	if k == cap(n.Holders) { // append would double them
		n.Holders = append(make([]Holder, 0, max(1, k+min(k, max(2, k/8)))), n.Holders...)
	}
	n.Holders = n.Holders[:k+1]
	copy(n.Holders[at+1:], n.Holders[at:])
	n.Holders[at] = newHolder(peer, st.Now)
	st.noteHeld(n)
	if st.reckons.By != nil {
		n.restate(st)
	}
}

// Unhold takes a peer off a node's holders. It returns the handle that the node has at
// the peer, NoHandle for none.
func (st *Store) Unhold(slot uint32, peer int32) (handle uint32) {
	n := &st.Nodes[slot]
	i := n.holderAt(peer)
	if i == len(n.Holders) || n.Holders[i].Peer() != peer {
		return wire.NoHandle
	}
	handle = n.Holders[i].Handle()
	n.Holders = slices.Delete(n.Holders, i, i+1)
	st.noteUnheld(n)
	return handle
}
