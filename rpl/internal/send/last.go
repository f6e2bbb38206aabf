package send

import (
	"math/bits"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// What a node was in the end. The store forgets a node that is removed, so what a peer does
// not know of its last state is kept beside the removal, which carries it in each copy.

// lastOf returns what a peer must be sent of a node that is removed now, row by row; to is
// what it is appended to, and rows what was found for other peers. A row is sent if what is
// on its way to the peer does not lead to it; on a line that may lose packets, also if something is.
//
// The others are what they were in the end at one tick, of which it returns how long ago it was: the
// newest one to which all of them lead, or almost all, the first of them before the others.
func (u *updates) lastOf(p *Peer, h uint32, n *store.Node, rows []*store.LastRow, to []*store.LastRow) (last []*store.LastRow, ago int) {
	e := &p.States[h]
	if n.Transient || e.State == HandleComing && !p.maybeArrived(e) {
		return to, 0
	}
	ends := ^uint64(0)
	for i := range n.Rows() {
		r, pr := &u.store.Rows[n.Rows()[i]], p.row(e, i)
		if pr.hidden() || !p.Sees(n, r.Type.Audience) {
			continue
		}
		ver, tick := pr.flight, pr.flightTick
		if pr.newest == 0 && e.State == HandleComing {
			continue // no arrival had it; one that was judged lost may come yet
		}
		// Where packets are lost the peer may have any version from the acked one, or the arrival's, on.
		if ver != 0 && r.Kept(ver) && (ver == pr.acked || !p.Link.MayLose()) {
			if led := ends & u.store.LedTo(r, ver, tick); led != 0 {
				ends = led
				continue
			}
		}
		if rows[i] == nil {
			rows[i] = u.store.LastRow(r, i)
		}
		to = append(to, rows[i])
	}
	return to, bits.TrailingZeros64(ends)
}

// unknown returns since when a node has the items and the parent that a peer may not know it to have.
func (v *lifecycle) unknown() (since [2]ids.Tick) {
	if v.relayout {
		since[0] = v.laid
	}
	if v.newParent {
		since[1] = v.repeat
	}
	return since
}

// appendRemoval codes the removal of a node and notes its entry; what the node was in the end is the last of it.
func (u *updates) appendRemoval(p *Peer, h uint32, e *handleState, v *lifecycle, now time.Duration) {
	m, ago := &p.Model.Entry, uint32(u.store.Tick)-e.one.newest
	fenced := v.fence > p.Link.Arrived && (e.copies == 0 || e.since(now) < wire.FenceAge)
	says := coder.RemoveDestroyed*flag(e.has(stateDestroyed)) | coder.RemoveFenced*flag(fenced) |
		coder.RemoveLast*flag(len(v.last) > 0) | coder.RemoveReason*flag(v.reason != 0) | coder.RemoveEarlier*flag(ago != 0)
	u.syms = append(u.syms, m.Remove.Sym(1+says), coder.Unsigned(&m.Handle, h), prefix.Raw(uint32(e.gen), 8))
	if fenced {
		u.syms = append(u.syms, prefix.Raw(uint32(v.fence), 16))
	}
	if v.reason != 0 {
		u.syms = append(u.syms, prefix.Raw(uint32(v.reason), 8))
	}
	if ago != 0 {
		u.syms = append(u.syms, coder.Unsigned(&m.Run, ago-1))
	}
	if len(v.last) > 0 {
		u.appendLast(p, v)
	}
	u.note(h, 0, recRemoval, e.gen, 0)
}

// appendLast codes the last state of a node for a peer: the bits that it takes, since when the node has
// the items that it has, and the parent, if the peer may have others, then of each row whether it is
// there, and the row. A row that is long is left out, so that the removal fits any packet, and so is one
// of a group that the peer is in no more.
func (u *updates) appendLast(p *Peer, v *lifecycle) {
	at := len(u.syms)
	m, last, next := p.Model, v.last, 0
	u.syms = append(u.syms, 0) // the bits come in the end
	for _, since := range v.since {
		if u.syms = append(u.syms, prefix.Raw(uint32(flag(since != 0)), 1)); since != 0 {
			u.syms = append(u.syms, coder.Unsigned(&m.Entry.Run, uint32(u.store.Tick-min(since, u.store.Tick))))
		}
	}
	for i := range int(v.rows) {
		flagAt := len(u.syms)
		u.syms = append(u.syms, prefix.Raw(0, 1))
		if next == len(last) || last[next].Row != i {
			continue
		}
		l := last[next]
		if next++; l.Of.Audience >= ids.FirstGroup && !p.isIn(l.Of.Audience) {
			continue
		}
		u.syms = m.AppendKey(u.syms, l.Of, l.Words, u.sender.Tables.deaf)
		for k, t := range l.Of.Vars {
			u.buf = t.Type.Append(u.buf[:0], l.Vars[k])
			u.syms = coder.AppendBytes(u.syms, &m.Entry.Length, u.buf)
		}
		if prefix.Bits(u.syms[at+1:]) > wire.MaxLastBits {
			u.syms = u.syms[:flagAt+1]
			u.sender.noteLastTooLong(p, l)
			continue
		}
		u.syms[flagAt] = prefix.Raw(1, 1)
	}
	u.syms[at] = coder.Unsigned(&m.Entry.Length, uint32(prefix.Bits(u.syms[at+1:])))
}

// noteLastTooLong counts that a row's last state does not go with the removal of its node, once
// for each peer and copy, and logs the first time.
func (s *Sender) noteLastTooLong(p *Peer, l *store.LastRow) {
	if s.Accounts.Counters.LastTooLong++; s.Accounts.Counters.LastTooLong == 1 {
		s.store.Log.Warn("what a node was in the end is too long to go with its removal: who has it is not sent what changed last",
			"component", l.Of.Item.Name, "peer", p.ID, "most bytes", wire.MaxLastBits/8,
			"remedy", "keep what must be known in the end in a small component, or send it by a reliable RPC before the node is removed")
	}
}
