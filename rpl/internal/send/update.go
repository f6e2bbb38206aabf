package send

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/store"
)

// The updates of a peer's send: which of the nodes that it holds have something new for
// it, against which base each row is coded, and the coding itself. plain.go has the
// fast path for the usual node, priority.go the choice where the budget does not pay for
// all.

// planUpdates plans what a peer must be sent of the nodes that it holds. A row is
// pending if the newest version on its way to the peer, advanced to now, is not what
// the row is now. It looks only at marked nodes: those that departed from their prediction since
// they were last sent, and those that the peer predicts from another reference version
// than the store does.
//
// b is the peer's first batch, taken and touched already unless the plan is stale.
func (u *updates) planUpdates(p *Peer, b *marks.Batch) {
	if n := u.overload(p); n > 0 {
		u.planUrgent(p, b, n)
	} else if k := u.cohortOf(p, b); k != nil {
		u.planCohort(p, k)
	} else {
		u.planMarked(p, b)
	}
	pl := &p.plan
	pl.updates.to = uint32(len(u.bundles.updates))
	pl.speculative.to = uint32(len(u.bundles.speculative))
}

// cohortOf returns what was planned for peers like this one, nil if it is not worth a look.
func (u *updates) cohortOf(p *Peer, b *marks.Batch) *cohortPlan {
	if b.N < store.Ahead {
		return nil // most peers have few updates
	}
	return u.Cohorts.of(p, u.sender.Setup.LeastCohort, u.store.Tick, u.store.Send)
}

// planMarked plans the updates of all marked nodes.
func (u *updates) planMarked(p *Peer, b *marks.Batch) {
	if p.plan.stale {
		b.Take(&p.Marks, 0)
	}
	for {
		u.planBatch(p, b)
		if !b.More(&p.Marks) {
			break
		}
		b.Take(&p.Marks, b.Next)
		u.touchNext(p, b)
	}
}

// planUpdate plans the update of a node of any kind: what is sent of owner and parent, then
// what is done to each row. An ordinary update has only rows with implicit bases; any other
// is special, or speculative.
func (u *updates) planUpdate(p *Peer, h uint32, e *handleState) {
	n, v, speculative := &u.store.Nodes[e.slot], p.lifeOf(e), e.State == HandleComing
	again := v.again
	if again {
		e.note(stateOwnership, false)
		v.again = false
	}
	switch {
	case !speculative && e.State != HandleIn:
		p.Marks.Clear(marks.Dirty, h)
		return
	case n.Spawn.Hz > 0 && !e.owesOwnership() && !p.predicts(n) && uint32(u.store.Tick-v.lastSent)*uint32(n.Spawn.Hz) < uint32(u.sender.Setup.Hz):
		return // not due by the node's own rate
	case speculative && !p.mayBeSpeculative(e):
		u.arriveChanged(p, h, e)
		return
	}
	begun := u.cursor()
	rare, rows := u.chooseActions(p, h, e, n, speculative)
	owed := e.owesOwnership() || again && rows
	if owed && v.repeat != 0 && !speculative && !n.Transient {
		rare = u.addUnderway(p, h, e, n) || rare
	}
	ownership := owed && !speculative && u.parentHere(p, n) // else it waits
	special := ownership || speculative || rare
	if special && !speculative {
		u.syms = append(u.syms, prefix.Raw(uint32(flag(ownership)), 1))
	}
	if ownership {
		u.appendOwnership(p, n, v)
		u.note(h, 0, recOwnership, e.gen, 0)
	}
	pending, loose, urgency := u.appendRows(p, h, e, n, special, speculative)
	p.loosen(h, loose)
	if !ownership && !pending {
		u.rewind(begun)
		if !owed {
			p.Marks.Clear(marks.Dirty, h)
		}
		return
	}
	if !special && len(n.Rows()) > 1 {
		u.notePresent(n)
	}
	b := u.bundle(h, begun)
	b.special, b.ownership, b.urgency = special, ownership, urgency
	if n.Spawn.Hz > 0 {
		p.trails |= 1 << n.Spawn.Sends(u.sender.Setup.Hz, u.sender.Setup.SendHz) &^ 2 // after the next, in which a packet is due anyway
	}
	if speculative {
		u.bundles.speculative = append(u.bundles.speculative, b)
	} else {
		u.bundles.updates = append(u.bundles.updates, b)
		p.plan.updateBits += int32(b.bits)
	}
}

// notePresent counts which rows of a node an ordinary update carries, unless a peer may not see
// one of them.
func (u *updates) notePresent(n *store.Node) {
	for i := 0; i < len(n.Rows()); i += coder.PresentRows {
		some := n.Rows()[i:min(i+coder.PresentRows, len(n.Rows()))]
		if !slices.ContainsFunc(some, func(r uint32) bool { return u.store.Rows[r].Privacy == store.Secret }) {
			u.sender.Tables.Learner.NotePresent(u.actions[i:])
		}
	}
}

// chooseActions sets u.actions to what an update does to each row of a node. It returns
// whether an ordinary update cannot say one of them, and whether any row is sent at all.
func (u *updates) chooseActions(p *Peer, h uint32, e *handleState, n *store.Node, speculative bool) (rare, rows bool) {
	u.actions = u.actions[:0]
	for i := range n.Rows() {
		action := u.rowAction(p, h, n, i, p.row(e, i), speculative)
		u.actions = append(u.actions, action)
		rare, rows = rare || action > coder.RowImplicit, rows || action != coder.RowSame
	}
	return rare, rows
}

// appendRows codes the rows of a node by u.actions. It returns whether one was pending,
// whether one is loose, and the urgency of the most urgent.
func (u *updates) appendRows(p *Peer, h uint32, e *handleState, n *store.Node, special, speculative bool) (pending, loose bool, urgency float32) {
	m, moves := &p.Model.Entry, false
	for i := range n.Rows() {
		switch {
		case speculative:
			u.syms = append(u.syms, m.SpeculativeRow.Sym(u.actions[i]))
		case special:
			u.syms = append(u.syms, m.Row.Sym(u.actions[i]))
		case len(n.Rows()) > 1 && i%coder.PresentRows == 0:
			u.syms = append(u.syms, m.PresentSym(u.actions[i:]))
		}
		if n.Layout.Twins != nil {
			u.noteTwins(n, i)
		}
		sent, free, age := u.appendRow(p, h, e, n, i, speculative)
		u.said = u.said[:0]
		pending, loose, urgency = pending || sent, loose || free, max(urgency, age)
		moves = moves || u.store.Rows[n.Rows()[i]].Moving && u.actions[i] != coder.RowForget && !p.row(e, i).hidden()
	}
	if pending && !n.Transient {
		p.setMoves(e, moves)
	}
	return pending, loose, urgency
}

// noteTwins notes in u.said what rows before row i in its update say of words that are twins of its own.
func (u *updates) noteTwins(n *store.Node, i int) {
	for _, w := range n.Layout.Twins[i] {
		if action := u.actions[w.Row]; action == coder.RowSame || action == coder.RowForget {
			continue
		}
		if slices.ContainsFunc(u.said, func(s rowtype.Said) bool { return s.Word == w.At }) {
			continue // an earlier row has said it
		}
		u.said = append(u.said, rowtype.Said{Word: w.At, Value: *u.store.Known(&u.store.Rows[n.Rows()[w.Row]]).Word(w.From)})
	}
}

// loosen says whether a handle must be looked at in every send.
func (p *Peer) loosen(h uint32, loose bool) {
	if loose {
		p.Marks.Set(marks.Loose, h)
	} else {
		p.Marks.Clear(marks.Loose, h)
	}
}

// isLoose reports whether a row can depart from what the peer predicts without
// departing from what the store predicts: the row moves, and the peer knows it by another reference version.
func (u *updates) isLoose(r *store.Row, pr *peerRow) bool {
	if !r.Moving {
		return false
	}
	_, tick := u.store.Reference(r)
	return pr.flight != r.Head || pr.flightTick != tick
}

// closeness weighs a node's urgency by its distance: 8 for the session, 4 for the peer's own
// nodes; for others, by the top of their tree, 2 at the observer and without a place, falling
// to 1 at the edge of sight and less beyond; 1 where there is no distance.
func (u *updates) closeness(p *Peer, n *store.Node) float32 {
	switch {
	case n.ID == ids.SessionNode:
		return 8
	case n.Owner == p.ID:
		return 4
	case u.store.Space.Index == nil || len(p.view.Points) == 0:
		return 1
	}
	top := u.store.Root(n.ID.Slot())
	if u.store.Nodes[top].PosItem < 0 {
		return 2
	}
	reach := u.sender.interest.Rule.Reach(p.ID)
	at := &u.store.Space.Positions[top]
	return float32(2 * reach / (reach + p.view.Distance(at.X, at.Y)))
}

// appendRow codes row i of a node for a peer, by the action in u.actions. It returns
// whether the row was pending, whether it is loose, and its age in ticks as urgency.
func (u *updates) appendRow(p *Peer, h uint32, e *handleState, n *store.Node, i int, speculative bool) (pending, loose bool, age float32) {
	r := &u.store.Rows[n.Rows()[i]]
	pr := p.row(e, i)
	switch u.actions[i] {
	case coder.RowSame:
		pr.rest()
		return false, u.isLoose(r, pr) && !n.Transient && !pr.hidden(), 0
	case coder.RowForget:
		u.note(h, 0, recForget, e.gen, i)
		return true, false, foremost
	}
	urgency := float32(pr.pend(u.store.Tick))
	rec := uint8(recRow)
	if speculative {
		rec = recSpeculative
	}
	u.noteRow(h, e, r, pr, i, rec)
	u.appendDelta(p, h, i, r, pr, u.actions[i])
	return true, r.Moving || p.predicts(n), urgency
}

// noteRow records that a row's newest version goes to a peer.
func (u *updates) noteRow(h uint32, e *handleState, r *store.Row, pr *peerRow, i int, as uint8) {
	u.note(h, r.Head, as, e.gen, i)
	u.countRecord(r)
	if r.Head == pr.flight && pr.flightTick == pr.ackedTick && pr.carried != [2]uint32{} {
		u.sender.Accounts.Counters.Repeats++
	}
}

// countRecord counts an update of a row.
func (u *updates) countRecord(r *store.Row) {
	u.sender.Accounts.Counters.Records++
	if r.Privacy == store.Secret {
		u.sender.Tables.secret.records++
	}
}

// countShared counts what was coded for another peer before.
func (u *updates) countShared(r *store.Row) {
	u.sender.Accounts.Counters.Shared++
	if r.Privacy == store.Secret {
		u.sender.Tables.secret.shared++
	}
}

// rowAction returns what an update does to row i of a node: one of RowSame … RowForget.
func (u *updates) rowAction(p *Peer, h uint32, n *store.Node, i int, pr *peerRow, speculative bool) int {
	r := &u.store.Rows[n.Rows()[i]]
	sees := p.Sees(n, r.Type.Audience)
	switch {
	case !sees && (pr.hidden() || speculative):
		return coder.RowSame // a speculative update may be skipped; the ack of the arrival shows what the peer has
	case !sees:
		return coder.RowForget
	case pr.hidden() && speculative:
		return coder.RowSame // the next copy of the arrival shows it
	case pr.hidden():
		p.begin(h, i, u.store.Tick, false) // the peer has gained the right: a keyframe
	}
	if speculative && pr.acked == 0 || n.Transient && pr.flight != 0 {
		return coder.RowSame
	}
	if u.pending(r, pr) || p.predicts(n) && u.unconfirmed(r, pr) && !p.Link.InBlock(ids.Tick(pr.newest), recRow, h, i) {
		return u.baseOf(p, h, i, r, pr, speculative)
	}
	return coder.RowSame
}

// takesAway reports whether a peer has a row of a node that it may no longer see.
func (u *updates) takesAway(p *Peer, e *handleState, n *store.Node) bool {
	for i, ri := range n.Rows() {
		if who := u.store.Rows[ri].Type.Audience; who != ids.Everyone && !p.row(e, i).hidden() && !p.Sees(n, who) {
			return true
		}
	}
	return false
}

// justLeft reports whether the row has departed from what the peer predicts at this
// tick. Most pending rows have.
func justLeft(r *store.Row, pr *peerRow, tick uint32) bool {
	return pr.flight == r.Head-1 && pr.flightTick == r.Before && r.Left == tick
}

// pending reports whether the peer must be sent the row: whether the newest version
// on its way does not lead to what the row is now.
func (u *updates) pending(r *store.Row, pr *peerRow) bool {
	if pr.flight == r.Head {
		if _, tick := u.store.Reference(r); pr.flightTick == tick {
			return false // the row is as predicted from this reference version, or it would have another
		}
		if !r.Moving {
			return false
		}
	} else if justLeft(r, pr, uint32(u.store.Tick)) {
		return true
	} else if pr.flight == 0 || pr.mayHaveNewer() || !r.Kept(pr.flight) || r.Vars != nil && !r.SameVars(pr.flight) {
		return true
	}
	return !u.leads(r, pr.flight, pr.flightTick)
}

// mayHaveNewer reports whether a packet that was judged lost carried a newer version of the
// row than the peer is known to have. The packet may still come, or only its ack was
// lost. The row is then sent even if it is again what it was before.
func (pr *peerRow) mayHaveNewer() bool { return pr.newest > pr.flightTick }

// leads reports whether a version leads to what the row is now, for a peer that had the
// version as it was at tick, a tick not before the version's own.
func (u *updates) leads(r *store.Row, ver, tick uint32) bool {
	t, s := r.Type, &u.store.Slabs[r.Type.Index]
	now := s.Now(r.Block)
	words, at := u.store.Version(r, ver)
	before, since := tick-at, uint32(u.store.Tick)-tick
	if axes := s.Walk.Axes; axes != nil {
		stands := ver == r.Head || t.Stands(words, now) // at head the words stand, or there would be another version
		return stands && store.Lead(axes, words, now, int64(before), int64(since))
	}
	if before != 0 {
		words = u.store.Advanced(t, words, before)
	}
	return t.IsAsPredicted(words, now, since)
}

// baseOf returns how an update of row i of a handle's node names its base: RowKeyframe,
// RowExplicit or RowImplicit.
func (u *updates) baseOf(p *Peer, h uint32, i int, r *store.Row, pr *peerRow, speculative bool) int {
	switch {
	case !u.isBase(p, h, i, r, pr), len(r.Type.Unsized) > 0 && u.hasLongDelta(p, h, i, r, pr):
		return coder.RowKeyframe
	case store.HasFractions(u.store, p.Model, r):
		return coder.RowKeyframe
	case speculative && p.Link.Lossy() && p.States[h].copies > 1 && r.IsBrief(&u.buf):
		return coder.RowKeyframe // which copy of the arrival the peer has is not known
	case speculative || !pr.implicit(uint32(p.Link.BaseTick)) || !u.linesUp(p, r, pr):
		return coder.RowExplicit
	}
	return coder.RowImplicit
}

// appendDelta codes a row against the version that the peer is known to have, with the
// base that baseOf has chosen, and accounts for the bits.
func (u *updates) appendDelta(p *Peer, h uint32, i int, r *store.Row, pr *peerRow, action int) {
	m, from, account := p.Model, len(u.syms), &u.sender.Accounts.Bits[r.Type.Account]
	as := &account.Updates
	age := uint32(u.store.Tick) - pr.ackedTick
	if action == coder.RowExplicit {
		u.syms = append(u.syms, coder.Unsigned(&m.Entry.BaseAge, age))
		u.sender.Accounts.Counters.ExplicitBases++
	}
	switch {
	case action == coder.RowKeyframe:
		u.recs[len(u.recs)-1].Key = true // the caller has noted it
		u.syms = m.AppendKey(u.syms, r.Type, u.store.Known(r).All(r.Type.Width), u.sender.Tables.keyHearer(r, m))
		u.appendVars(p, r, nil)
		u.sender.Accounts.Counters.Keyframes++
		as = &account.Keyframes
	case r.Vars != nil || !r.Kept(pr.acked):
		words, vars := u.base(p, h, i, r, pr)
		u.second.P = nil
		at, known := len(u.syms), u.store.Known(r)
		syms, last := m.CodeUpdate(u.syms, r.Type, words, known, &u.second, u.said, age, u.sender.Tables.hearer(r, m))
		u.syms = append(syms, last)
		u.store.Slabs[r.Type.Index].Took(r, words, known, &u.second, age, prefix.Bits(u.syms[at:]))
		u.appendVars(p, r, vars)
	default:
		end, second := len(u.syms), secondKey(0)
		if action == coder.RowImplicit {
			second = p.secondOf(r, pr)
		}
		if c := u.coded(m, r, pr, second); c.isRun() {
			u.syms = append(u.syms, prefix.Sym(c))
		} else if len(u.syms) == end { // the symbols were coded before, for another peer
			u.syms = append(u.syms, c.among(u.syms)...)
		}
	}
	*as += uint64(prefix.Bits(u.syms[from:]))
}

// implicit reports whether "the newest version up to the packet's base tick" also means
// the acked version to the peer: whether every packet up to that tick that carried the
// row after the acked version is known to have arrived (protocol rule 13).
func (pr *peerRow) implicit(baseTick uint32) bool {
	if pr.ackedTick > baseTick {
		return false
	}
	c := pr.carriers()
	if c == 0 || baseTick == pr.ackedTick || pr.newest <= pr.ackedTick {
		return true
	}
	// Bits of carried for ticks in (ackedTick, baseTick].
	hi := min(pr.newest, baseTick)
	if pr.newest-pr.ackedTick > 64 {
		return false // too long ago to know
	}
	return c>>((pr.newest-hi)&63)<<((pr.ackedTick-hi)&63) == 0 // 1 to 64 bits
}

// appendVars codes the variable-length props of a row against base, or all of them in
// full if base is nil.
func (u *updates) appendVars(p *Peer, r *store.Row, base []any) {
	if r.Vars == nil {
		return
	}
	m := p.Model
	now := r.Vars.Now
	for k, v := range r.Type.Vars {
		if base != nil {
			same := v.Type.Equal(base[k], now[k]) || r.Type.OnceV != nil && r.Type.OnceV[k]
			u.syms = append(u.syms, prefix.Raw(uint32(flag(!same)), 1))
			if same {
				continue
			}
			u.buf = v.Type.AppendDelta(u.buf[:0], base[k], now[k])
		} else {
			u.buf = v.Type.Append(u.buf[:0], now[k])
		}
		u.syms = coder.AppendBytes(u.syms, &m.Entry.Length, u.buf)
	}
}
