package interest

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// tell has a peer's watch ask a node at the next Stream. There is one list for all
// peers, because a list per peer would cost a cache miss for each.
func (a *Manager) tell(peer int32, slot uint32) {
	if g := a.space.Index; g != nil && g.Plain {
		g.News = append(g.News, spatial.News{Peer: peer, Slot: slot})
	}
}

// tellWatchers tells all peers that watch a bucket of a node that has come into the
// grid or whose rules have changed.
func (a *Manager) tellWatchers(bucket int32, slot uint32) {
	for k, w := range a.space.Index.Watchers.Of(bucket) {
		for ; w != 0; w &= w - 1 {
			a.tell(int32(k<<6+bits.TrailingZeros64(w)), slot)
		}
	}
}
