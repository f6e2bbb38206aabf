package interest

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/ids"
)

// What is decided before Stream, because a node is removed. Its removal carries what it was in the
// end, which is not for a peer whose sight of it has ended since the last Stream.

// A sightless is a node that a peer may not be told the end of, though it may have the node: the
// node hung on one that has been removed since the last Stream, in a tree that the peer shall not have.
type sightless struct {
	slot uint32
	peer int32
}

// Going takes a node that is about to be removed from the peers of which the next Stream would take
// its tree, for another reason than the distance: for these it goes out of sight, and with that
// what was written since. Nobody is let in, and nothing else of the tree is decided. It costs
// nothing but a look at the holders where nothing about the tree has changed.
func (m *Manager) Going(slot uint32) {
	root := m.store.Root(slot)
	for _, c := range m.store.Nodes[slot].Children() { // they hang elsewhere from now on, and may go, too
		for _, h := range m.store.Nodes[c].Holders {
			if m.sightEnded(m.Viewers[h.Peer()], slot, root) {
				if m.sightless == nil {
					m.sightless = map[sightless]bool{}
				}
				m.sightless[sightless{c, h.Peer()}] = true
			}
		}
	}
	for i := len(m.store.Nodes[slot].Holders) - 1; i >= 0; i-- {
		if v := m.Viewers[m.store.Nodes[slot].Holders[i].Peer()]; m.sightEnded(v, slot, root) {
			m.unwant(v, slot)
		}
	}
}

// sightEnded reports whether a peer shall not have a node any more, other than for its distance, and
// Stream has not found that yet.
func (m *Manager) sightEnded(v *Viewer, slot, root uint32) bool {
	n := &m.store.Nodes[root]
	switch {
	case m.isSightless(slot, v) || root != slot && m.isSightless(root, v):
		return !m.ownsAny(v, root)
	case (n.Judge || v.asked == m.space.Moves) && !m.judgeTree(v, root) && m.refuses(v, root):
		return true
	case n.Spawn.Relevance == ids.Grouped && m.conditional && !m.holdsOn(v, root):
		groups := n.RareView().Groups
		return groups&m.groupsNow(v, groups) == 0
	}
	return false
}

func (m *Manager) isSightless(slot uint32, v *Viewer) bool {
	return m.sightless[sightless{slot, v.index}]
}

// groupsNow are the groups that a peer is in, of which those among some that a function decides
// are asked now.
func (m *Manager) groupsNow(v *Viewer, among uint64) (groups uint64) {
	groups = v.Groups
	for some := among; some != 0; some &= some - 1 {
		g := ids.Audience(bits.TrailingZeros64(some))
		if fn := m.conditions[g]; fn != nil {
			SetBit(&groups, g, fn(v.ID))
		}
	}
	return groups
}

// refuses reports whether a peer that shall not have a tree shall not for another reason than its
// place: until Stream that may change, or still be relative to what the tree hung on. What the game has the
// Policy asked about now is refused wherever it is.
func (m *Manager) refuses(v *Viewer, root uint32) bool {
	if !m.isNear(root) || m.hides(v, root) {
		return true
	}
	if m.space.Index.Policy == nil {
		return false
	}
	_, sighted := m.policyWants(v, root, true)
	return sighted || m.isAsked(v, root) && m.policyRefuses(v, root)
}
