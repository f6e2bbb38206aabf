package send

import (
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// What a peer predicts: the nodes that it owns. What a packet does not carry of them has to
// be as the peer's acked version says: only then may the peer take silence for the state of
// that tick, and compare what it has predicted with it (protocol rule 34).

// predicts reports whether the peer predicts a node.
func (p *Peer) predicts(n *store.Node) bool { return p.predicting && n.Owner == p.ID }

// unconfirmed reports whether the peer may take the row for something else than it is:
// the acked version does not lead to what it is now, or another was sent since.
func (a *updates) unconfirmed(r *store.Row, pr *peerRow) bool {
	return pr.acked == 0 || pr.newest > pr.ackedTick || !r.Kept(pr.acked) || r.Vars != nil && !r.SameVars(pr.acked) ||
		!a.leads(r, pr.acked, pr.ackedTick)
}

// SetPredicting says whether a peer predicts the nodes that it owns: then every packet
// carries all that it is not known to have of them, not only of what has changed.
func (a *Sender) SetPredicting(p *Peer, on bool) {
	if p.predicting == on {
		return
	}
	p.predicting = on
	for h := range p.States {
		if e := &p.States[h]; e.isHere() {
			a.renewPlain(p, uint32(h), &a.store.Nodes[e.slot])
		}
	}
}

// renewPlain judges anew whether a node is plain to a peer, and has it looked at.
func (a *Sender) renewPlain(p *Peer, h uint32, n *store.Node) {
	p.States[h].judge(p, a.store, n)
	if p.predicts(n) {
		p.Marks.set(MarkDirty, h)
	}
}

// PredictedAtHolders judges a node anew at all peers that hold it, after a change of owner.
func (a *Sender) PredictedAtHolders(n *store.Node) {
	for _, h := range n.Holders {
		if h.Handle() != wire.NoHandle {
			a.renewPlain(a.All[h.Peer()], h.Handle(), n)
		}
	}
}
