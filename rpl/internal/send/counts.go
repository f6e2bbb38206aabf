package send

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
)

// What counts, as far as a peer knows, and counts no more: a peer counts it on up to the newest tick
// of which it has all. Where a budget or a rate does not let a send say that it has stopped, the
// packets of that send say that they are not complete (protocol rule 34), and nothing is counted on.

// leavesCounts reports whether a send leaves out that something counts no more. Its updates are
// recorded by now.
func (u *updates) leavesCounts(p *Peer) bool {
	if p.plan.held { // a probe says nothing of the time since
		return false
	}
	if p.anew > 0 { // else this would read what peers have of all that comes to them
		for _, c := range p.coming {
			if e := &p.States[c.handle]; e.State == HandleComing && e.copies == 0 && p.lifeOf(e).relayout {
				return true // of what has other items now nothing is told until they are there
			}
		}
	}
	if !p.plan.short {
		return false
	}
	for k := p.Marks.Next(0); k < len(p.Marks.Of); k = p.Marks.Next(k + 1) {
		for w := p.Marks.Of[k][marks.Dirty] | p.Marks.Of[k][marks.Loose]; w != 0; w &= w - 1 {
			e := &p.States[k<<6+bits.TrailingZeros64(w)]
			if e.State == HandleIn && u.leavesCount(p, e, &u.store.Nodes[e.slot]) {
				return true
			}
		}
	}
	return false
}

// leavesCount is leavesCounts of one node.
func (u *updates) leavesCount(p *Peer, e *handleState, n *store.Node) bool {
	if !n.Layout.Counts || n.Transient {
		return false
	}
	for i, ri := range n.Rows() {
		r, pr := &u.store.Rows[ri], p.row(e, i)
		if len(r.Type.Counting) == 0 || pr.hidden() || pr.newest == uint32(u.store.Tick) {
			continue
		}
		if (u.counts(r, pr.flight) || u.counts(r, pr.acked)) && u.pending(r, pr) {
			return true
		}
	}
	return false
}

// counts reports whether words of a version of a row count, or may have.
func (u *updates) counts(r *store.Row, ver uint32) bool {
	if ver == 0 || !r.Kept(ver) {
		return ver != 0
	}
	words, _ := u.store.Version(r, ver)
	return r.Type.Counts(words)
}
