package send

import (
	"math"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A rowCopy is a change of which a further copy is due at a tick.
type rowCopy struct {
	handle uint32
	ver    uint32 // sent first
	due    ids.Tick
	row    uint8
	gen    uint8
	sent   uint8 // how many packets have carried it, of this round
	most   uint8 // how many shall
}

// turnCopies is how many packets carry a change of motion while packets are lost: the first, and
// that of the next send. What is drawn lags behind by more than a send, so a launch, a stop or a
// turn of which one packet is lost is there in time (docs/adr/0016-copies-of-changes.md). Of what
// has just arrived, shots mostly, a third packet carries it: they are few.
const (
	turnCopies      = 2
	youngTurnCopies = 3
	restCopies      = 4 // at least, of what stands, as after a stop: nothing newer of it is sent
)

// beginCopies notes what an update carries of rows, before it is recorded. An update of a row that
// was sent before is a copy itself, unless all that carried it were lost, or it had to wait.
func (u *updates) beginCopies(p *Peer, recs []link.Entry) {
	for i := range recs {
		re := &recs[i]
		if re.Kind != recRow && re.Kind != recSpeculative {
			continue
		}
		e := &p.States[re.Handle]
		r := u.rowAt(e, re.Row)
		if pr := p.row(e, int(re.Row)); pr.newest < r.Left || !pr.isPending() || pr.waited(u.store.Tick) > 0 {
			c := rowCopy{handle: re.Handle, ver: re.Ver, due: u.store.Tick + u.copyGap(1, p.Link.CopiesFor()), row: re.Row, gen: re.Gen, sent: 1, most: math.MaxUint8}
			switch {
			case r.Moving && re.Kind == recSpeculative:
				c.most = youngTurnCopies
			case r.Moving:
				c.most = turnCopies
			}
			p.copies = append(p.copies, c)
		}
	}
}

// rowAt returns row i of a handle's node.
func (u *updates) rowAt(e *handleState, i uint8) *store.Row {
	if e.nrows == 1 {
		return &u.store.Rows[e.row]
	}
	return &u.store.Rows[u.store.Nodes[e.slot].Rows()[i]]
}

// planCopies marks the rows of which a copy is due.
func (u *updates) planCopies(p *Peer) {
	kept, most := p.copies[:0], p.Link.CopiesFor()
	spare := u.sender.Planner.budget.Rate == 0 || p.bucket.Room >= p.bucket.Size*wire.SpareShare && !p.Link.Line.Tries()
	for _, c := range p.copies {
		switch {
		case c.due > u.store.Tick:
			kept = append(kept, c)
		case u.copyRow(p, &c, spare):
			if c.sent++; c.sent < min(max(most, restCopies), c.most) {
				c.due = u.store.Tick + u.copyGap(c.sent, most)
				kept = append(kept, c)
			}
		}
	}
	p.copies = kept
}

// copyRow marks the row of a copy that is due, if the row still stands, or is on the same course,
// and the peer is not known to know. If there is no room to spare, only what counted is copied: the
// peer relies on it (counts.go).
func (u *updates) copyRow(p *Peer, c *rowCopy, spare bool) bool {
	e := &p.States[c.handle]
	if e.gen != c.gen || e.State != HandleIn && e.State != HandleComing || c.row >= e.nrows {
		return false
	}
	pr := p.row(e, int(c.row))
	if pr.flight != c.ver || pr.acked == c.ver && pr.known() || pr.hidden() || u.rowAt(e, c.row).Head != c.ver || !spare && !u.counts(u.rowAt(e, c.row), pr.acked) {
		return false
	}
	pr.flight, pr.flightTick = pr.acked, pr.ackedTick
	if e.State == HandleComing {
		pr.flight, pr.flightTick = 0, 0 // acked is only what speculative updates build on
	}
	pr.pendSince(u.store.Tick)
	p.Marks.Set(marks.Dirty, c.handle)
	p.plan.stale = true
	u.sender.Accounts.Counters.Repeats++
	return true
}

// copyGap is how many ticks after the one before it the n-th copy may leave, at least.
func (u *updates) copyGap(n, copies uint8) ids.Tick {
	gap := link.CopyDue(n, copies) - link.CopyDue(n-1, copies)
	return ids.Tick((gap*time.Duration(u.sender.Setup.Hz) + time.Second - 1) / time.Second)
}
