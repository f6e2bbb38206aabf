package interest

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/spatial"
)

// report has all lists of a peer ask a node at the next Stream. There is one list for all
// these lists, because one for each would cost a cache miss for each.
func (m *Manager) report(v *Viewer, slot uint32) {
	if g := m.space.Index; g != nil && g.Plain {
		for i := range v.present() {
			if w := v.listAt(i); w.on {
				m.reportToList(w.id, slot)
			}
		}
	}
}

// reportToList has one list, by its number, ask a node at the next Stream.
func (m *Manager) reportToList(id int32, slot uint32) {
	g := m.space.Index
	g.News = append(g.News, spatial.News{List: id, Slot: slot})
}

// reportToSubscribers reports to all lists that cover a bucket a node that has come into the
// grid or whose rules have changed.
func (m *Manager) reportToSubscribers(bucket int32, slot uint32) {
	for k, w := range m.space.Index.Subscribers.Of(bucket) {
		for ; w != 0; w &= w - 1 {
			m.reportToList(int32(k<<6+bits.TrailingZeros64(w)), slot)
		}
	}
}
