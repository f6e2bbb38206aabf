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
func (a *updates) planBatch(p *Peer, b *marks.Batch) {
	tick, base := uint32(a.store.Tick), uint32(p.Link.BaseTick)
	key := a.store.ShareKey(p.Model)
	since, step := p.Link.Sends.Lines()
	states, rows, counters := p.States, a.store.Rows, &a.sender.Accounts.Counters
	for _, h := range b.All() {
		e := &states[h]
		if !e.isPlain() {
			a.planOther(p, h, e)
			continue
		}
		r, pr := &rows[e.row], &e.one
		if !justLeft(r, pr, tick) || pr.acked == 0 || !r.Kept(pr.acked) || r.Vars != nil || !pr.implicit(base) {
			a.planOnly(p, h, e)
			continue
		}
		second := secondKey(0)
		if pr.secondAgo != 0 && pr.ackedTick-uint32(pr.secondAgo) >= since && p.Model.LinesOf(r.Type) {
			second = newSecondKey(pr, step)
		}
		var c codes
		switch {
		case isCoded(r, key, tick, pr, second):
			counters.Shared++
			c = codes(r.Share.Codes)
		case second.has(r, pr.acked) && (r.Share.Key == key || !hasFractions(a.store, p.Model, r)):
			c = a.codeFor(p.Model, r, pr, key, second)
		default: // it is not to be had by an implicit base
			a.planOnly(p, h, e)
			continue
		}
		counters.Records++
		a.planUsual(p, h, e, r, c)
	}
}

// planOther plans the update of a node that is not plain, or whose arrival is not
// acked.
func (a *updates) planOther(p *Peer, h uint32, e *handleState) {
	if e.State == HandleComing && e.notes&(statePlain|stateOwnership) == statePlain {
		a.planSpeculative(p, h, e)
	} else {
		a.planUpdate(p, h, e)
	}
}

// planUsual plans the update of a plain node in the usual case (planBatch).
func (a *updates) planUsual(p *Peer, h uint32, e *handleState, r *store.Row, c codes) {
	p.setMoves(e, r.Moving)
	p.Marks.Clear(marks.Loose, h)
	n, pr := uint32(c.bits(a.syms)), &e.one
	a.sender.Accounts.Bits[r.Type.Account].Updates += uint64(n)
	p.plan.updateBits += int32(n)
	urgency := float32(1)
	if pr.isPending() {
		urgency += float32(pr.waited(a.store.Tick))
	} else {
		pr.pendSince(a.store.Tick)
	}
	u := a.bundles.update()
	u.codes, u.handle, u.bits, u.recAt, u.recN, u.urgency = c, h, n, uint32(len(a.recs)), 1, urgency
	u.name, u.skip, u.ownership, u.special = 0, false, false, false
	a.note(h, r.Head, recRow, e.gen, 0)
}

// planOnly is planUpdate for a plain node that the peer holds. It reads nothing of the
// node but its row.
func (a *updates) planOnly(p *Peer, h uint32, e *handleState) {
	r, pr := &a.store.Rows[e.row], &e.one
	if !a.pending(r, pr) {
		a.planNothing(p, h, r, pr)
		return
	}
	urgency := float32(pr.pend(a.store.Tick))
	pc := a.bundles.update()
	*pc = bundle{handle: h, recAt: uint32(len(a.recs)), recN: 1, urgency: urgency}
	a.noteRow(h, e, r, pr, 0, recRow)
	p.setMoves(e, r.Moving)
	a.codeOnly(p, r, pr, pc)
	p.plan.updateBits += int32(pc.bits)
	// Once it is sent, the peer knows the newest reference version if that was made at this tick.
	if loose := r.Moving && r.Left != uint32(a.store.Tick); loose || p.Marks.Has(marks.Loose, h) {
		p.loosen(h, loose)
	}
}

// planNothing notes that there is nothing to send of the row of a plain node.
func (a *updates) planNothing(p *Peer, h uint32, r *store.Row, pr *peerRow) {
	pr.rest()
	p.Marks.Clear(marks.Dirty, h)
	p.loosen(h, a.isLoose(r, pr))
}

// planSpeculative is planUpdate for a plain node whose arrival is not acked.
func (a *updates) planSpeculative(p *Peer, h uint32, e *handleState) {
	if !p.lifeOf(e).mayBeSpeculative() {
		return
	}
	r, pr := &a.store.Rows[e.row], &e.one
	if pr.acked == 0 || !a.pending(r, pr) {
		a.planNothing(p, h, r, pr)
		return
	}
	urgency := float32(pr.pend(a.store.Tick))
	begun := a.cursor()
	a.noteRow(h, e, r, pr, 0, recSpeculative)
	p.setMoves(e, r.Moving)
	action := a.baseOf(p, h, 0, r, pr, true)
	a.syms = append(a.syms, p.Model.Entry.SpeculativeRow.Sym(action))
	a.appendDelta(p, h, 0, r, pr, action)
	p.loosen(h, r.Moving)
	pc := a.bundle(h, begun)
	pc.special, pc.urgency = true, urgency
	a.bundles.speculative = append(a.bundles.speculative, pc)
}

// codeOnly codes the row of a plain node, or takes the update that was coded for
// another peer.
func (a *updates) codeOnly(p *Peer, r *store.Row, pr *peerRow, pc *bundle) {
	action := a.baseOf(p, pc.handle, 0, r, pr, false)
	if action == coder.RowImplicit && r.Vars == nil && r.Kept(pr.acked) {
		pc.codes = a.coded(p.Model, r, pr, p.secondOf(r, pr))
		pc.bits = uint32(pc.codes.bits(a.syms))
		a.account(r.Type, int(pc.bits), accountUpdate)
		return
	}
	at := len(a.syms)
	if pc.special = action != coder.RowImplicit; pc.special {
		a.syms = append(a.syms, prefix.Raw(0, 1), p.Model.Entry.Row.Sym(action))
	}
	a.appendDelta(p, pc.handle, 0, r, pr, action)
	pc.codes, pc.bits = codesOf(a.syms, at), uint32(symBits(a.syms[at:]))
}

// isCoded reports whether an update of the row against the version that the peer has
// was already coded for another peer.
func isCoded(r *store.Row, key, now uint32, pr *peerRow, second secondKey) bool {
	s, base := &r.Share, second.coded(pr, now)
	return s.Key == key && s.Base == base && base != 0 && uint32(r.ShareVer) == r.Head-pr.acked
}

// coded returns the update of a row without variable-length props against the version
// that the peer has.
func (a *updates) coded(m *coder.Model, r *store.Row, pr *peerRow, second secondKey) codes {
	key := a.store.ShareKey(m)
	if len(a.said) > 0 { // what is said depends on what else the peer is sent
		c := a.codeFor(m, r, pr, key, second)
		r.Share.Base = 0
		return c
	}
	if isCoded(r, key, uint32(a.store.Tick), pr, second) {
		a.sender.Accounts.Counters.Shared++
		return codes(r.Share.Codes)
	}
	return a.codeFor(m, r, pr, key, second)
}

// codeFor codes such an update, and keeps it for other peers under a key.
func (a *updates) codeFor(m *coder.Model, r *store.Row, pr *peerRow, key uint32, second secondKey) codes {
	s, now := &a.store.Slabs[r.Type.Index], uint32(a.store.Tick)
	was, from := s.VersionOf(r, pr.acked)
	if pr.ackedTick != from {
		was = a.store.Advanced(r.Type, was, pr.ackedTick-from)
	}
	is, at := s.Reference(r.Block)
	if at != now || r.Type.Once != nil {
		is = a.store.KnownFrom(r, is, at)
	}
	l, hint := a.sender.Tables.hearer(r, m), second
	if hint == 0 && l.Samples(r.Type) && !m.LinesOf(r.Type) {
		hint = a.sampled(r, pr)
	}
	syms, last := m.CodeUpdate(a.syms, r.Type, was, is, a.secondFrom(r, pr, hint), a.said, now-pr.ackedTick, l)
	r.Share.Key, r.Share.Base, r.Share.Codes = key, second.coded(pr, now), last
	r.ShareVer = uint8(r.Head - pr.acked) // it fits: acked is kept
	if at := len(a.syms); len(syms) > at {
		a.keep(append(syms, last))
		r.Share.Codes = prefix.Sym(codesOf(a.syms, at))
	}
	return codes(r.Share.Codes)
}

// keep takes over a.syms with appended symbols. It writes the slice's pointer only if
// the memory has moved, which is rare.
func (a *updates) keep(syms []prefix.Sym) {
	if cap(syms) != cap(a.syms) {
		a.syms = syms
	}
	a.syms = a.syms[:len(syms)]
}
