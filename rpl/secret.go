package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
)

// Which rows are secret. Code tables go to every peer, so they must not be learned from
// what some peers may not see: usual values, frequent patterns, even the lengths of
// residuals would reveal it. A node that is only out of a peer's sight is no secret;
// what is kept to an audience, an owner or a group is.

// noteSecrets notes which rows are secret, for a node and all nodes below it.
func (a *Authority) noteSecrets(slot uint32) {
	kept := false
	switch a.nodes[a.root(slot)].spawn.Relevance {
	case OwnerOnly, Grouped:
		kept = true
	}
	a.hide(slot, kept)
}

// hide does so once it is known whether the tree is kept to an owner or a group.
func (a *Authority) hide(slot uint32, kept bool) {
	n := &a.nodes[slot]
	for _, i := range n.rows {
		r := &a.rows[i]
		r.secret = kept || r.t.Audience != Everyone
	}
	for _, c := range n.children {
		a.hide(c, kept)
	}
}

// hearer returns the learner that counts how a row is coded with a model. Secret rows
// go to a.deaf, from which no tables are made, and so do rows that are coded against
// other expectations than those of the newest model, which would mislead.
func (a *Authority) hearer(r *row, m *coder.Model) *coder.Learner {
	if r.secret || m != a.model && !m.AimsAs(a.model, r.t) {
		return a.deaf
	}
	return a.learner
}
