package interest

// What is decided before Stream, because a node is called.

// Judge judges a node's tree now if Stream would have to, for an RPC: it must reach a
// peer that has just been let in or comes, and not one that has just been put out. A tree made
// since the last Stream is not judged, because its place is not known yet: it is only taken from
// those from whom it is hidden. The place of another may change until Stream, too: it is where the
// game has just put it, or still relative to what it hung on. So for its place alone a tree is taken
// from nobody (refuses). Stream judges it again.
func (m *Manager) Judge(slot uint32) {
	root := m.store.Root(slot)
	n := &m.store.Nodes[root]
	if n.Born == m.store.Send {
		m.takeHidden(root)
		return
	}
	m.calling = true
	if n.Judge {
		n.Judge = false
		m.called = append(m.called, root)
		m.regrid(root)
		m.rejudgeNow(root)
	}
	if m.asked == m.space.Moves {
		for i := len(n.Holders) - 1; i >= 0; i-- {
			if v := m.Viewers[n.Holders[i].Peer()]; v.asked == m.asked {
				m.judge(v, root)
			}
		}
	}
	for _, v := range m.coming {
		if root >= v.next && m.outside.Has(root) && m.space.Positions[root].Cell < 0 {
			m.judge(v, root)
		}
	}
	m.calling = false
}

// takeHidden takes a tree from the peers from which it is hidden: a new one may have nodes that they have.
func (m *Manager) takeHidden(root uint32) {
	if m.showings.trees[root] == nil {
		return
	}
	for _, v := range m.Viewers {
		if v != nil && m.hides(v, root) && !m.ownsAny(v, root) {
			m.decide(v, root, false)
		}
	}
}

// judge decides about a tree for a peer. For a call, a tree that is out of sight stays with a peer
// that has it, unless a Policy refuses it in sight.
func (m *Manager) judge(v *Viewer, root uint32) {
	want := m.judgeTree(v, root)
	if want || !m.calling || m.refuses(v, root) {
		m.decide(v, root, want)
	}
}

// noteWatching notes the peers of which a list covers a bucket.
func (m *Manager) noteWatching(bucket int32) {
	lists := m.space.Index.Subscribers.Of(bucket)
	for _, v := range m.Viewers {
		if v == nil {
			continue
		}
		for k := range v.present() {
			if w := v.listAt(k); w.on && lists.Has(w.id) {
				m.concerned.Set(uint32(v.index))
			}
		}
	}
}
