package send

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/store"
)

// The fast path of planUpdates for plain nodes, which most nodes are: one row that
// everyone sees (isPlain in peer.go).

// planBatch plans the updates of a batch of nodes. Most of them are plain, and most of
// these have departed from what the peer predicts at this tick, with an implicit base:
// those need no further checks, and are planned here. What was coded for another peer in this
// send needs no look at its words either: it would have been a keyframe if the row had
// fractions that the model does not carry.
func (u *updates) planBatch(p *Peer, b *marks.Batch) {
	tick, base := uint32(u.store.Tick), uint32(p.Link.BaseTick)
	key, outrun := u.store.ShareKey(p.Model), p.Link.Sends.Outruns()
	since, step := p.Link.Sends.Lines()
	states, rows := p.States, u.store.Rows
	for _, h := range b.All() {
		e := &states[h]
		if !e.isPlain() {
			u.planOther(p, h, e)
			continue
		}
		r, pr := &rows[e.row], &e.one
		if !justLeft(r, pr, tick) || outrun || pr.acked == 0 || !r.Kept(pr.acked) || r.Vars != nil || !pr.implicit(base) {
			u.planOnly(p, h, e)
			continue
		}
		second := secondKey(0)
		if pr.secondAgo != 0 && pr.ackedTick-uint32(pr.secondAgo) >= since && p.Model.LinesOf(r.Type) {
			second = newSecondKey(pr, step)
		}
		var c codes
		switch {
		case isCoded(r, key, tick, pr, second):
			u.countShared(r)
			c = codes(r.Share.Codes)
		case second.has(r, pr.acked) && (r.Share.Key == key || !store.HasFractions(u.store, p.Model, r)):
			c = u.codeFor(p.Model, r, pr, key, second)
		default: // it is not to be had by an implicit base
			u.planOnly(p, h, e)
			continue
		}
		u.countRecord(r)
		u.planUsual(p, h, e, r, c)
	}
}

// planOther plans the update of a node that is not plain, or whose arrival is not
// acked.
func (u *updates) planOther(p *Peer, h uint32, e *handleState) {
	if e.State == HandleComing && e.notes&(statePlain|stateOwnership) == statePlain {
		u.planSpeculative(p, h, e)
	} else {
		u.planUpdate(p, h, e)
	}
}

// planUsual plans the update of a plain node in the usual case (planBatch).
func (u *updates) planUsual(p *Peer, h uint32, e *handleState, r *store.Row, c codes) {
	p.setMoves(e, r.Moving)
	p.Marks.Clear(marks.Loose, h)
	n, pr := uint32(c.bits(u.syms)), &e.one
	u.sender.Accounts.Bits[r.Type.Account].Updates += uint64(n)
	p.plan.updateBits += int32(n)
	urgency := float32(1)
	if pr.isPending() {
		urgency += float32(pr.waited(u.store.Tick))
	} else {
		pr.pendSince(u.store.Tick)
	}
	b := u.bundles.update()
	b.codes, b.handle, b.bits, b.recAt, b.recN, b.urgency = c, h, n, uint32(len(u.recs)), 1, urgency
	b.name, b.skip, b.ownership, b.special = 0, false, false, false
	u.note(h, r.Head, recRow, e.gen, 0)
}

// planOnly is planUpdate for a plain node that the peer holds. It reads nothing of the
// node but its row.
func (u *updates) planOnly(p *Peer, h uint32, e *handleState) {
	r, pr := &u.store.Rows[e.row], &e.one
	if !u.pending(r, pr) {
		u.planNothing(p, h, r, pr)
		return
	}
	urgency := float32(pr.pend(u.store.Tick))
	b := u.bundles.update()
	*b = bundle{handle: h, recAt: uint32(len(u.recs)), recN: 1, urgency: urgency}
	u.noteRow(h, e, r, pr, 0, recRow)
	p.setMoves(e, r.Moving)
	u.codeOnly(p, r, pr, b)
	p.plan.updateBits += int32(b.bits)
	// Once it is sent, the peer knows the newest reference version if that was made at this tick.
	if loose := r.Moving && r.Left != uint32(u.store.Tick); loose || p.Marks.Has(marks.Loose, h) {
		p.loosen(h, loose)
	}
}

// planNothing notes that there is nothing to send of the row of a plain node.
func (u *updates) planNothing(p *Peer, h uint32, r *store.Row, pr *peerRow) {
	pr.rest()
	p.Marks.Clear(marks.Dirty, h)
	p.loosen(h, u.isLoose(r, pr))
}

// planSpeculative is planUpdate for a plain node whose arrival is not acked.
func (u *updates) planSpeculative(p *Peer, h uint32, e *handleState) {
	if !p.mayBeSpeculative(e) {
		u.arriveChanged(p, h, e)
		return
	}
	r, pr := &u.store.Rows[e.row], &e.one
	if pr.acked == 0 || !u.pending(r, pr) {
		u.planNothing(p, h, r, pr)
		return
	}
	urgency := float32(pr.pend(u.store.Tick))
	begun := u.cursor()
	u.noteRow(h, e, r, pr, 0, recSpeculative)
	p.setMoves(e, r.Moving)
	action := u.baseOf(p, h, 0, r, pr, true)
	u.syms = append(u.syms, p.Model.Entry.SpeculativeRow.Sym(action))
	u.appendDelta(p, h, 0, r, pr, action)
	p.loosen(h, r.Moving)
	b := u.bundle(h, begun)
	b.special, b.urgency = true, urgency
	u.bundles.speculative = append(u.bundles.speculative, b)
}

// codeOnly codes the row of a plain node, or takes the update that was coded for
// another peer.
func (u *updates) codeOnly(p *Peer, r *store.Row, pr *peerRow, b *bundle) {
	action := u.baseOf(p, b.handle, 0, r, pr, false)
	if action == coder.RowImplicit && r.Vars == nil && r.Kept(pr.acked) {
		b.codes = u.coded(p.Model, r, pr, p.secondOf(r, pr))
		b.bits = uint32(b.codes.bits(u.syms))
		u.sender.Accounts.Bits[r.Type.Account].Updates += uint64(b.bits)
		return
	}
	at := len(u.syms)
	if b.special = action != coder.RowImplicit; b.special {
		u.syms = append(u.syms, prefix.Raw(0, 1), p.Model.Entry.Row.Sym(action))
	}
	u.appendDelta(p, b.handle, 0, r, pr, action)
	b.codes, b.bits = codesOf(u.syms, at), uint32(prefix.Bits(u.syms[at:]))
}

// isCoded reports whether an update of the row against the version that the peer has
// was already coded for another peer.
func isCoded(r *store.Row, key, now uint32, pr *peerRow, second secondKey) bool {
	s, base := &r.Share, second.coded(pr, now)
	return s.Key == key && s.Base == base && base != 0 && uint32(r.ShareVer) == r.Head-pr.acked
}

// coded returns the update of a row without variable-length props against the version
// that the peer has.
func (u *updates) coded(m *coder.Model, r *store.Row, pr *peerRow, second secondKey) codes {
	key := u.store.ShareKey(m)
	if len(u.said) > 0 { // what is said depends on what else the peer is sent
		c := u.codeFor(m, r, pr, key, second)
		r.Share.Base = 0
		return c
	}
	if isCoded(r, key, uint32(u.store.Tick), pr, second) {
		u.countShared(r)
		return codes(r.Share.Codes)
	}
	return u.codeFor(m, r, pr, key, second)
}

// codeFor codes such an update, and keeps it for other peers under a key.
func (u *updates) codeFor(m *coder.Model, r *store.Row, pr *peerRow, key uint32, second secondKey) codes {
	s, now := &u.store.Slabs[r.Type.Index], uint32(u.store.Tick)
	was, from := s.VersionOf(r, pr.acked)
	if pr.ackedTick != from {
		was = u.store.Advanced(r.Type, was, pr.ackedTick-from)
	}
	is, at := s.Reference(r.Block)
	if at != now || r.Type.Once != nil {
		is = u.store.KnownFrom(r, is, at)
	}
	l, hint := u.sender.Tables.hearer(r, m), second
	compares := s.Compares(r.Block)
	if hint == 0 && (compares || l.Samples(r.Type)) && !m.LinesOf(r.Type) {
		hint = u.sampled(r, pr)
	}
	before := u.secondFrom(r, pr, hint)
	syms, last := m.CodeUpdate(u.syms, r.Type, was, is, before, u.said, now-pr.ackedTick, l)
	r.Share.Key, r.Share.Base, r.Share.Codes = key, second.coded(pr, now), last
	r.ShareVer = uint8(r.Head - pr.acked) // it fits: acked is kept
	if at := len(u.syms); len(syms) > at {
		u.keep(append(syms, last))
		r.Share.Codes = prefix.Sym(codesOf(u.syms, at))
	}
	if compares {
		s.Took(r, was, is, before, now-pr.ackedTick, codes(r.Share.Codes).bits(u.syms))
	}
	return codes(r.Share.Codes)
}

// keep takes over u.syms with appended symbols. It writes the slice's pointer only if
// the memory has moved, which is rare.
func (u *updates) keep(syms []prefix.Sym) {
	if cap(syms) != cap(u.syms) {
		u.syms = syms
	}
	u.syms = u.syms[:len(syms)]
}
