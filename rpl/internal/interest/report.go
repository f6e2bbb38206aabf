package interest

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// tell has all watches of a peer ask a node at the next Stream. There is one list for all
// watches, because a list for each would cost a cache miss for each.
func (a *Manager) tell(v *Viewer, slot uint32) {
	if g := a.space.Index; g != nil && g.Plain {
		for i := range v.present() {
			a.tellWatch(v.watchAt(i).id, slot)
		}
	}
}

// tellWatch has one watch, by its number, ask a node at the next Stream.
func (a *Manager) tellWatch(id int32, slot uint32) {
	g := a.space.Index
	g.News = append(g.News, spatial.News{Watch: id, Slot: slot})
}

// tellWatchers tells all peers that watch a bucket of a node that has come into the
// grid or whose rules have changed.
func (a *Manager) tellWatchers(bucket int32, slot uint32) {
	for k, w := range a.space.Index.Watchers.Of(bucket) {
		for ; w != 0; w &= w - 1 {
			a.tellWatch(int32(k<<6+bits.TrailingZeros64(w)), slot)
		}
	}
}
