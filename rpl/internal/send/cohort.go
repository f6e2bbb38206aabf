package send

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// cohortName is the bundle.name of a bundle that stands for all updates of a mark but the first.
// Its handle is the second's. It is special, so that only what is special is asked for its name.
const cohortName = 0xFF

// A cohortPlan is what was planned in this send for peers at one baseline.
type cohortPlan struct {
	base   ids.Tick
	lines  link.Window
	model  *coder.Model
	closed bool // what was planned may have been left out or reordered since: nobody shares it
	marks  []cohortMark
	before []cohortState // of the handles in marks, as they were before they were planned
	costs  []cohortCost
}

// A cohortMark is what was planned for the handles of one mark.
type cohortMark struct {
	send    uint32 // store.Store.Send: in any other the rest means nothing
	bits    uint32 // of all updates but the first, without names
	named   uint32 // the same with names; 0 until a peer needs them
	room    uint32 // how much must be left of a packet that is to hold them
	marked  uint64 // the handles that were looked at
	changed uint64 // those of which there was something to send
	before  uint32 // where their states begin in cohortPlan.before
	bundles uint32 // where their updates begin in bundles.updates
	secrets uint32 // of all updates but the first, those of secret rows
	costs   span   // of all updates but the first, in cohortPlan.costs
	joined  span   // they as bytes of cohorts.joined
}

// A cohortState is what planning an update reads of a plain node's handle.
type cohortState struct {
	handle, row uint32
	gen         uint8
	moves       bool
	one         peerRow
}

// A cohortCost is bits without names, by account.
type cohortCost struct{ account, bits int }

// cohorts are the plans of a send that several peers may share.
type cohorts struct {
	list   []cohortPlan
	used   int                             // how many of list belong to this send
	many   [2][wire.OldestCohort + 1]uint8 // in this send and the one before: peers with many updates, by the age of their baseline
	joined []byte                          // all updates of a mark but the first as one string of bits, mark by mark
	enc    prefix.Encoder                  // that makes them
	folded []bundle                        // scratch of unfold
}

// reset begins a send.
func (s *cohorts) reset(send uint32) {
	s.used, s.joined = 0, s.joined[:0]
	s.many[send&1] = [wire.OldestCohort + 1]uint8{}
}

// of returns what was planned for peers at the baseline of this one, or nil if it is not worth
// a look: the peer has few updates, or was alone at such a baseline in the send before.
func (s *cohorts) of(p *Peer, least int, tick ids.Tick, send uint32) *cohortPlan {
	l := &p.Link
	age := tick - l.BaseTick
	if age > wire.OldestCohort || l.Lossy() {
		return nil
	}
	if n := p.Marks.Count(); n < least && (n < wire.LeastShared || p.marksShared() < wire.LeastShared) {
		return nil
	}
	now := &s.many[send&1][age]
	*now += uint8(flag(*now < 2))
	if s.many[^send&1][age] < 2 {
		return nil
	}
	for i := range s.list[:s.used] {
		if k := &s.list[i]; k.base == l.BaseTick && k.model == p.Model && k.lines == l.Sends.Window {
			p.plan.cohort = uint8(i + 1)
			return k
		}
	}
	if s.used == wire.MaxCohorts {
		return nil
	}
	if s.used == len(s.list) {
		s.list = append(s.list, cohortPlan{})
	}
	k := &s.list[s.used]
	s.used++
	k.base, k.lines, k.model, k.closed = l.BaseTick, l.Sends.Window, p.Model, false
	k.before, k.costs = k.before[:0], k.costs[:0]
	p.plan.cohort = uint8(s.used)
	return k
}

// marksShared is how many of the marked handles are those of others, too.
func (p *Peer) marksShared() (n int) {
	for k := p.Marks.Next(0); k < min(len(p.Marks.Of), len(p.Shares.W)); k = p.Marks.Next(k + 1) {
		n += bits.OnesCount64((p.Marks.Of[k][marks.Dirty] | p.Marks.Of[k][marks.Loose]) & p.Shares.W[k])
	}
	return n
}

// close keeps others from being sent what was planned for a peer, or with it.
func (s *cohorts) close(pl *plan) {
	if pl.cohort > 0 {
		s.list[pl.cohort-1].closed = true
	}
}

// planCohort plans the updates of a peer for which another peer's may do.
func (u *updates) planCohort(p *Peer, k *cohortPlan) {
	for w := p.Marks.Next(0); w < len(p.Marks.Of); w = p.Marks.Next(w + 1) {
		m := &p.Marks.Of[w]
		marked := m[marks.Dirty] | m[marks.Loose]
		if marked == 0 {
			continue
		}
		if !u.planFromCohort(p, k, w, marked) {
			u.planMark(p, k, w, marked)
		}
	}
}

// planMark plans the updates of one mark, and keeps them for the cohort if it may be.
func (u *updates) planMark(p *Peer, k *cohortPlan, w int, marked uint64) {
	from, costs, at := len(k.before), len(k.costs), len(u.bundles.updates)
	for w >= len(k.marks) {
		k.marks = append(k.marks, cohortMark{})
	}
	of := &k.marks[w]
	keeps := of.send != u.store.Send && marked&(marked-1) != 0 && !k.closed
	var batch marks.Batch
	for rest := marked; rest != 0; {
		for batch.N = 0; rest != 0 && batch.N < store.Ahead; rest &= rest - 1 {
			batch.Add(uint32(w<<6 + bits.TrailingZeros64(rest)))
		}
		u.touchNext(p, &batch)
		if keeps {
			for _, h := range batch.All() {
				e := &p.States[h]
				k.before = append(k.before, cohortState{h, e.row, e.gen, e.has(stateMoves), e.one})
			}
		}
		u.planBatch(p, &batch)
	}
	updates := u.bundles.updates[at:]
	if !keeps || len(updates) < 2 || !u.keepsForCohort(p, k.before[from:], updates) {
		k.before = k.before[:from]
		return
	}
	*of = cohortMark{send: u.store.Send, marked: marked, before: uint32(from), bundles: uint32(at)}
	for i := range updates {
		b := &updates[i]
		of.changed |= 1 << (b.handle & 63)
		if i > 0 {
			of.bits += b.bits
			r := &u.store.Rows[p.States[b.handle].row]
			k.charge(costs, r.Type.Account, int(b.bits))
			if r.Privacy == store.Secret {
				of.secrets++
			}
		}
	}
	of.costs = span{uint32(costs), uint32(len(k.costs))}
}

// keepsForCohort reports whether a peer's updates of one mark may be kept for others. All nodes are
// plain, and none begins or ceases to move by itself at the peer. Each update is sure to fit a
// packet, is coded from a version that the authority keeps for all peers, is the first to carry
// its version, has not waited, and leaves its row as the store predicts it.
func (u *updates) keepsForCohort(p *Peer, before []cohortState, updates []bundle) bool {
	for i := range before {
		was := &before[i]
		if e := &p.States[was.handle]; !e.isPlain() || e.has(stateMoves) != was.moves {
			return false
		}
		if len(updates) == 0 || updates[0].handle != was.handle {
			continue
		}
		b, r := &updates[0], &u.store.Rows[was.row]
		if b.special || b.bits > smallBits || r.Vars != nil || was.one.acked == 0 || !r.Kept(was.one.acked) ||
			was.one.flight == r.Head || was.one.isPending() || p.Marks.Has(marks.Loose, was.handle) {
			return false
		}
		updates = updates[1:]
	}
	return true
}

// charge adds to the costs from one on.
func (k *cohortPlan) charge(from, account, bits int) {
	if n := len(k.costs); n > from && k.costs[n-1].account == account {
		k.costs[n-1].bits += bits
		return
	}
	k.costs = append(k.costs, cohortCost{account, bits})
}

// planFromCohort plans the updates of one mark by what was planned for another peer. It reports
// false, and does nothing, if the two peers are not in the same state.
func (u *updates) planFromCohort(p *Peer, k *cohortPlan, w int, marked uint64) bool {
	if w >= len(k.marks) {
		return false
	}
	of := &k.marks[w]
	if of.send != u.store.Send || of.marked != marked || k.closed {
		return false
	}
	if !p.hasStates(k.before[of.before:][:bits.OnesCount64(marked)]) {
		return false
	}
	if of.named == 0 {
		u.join(p.Model, of)
	}
	for quiet := marked &^ of.changed; quiet != 0; quiet &= quiet - 1 {
		h := uint32(w<<6 + bits.TrailingZeros64(quiet))
		u.planOnly(p, h, &p.States[h]) // there is nothing to send
	}
	n, h := bits.OnesCount64(of.changed), uint32(w<<6+bits.TrailingZeros64(of.changed))
	p.Marks.Of[w][marks.Loose] &^= of.changed
	u.planOnly(p, h, &p.States[h])
	second := &u.bundles.updates[of.bundles+1]
	*u.bundles.update() = bundle{
		handle: second.handle, name: cohortName, special: true, bits: of.bits, recAt: second.recAt, recN: uint32(n - 1), urgency: 1,
	}
	p.plan.updateBits += int32(of.bits)
	p.plan.folded += int32(n - 2)
	u.sender.Accounts.Counters.Records += uint64(n - 1)
	u.sender.Accounts.Counters.Shared += uint64(n - 1)
	u.sender.Accounts.Counters.PlannedOnce += uint64(n - 1)
	u.sender.Tables.secret.records += uint64(of.secrets)
	u.sender.Tables.secret.shared += uint64(of.secrets)
	for _, c := range k.costs[of.costs.from:of.costs.to] {
		u.sender.Accounts.Bits[c.account].Updates += uint64(c.bits)
	}
	return true
}

// hasStates reports whether the peer is sent the same of some nodes as one that had these states.
func (p *Peer) hasStates(others []cohortState) bool {
	states := p.States
	for i := range others {
		o := &others[i]
		e, x, y := &states[o.handle], &states[o.handle].one, &o.one
		if e.row != o.row || e.gen != o.gen || e.has(stateMoves) != o.moves || !e.isPlain() ||
			x.acked != y.acked || x.ackedTick != y.ackedTick || x.flight != y.flight || x.flightTick != y.flightTick ||
			x.carried != y.carried || x.newest != y.newest || x.notes != y.notes || x.secondAgo != y.secondAgo || x.secondVer != y.secondVer {
			return false
		}
	}
	return true
}

// join makes one string of all updates of a mark but the first, which are recorded and so
// have their names.
func (u *updates) join(m *coder.Model, of *cohortMark) {
	s, last := &u.Cohorts, u.bundles.updates[of.bundles].handle+1
	from := len(s.joined)
	s.enc.Reset(s.joined)
	for _, b := range of.rest(u.bundles.updates) {
		of.room = uint32(s.enc.Bits()) + b.bits + wire.NameBits
		if b.name == 0 {
			s.enc.PutOne(m.Entry.Name(false, b.handle+1-last))
		}
		last = b.handle + 1
		b.codes.put(&s.enc, u.syms)
	}
	of.named = uint32(s.enc.Bits())
	s.joined = s.enc.Finish()
	of.joined = span{uint32(from), uint32(len(s.joined))}
}

// recordCohort records the updates that a bundle of planFromCohort stands for, and counts their names. It
// returns one past the last handle, and past the last that is no secret, which before was open.
func (u *updates) recordCohort(p *Peer, b *bundle, open uint32) (last, nextOpen uint32) {
	k := &u.Cohorts.list[p.plan.cohort-1].marks[b.handle>>6]
	rest := k.changed & (k.changed - 1)
	p.Marks.Of[b.handle>>6][marks.Dirty] &^= rest
	tick, recs := uint32(u.store.Tick), u.recsOf(b)
	for i := range recs {
		p.States[recs[i].Handle].one.send(recs[i].Ver, tick)
	}
	gaps, last := u.sender.Tables.Learner.Gaps, recs[len(recs)-1].Handle+1
	if u.store.Secrets {
		for i := range recs {
			if h := recs[i].Handle; u.store.Rows[p.States[h].row].Privacy != store.Secret {
				_, sym := p.Model.Entry.RareName(false, h+1-open)
				gaps[sym]++
				open = h + 1
			}
		}
		return last, open
	}
	next := rest & (k.changed << 1)
	gaps[coder.NearSyms[1]] += uint32(bits.OnesCount64(next))
	for far := rest &^ next; far != 0; far &= far - 1 {
		h := bits.TrailingZeros64(far)
		gaps[coder.NearSyms[bits.LeadingZeros64(k.changed<<(63-h)<<1)+1]]++
	}
	return last, last
}

// unfold plans each update of its own again that one bundle stands for, because the room does
// not pay for all of them.
func (u *updates) unfold(p *Peer) {
	pl := &p.plan
	if pl.cohort == 0 {
		return
	}
	k := &u.Cohorts.list[pl.cohort-1]
	k.closed = true // this peer's own updates may be left out
	some := append(u.Cohorts.folded[:0], pl.updates.in(u.bundles.updates)...)
	all := u.bundles.updates[:pl.updates.from]
	for i := range some {
		b := &some[i]
		if b.name != cohortName {
			all = append(all, *b)
			continue
		}
		for _, each := range k.marks[b.handle>>6].rest(u.bundles.updates) {
			each.codes, each.name = each.bare(), 0
			p.States[each.handle].one.pendSince(u.store.Tick) // it waits from now on, should it be left out
			all = append(all, each)
		}
	}
	u.Cohorts.folded, u.bundles.updates = some, all
	pl.updates.to = uint32(len(all))
}

// cohort writes the updates that a bundle of planFromCohort stands for, and reports whether all of them
// did fit. It reports false for any other bundle.
func (k *packer) cohort(u *updating, b *bundle) bool {
	if b.name != cohortName {
		return false
	}
	of := &k.sender.Updates.Cohorts.list[k.p.plan.cohort-1].marks[b.handle>>6]
	rest := of.rest(k.sender.Updates.bundles.updates)
	if k.folded == 0 && u.last == of.first(b.handle)+1 && int(of.room) <= k.room {
		u.runs.Put()
		k.p.enc.PutPart(k.sender.Updates.Cohorts.joined[of.joined.from:of.joined.to], int(of.named))
		k.room -= int(of.named)
		u.last = rest[len(rest)-1].handle + 1
		k.last = u.last
		k.carries(u.from, u.to)
		u.from, u.to = b.recAt, b.recAt+b.recN
		return true
	}
	if k.folded = k.putUpdates(u, rest, k.folded); k.folded < len(rest) {
		return false
	}
	k.folded = 0
	return true
}

// first is the first handle of a mark, given another.
func (of *cohortMark) first(h uint32) uint32 {
	return h&^63 + uint32(bits.TrailingZeros64(of.changed))
}

// rest is all updates of a mark but the first.
func (of *cohortMark) rest(updates []bundle) []bundle {
	return updates[of.bundles+1 : int(of.bundles)+bits.OnesCount64(of.changed)]
}
