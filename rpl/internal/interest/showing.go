package interest

import (
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/store"
)

// showings are what a game says of single peers and nodes, against the rules. It is said of a node
// and goes with it from tree to tree. A tree is hidden from a peer if a node of it is, else shown to
// the peer if a node of it is.
type showings struct {
	store *store.Store
	said  map[uint32]map[ids.Peer]bool // by slot of a node: whether it is shown
	trees map[uint32]*treeSaid         // by slot of a tree's top: what its nodes come to
	due   map[ids.Peer]struct{}        // peers of which something may be said before they are here
}

// A treeSaid is what is said of the nodes of a tree.
type treeSaid struct {
	of     map[ids.Peer]tally
	hidden int // so many times one of them is hidden from a peer
}

// A tally is how many nodes of a tree are shown to a peer, and hidden from it.
type tally struct{ shown, hidden int }

func newShowings(s *store.Store) showings {
	return showings{s, make(map[uint32]map[ids.Peer]bool), make(map[uint32]*treeSaid), make(map[ids.Peer]struct{})}
}

// any reports whether anything is said.
func (s *showings) any() bool { return len(s.said) > 0 }

// of is what a tree is for a peer: shown or not, if anything is said.
func (s *showings) of(root uint32, p ids.Peer) (shown, said bool) {
	of := s.trees[root]
	if of == nil {
		return true, false
	}
	t := of.of[p]
	return t.hidden == 0, t.shown+t.hidden > 0
}

// count adds by, 1 or -1, nodes that are shown to a peer or hidden from it to a tree.
func (s *showings) count(root uint32, p ids.Peer, shown bool, by int) {
	of := s.trees[root]
	if of == nil {
		of = &treeSaid{of: make(map[ids.Peer]tally)}
		s.trees[root] = of
	}
	t := of.of[p]
	if shown {
		t.shown += by
	} else {
		t.hidden += by
		of.hidden += by
	}
	if of.of[p] = t; t == (tally{}) {
		if delete(of.of, p); len(of.of) == 0 {
			delete(s.trees, root)
		}
	}
	s.store.Hide(root, of.hidden > 0)
}

// say shows a node of a tree to a peer or hides it from it, until unsay.
func (s *showings) say(slot, root uint32, p ids.Peer, shown bool) {
	s.unsay(slot, root, p)
	if s.said[slot] == nil {
		s.said[slot] = make(map[ids.Peer]bool)
	}
	s.said[slot][p] = shown
	s.count(root, p, shown, 1)
}

func (s *showings) unsay(slot, root uint32, p ids.Peer) {
	of := s.said[slot]
	shown, said := of[p]
	if !said {
		return
	}
	s.count(root, p, shown, -1)
	if delete(of, p); len(of) == 0 {
		delete(s.said, slot)
	}
}

// SetSight is Authority.SetShowing. It reports whether there is such a peer, where there is something
// to set.
func (m *Manager) SetSight(p ids.Peer, slot uint32, shown, set bool) bool {
	root := m.store.Root(slot)
	if !set {
		m.showings.unsay(slot, root, p)
	} else if _, due := m.showings.due[p]; due || m.viewOf.Find(p) != nil {
		m.showings.say(slot, root, p, shown)
	} else {
		return false
	}
	m.Rejudge(root)
	return true
}

// Moves has what is said of a node and of those below it leave its tree, which it is about to leave,
// and Moved come into its new one.
func (m *Manager) Moves(slot uint32) { m.countTree(slot, -1) }

// Moved: see Moves.
func (m *Manager) Moved(slot uint32) { m.countTree(slot, 1) }

func (m *Manager) countTree(slot uint32, by int) {
	if m.Rejudge(slot); m.showings.any() {
		m.countBelow(slot, m.store.Root(slot), by)
	}
}

func (m *Manager) countBelow(slot, root uint32, by int) {
	for p, shown := range m.showings.said[slot] {
		m.showings.count(root, p, shown, by)
	}
	for _, c := range m.store.Nodes[slot].Children() {
		m.countBelow(c, root, by)
	}
}

// forgetShowings forgets what is said of a node that goes.
func (m *Manager) forgetShowings(slot uint32) {
	for p := range m.showings.said[slot] {
		m.showings.unsay(slot, m.store.Root(slot), p)
	}
}

// Expect is Authority.Expect, which ForgetPeer ends.
func (m *Manager) Expect(p ids.Peer) { m.showings.due[p] = struct{}{} }

// ForgetPeer forgets what is said of a peer.
func (m *Manager) ForgetPeer(p ids.Peer) {
	delete(m.showings.due, p)
	for slot := range m.showings.said {
		m.showings.unsay(slot, m.store.Root(slot), p)
	}
}

// showTo has what is said of a peer that comes judged anew.
func (m *Manager) showTo(p ids.Peer) {
	for slot, of := range m.showings.said {
		if _, said := of[p]; said {
			m.Rejudge(slot)
		}
	}
}

// hides reports whether a peer is not shown a tree, whatever it sees.
func (m *Manager) hides(v *Viewer, root uint32) bool {
	if !m.showings.any() {
		return false
	}
	shown, said := m.showings.of(root, v.ID)
	return said && !shown
}

// holdsOn reports whether a peer has a tree though it does not see it: it owns a node of it,
// or is shown it.
func (m *Manager) holdsOn(v *Viewer, root uint32) bool {
	if m.showings.any() {
		if shown, said := m.showings.of(root, v.ID); said && shown {
			return true
		}
	}
	return m.ownsAny(v, root)
}
