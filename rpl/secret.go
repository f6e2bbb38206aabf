package rpl

// Code tables go to everyone, so they must not be made of what not everyone may
// see: a usual value, the patterns that are frequent, even how long the residuals
// are, would tell of it. What is out of somebody's sight is no secret; what is
// kept to an audience, to an owner or to a group is.

// noteSecrets sets what the rows of a tree have to hide.
func (a *Authority) noteSecrets(slot uint32) {
	kept := false
	switch a.nodes[a.root(slot)].spawn.Relevance {
	case OwnerOnly, Grouped:
		kept = true
	}
	a.hide(slot, kept)
}

func (a *Authority) hide(slot uint32, kept bool) {
	n := &a.nodes[slot]
	for _, i := range n.rows {
		r := &a.rows[i]
		r.secret = kept || r.t.audience != Everyone
	}
	for _, c := range n.children {
		a.hide(c, kept)
	}
}

// hearer is who learns from what is said of a row with a model. What is said
// against other expectations than the newest model's would mislead.
func (a *Authority) hearer(r *row, m *model) *learner {
	if r.secret || m != a.model && !m.aimsAs(a.model, r.t) {
		return a.deaf
	}
	return a.learner
}

// aimsAs is whether two models expect the same of a row's angle.
func (m *model) aimsAs(n *model, t *rowType) bool {
	return m.rows[t.index].heading == n.rows[t.index].heading
}
