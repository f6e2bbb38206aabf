package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// The fast path of planUpdates for plain nodes, which most nodes are: one row that
// everyone sees (isPlain in peer.go).

// isPlain reports whether the peer holds a plain node and has no parent or owner to be
// told.
func (e *entry) isPlain() bool { return e.plain && e.state == entryIn && !e.meta }

// planBatch plans the updates of a batch of nodes. Most of them are plain, and most of
// these have left the course that the peer knows at this tick, with an implicit base:
// for those planUsual needs no further checks.
func (a *Authority) planBatch(p *peer, b *batch) {
	tick, base := uint32(a.tick), uint32(p.link.baseTick)
	for _, h := range b.all() {
		e := &p.entries[h]
		if !e.isPlain() {
			a.planOther(p, h, e)
			continue
		}
		r, pr := &a.rows[e.row], &e.one
		if !r.justLeft(pr, tick) || r.vars != nil || pr.acked == 0 || !r.kept(pr.acked) || !pr.implicit(base) {
			a.planOnly(p, h, e)
			continue
		}
		a.planUsual(p, h, e, r)
	}
}

// planOther plans the update of a node that is not plain, or whose arrival is not
// acked.
func (a *Authority) planOther(p *peer, h uint32, e *entry) {
	if e.plain && e.state == entryComing && !e.meta {
		a.planGuess(p, h, e)
	} else {
		a.planUpdate(p, h, e)
	}
}

// planUsual plans the update of a plain node in the usual case (planBatch).
func (a *Authority) planUsual(p *peer, h uint32, e *entry, r *row) {
	a.counters.Records++
	p.setMoves(e, r.drifting)
	p.marks.clear(markLoose, h)
	c, pr, m := r.share.codes, &e.one, p.link.model
	if key := a.shareKey(m); r.isCoded(key, pr) {
		a.counters.Shared++
	} else {
		c = a.codeFor(m, r, pr, key)
	}
	n := c.bits(a.syms)
	a.bits[r.t.Account].Updates += uint64(n)
	p.plan.updateBits += int32(n)
	urgency := float32(1)
	if pr.since == 0 {
		pr.since = a.tick
	} else {
		urgency = float32(a.tick-pr.since) + 1
	}
	*a.pieces.update() = piece{handle: h, codes: c, bits: uint32(n), recAt: uint32(len(a.recs)), recN: 1, urgency: urgency}
	a.note(h, r.head, recRow, e.gen, 0)
}

// planOnly is planUpdate for a plain node that the peer holds. It reads nothing of the
// node but its row.
func (a *Authority) planOnly(p *peer, h uint32, e *entry) {
	r, pr := &a.rows[e.row], &e.one
	if !a.pending(r, pr) {
		a.planNothing(p, h, r, pr)
		return
	}
	if pr.since == 0 {
		pr.since = a.tick
	}
	pc := a.pieces.update()
	*pc = piece{handle: h, recAt: uint32(len(a.recs)), recN: 1, urgency: float32(a.tick-pr.since) + 1}
	a.noteRow(h, e, r, pr, 0, recRow)
	p.setMoves(e, r.drifting)
	a.codeOnly(p, r, pr, pc)
	p.plan.updateBits += int32(pc.bits)
	// Once told, the peer knows the newest anchor if that was made at this tick.
	if loose := r.drifting && r.left != uint32(a.tick); loose || p.marks.has(markLoose, h) {
		p.loosen(h, loose)
	}
}

// planNothing notes that there is nothing to tell of the row of a plain node.
func (a *Authority) planNothing(p *peer, h uint32, r *row, pr *peerRow) {
	pr.since = 0
	p.marks.clear(markDirty, h)
	p.loosen(h, a.isLoose(r, pr))
}

// planGuess is planUpdate for a plain node whose arrival is not acked.
func (a *Authority) planGuess(p *peer, h uint32, e *entry) {
	if !p.visits[h].guessable() {
		return
	}
	r, pr := &a.rows[e.row], &e.one
	if pr.acked == 0 || !a.pending(r, pr) {
		a.planNothing(p, h, r, pr)
		return
	}
	if pr.since == 0 {
		pr.since = a.tick
	}
	at, rec := len(a.syms), len(a.recs)
	a.noteRow(h, e, r, pr, 0, recGuess)
	p.setMoves(e, r.drifting)
	action := a.baseOf(p, h, 0, r, pr, true)
	a.syms = append(a.syms, prefix.Raw(uint32(e.gen), 8), p.link.model.Entry.Row.Sym(action))
	from := len(a.syms)
	kind := a.appendDelta(p, h, 0, r, pr, action)
	a.account(r.t, symBits(a.syms[from:]), kind)
	p.loosen(h, r.drifting)
	pc := a.piece(h, at, rec)
	pc.special, pc.urgency = true, float32(a.tick-pr.since)+1
	a.pieces.guesses = append(a.pieces.guesses, pc)
}

// codeOnly codes the row of a plain node, or takes the update that was coded for
// another peer.
func (a *Authority) codeOnly(p *peer, r *row, pr *peerRow, pc *piece) {
	action := a.baseOf(p, pc.handle, 0, r, pr, false)
	if action == coder.RowImplicit && r.vars == nil && r.kept(pr.acked) {
		pc.codes, pc.bits = a.codeShared(p.link.model, r, pr)
		return
	}
	at := len(a.syms)
	if pc.special = action != coder.RowImplicit; pc.special {
		a.syms = append(a.syms, prefix.Raw(0, 1), p.link.model.Entry.Row.Sym(action))
	}
	from := len(a.syms)
	kind := a.appendDelta(p, pc.handle, 0, r, pr, action)
	a.account(r.t, symBits(a.syms[from:]), kind)
	pc.codes, pc.bits = codesOf(a.syms, at), uint32(symBits(a.syms[at:]))
}

// codeShared codes a row against the version that the peer has, once for all peers with
// that baseline.
func (a *Authority) codeShared(m *coder.Model, r *row, pr *peerRow) (c codes, bits uint32) {
	c = a.coded(m, r, pr)
	n := c.bits(a.syms)
	a.bits[r.t.Account].Updates += uint64(n)
	return c, uint32(n)
}

// isCoded reports whether an update of the row against the version that the peer has
// was already coded for another peer.
func (r *row) isCoded(key uint32, pr *peerRow) bool {
	s := &r.share
	return s.key == key && s.tick == pr.ackedTick && uint32(r.shareVer) == r.head-pr.acked
}

// coded returns the update of a row without variable-length props against the version
// that the peer has.
func (a *Authority) coded(m *coder.Model, r *row, pr *peerRow) codes {
	key := a.shareKey(m)
	if r.isCoded(key, pr) {
		a.counters.Shared++
		return r.share.codes
	}
	return a.codeFor(m, r, pr, key)
}

// codeFor codes such an update, and keeps it for other peers under a key.
func (a *Authority) codeFor(m *coder.Model, r *row, pr *peerRow, key uint32) codes {
	s, now := &a.slabs[r.t.Index], uint32(a.tick)
	was, from := s.versionOf(r, pr.acked)
	if pr.ackedTick != from {
		was = a.advanced(r.t, was, pr.ackedTick-from)
	}
	is, at := s.anchor(r.block)
	if at != now || r.t.Once != nil {
		is = a.toldAs(r, is, at)
	}
	syms, last := m.CodeUpdate(a.syms, r.t, was, is, now-pr.ackedTick, a.hearer(r, m))
	r.share.key, r.share.tick, r.share.codes = key, pr.ackedTick, codes(last)
	r.shareVer = uint8(r.head - pr.acked) // it fits: acked is kept
	if at := len(a.syms); len(syms) > at {
		a.keep(append(syms, last))
		r.share.codes = codesOf(a.syms, at)
	}
	return r.share.codes
}

// keep takes over a.syms with appended symbols. It writes the slice's pointer only if
// the memory has moved, which is rare.
func (a *Authority) keep(syms []prefix.Sym) {
	if cap(syms) != cap(a.syms) {
		a.syms = syms
	}
	a.syms = a.syms[:len(syms)]
}
