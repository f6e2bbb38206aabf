package rpl

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A rowCopy is a change of which a further copy is due at a tick.
type rowCopy struct {
	handle uint32
	ver    uint32 // told first
	due    Tick
	row    uint8
	gen    uint8
	told   uint8 // how many packets have carried it, of this round
}

// beginCopies notes what an update that leaves now tells of rows that stand. It is called
// before the update is booked. An update of a row that was told before is a copy itself,
// unless all that told of it were lost, or it had to wait: then another round begins.
func (a *Authority) beginCopies(p *peer, recs []recEntry) {
	for i := range recs {
		re := &recs[i]
		if re.kind != recRow {
			continue
		}
		e := &p.entries[re.handle]
		r := a.rowAt(e, re.row)
		if pr := p.row(e, int(re.row)); !r.drifting && (pr.newest < r.left || pr.since != a.tick) {
			gap := a.copyGap(1, p.link.copiesFor())
			p.copies = append(p.copies, rowCopy{handle: re.handle, ver: re.ver, due: a.tick + gap, row: re.row, gen: re.gen, told: 1})
		}
	}
}

// rowAt returns row i of an entry's node.
func (a *Authority) rowAt(e *entry, i uint8) *row {
	if e.nrows == 1 {
		return &a.rows[e.row]
	}
	return &a.rows[a.nodes[e.node.Slot()].rows[i]]
}

// planCopies marks the rows of which a copy is due.
func (a *Authority) planCopies(p *peer) {
	kept, most := p.copies[:0], p.link.copiesFor()
	spare := a.cfg.Budget == 0 || p.purse.room >= p.purse.bucket*wire.SpareShare
	for _, c := range p.copies {
		switch {
		case c.due > a.tick:
			kept = append(kept, c)
		case spare && a.copyRow(p, &c):
			if c.told++; c.told < most {
				c.due = a.tick + a.copyGap(c.told, most)
				kept = append(kept, c)
			}
		}
	}
	p.copies = kept
}

// copyRow marks the row of a copy that is due, if the row still stands and the peer is not
// known to have it.
func (a *Authority) copyRow(p *peer, c *rowCopy) bool {
	e := &p.entries[c.handle]
	if e.gen != c.gen || e.state != entryIn || c.row >= e.nrows {
		return false
	}
	pr := p.row(e, int(c.row))
	if pr.flight != c.ver || pr.acked == c.ver || pr.hidden {
		return false
	}
	if r := a.rowAt(e, c.row); r.drifting || r.head != c.ver {
		return false
	}
	pr.flight, pr.flightTick, pr.since = pr.acked, pr.ackedTick, a.tick
	p.marks.set(markDirty, c.handle)
	p.plan.stale = true
	a.counters.Repeats++
	return true
}

// copyGap is how many ticks after the one before it the n-th copy may leave, at least.
func (a *Authority) copyGap(n, copies uint8) Tick {
	gap := copyDue(n, copies) - copyDue(n-1, copies)
	return Tick((gap*time.Duration(a.cfg.Hz) + time.Second - 1) / time.Second)
}
