package send

import (
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Check is Authority.Check.
func (s *Sender) Check(n ids.Node) {
	slot, ok := s.store.Slot(n)
	if !ok {
		return
	}
	for _, h := range s.store.Nodes[slot].Holders {
		if h.Handle() != wire.NoHandle {
			p := s.All[h.Peer()]
			p.check(h.Handle())
		}
	}
}

// CheckAll is Authority.CheckAll.
func (s *Sender) CheckAll() {
	for _, p := range s.All {
		if p == nil {
			continue
		}
		for h := range p.States {
			if p.States[h].State == HandleIn {
				p.check(uint32(h))
			}
		}
	}
}

// checks is what is to be compared at one peer.
type checks struct {
	asked []uint32 // handles that Check or CheckAll asked for, each once
	row   uint32   // the next row of asked[0]
	next  checkAt  // what to check next when nothing was asked for
	after checkAt  // what next becomes once the planned checks have left
	plan  []wire.Check
}

// checkAt is a row of a peer's handle, from which on a check is looked for.
type checkAt struct{ handle, row uint32 }

// check has a handle's rows and node compared.
func (p *Peer) check(h uint32) {
	if !slices.Contains(p.checks.asked, h) {
		p.checks.asked, p.busy = append(p.checks.asked, h), true
	}
}

// planChecks chooses the rows that this send's first packet checks, from those that
// were asked for.
func (plr *planner) planChecks(p *Peer) {
	c := &p.checks
	if len(c.asked) == 0 {
		return
	}
	c.plan = c.plan[:0]
	c.after = c.next
	for len(c.asked) > 0 && len(c.plan) < wire.MaxChecks {
		if !plr.planCheck(p, c.asked[0], &c.row) {
			c.asked, c.row = c.asked[1:], 0
			continue
		}
		c.plan[len(c.plan)-1].Asked = true
	}
	if len(c.plan) > 0 {
		p.plan.probe = true // a packet of its own if there is no other
		p.bucket.Left -= float64(len(c.plan) * wire.CheckBits)
	}
}

// planNextCheck plans a check of the next row, if none was asked for. It plans
// none for a send without a packet, because a checksum must code variable-length
// values.
func (plr *planner) planNextCheck(p *Peer, now time.Duration) {
	if plr.sender.Setup.CheckEvery < 0 || now-p.checked < plr.sender.Setup.CheckEvery || !plr.sender.sends(p, now) {
		return
	}
	c := &p.checks
	if len(c.asked)+len(c.plan) > 0 {
		return
	}
	c.after = c.next
	for range min(len(p.States), 64) { // skipping what has nothing to check
		if int(c.after.handle) >= len(p.States) {
			c.after = checkAt{}
		}
		if plr.planCheck(p, c.after.handle, &c.after.row) {
			return
		}
		c.after = checkAt{handle: c.after.handle + 1}
	}
	c.next = c.after
}

// planCheck plans a check of a handle's next row from *row on, and after its rows of
// the node itself. It returns false when nothing of the handle is left.
func (plr *planner) planCheck(p *Peer, h uint32, row *uint32) bool {
	e := &p.States[h]
	if e.State != HandleIn {
		return false
	}
	n := &plr.store.Nodes[e.slot]
	for *row < uint32(e.nrows) {
		i := *row
		*row++
		pr, r := p.row(e, int(i)), &plr.store.Rows[n.Rows()[i]]
		if pr.hidden() || !plr.sender.Updates.isBase(p, h, int(i), r, pr) || !p.Sees(n, r.Type.Audience) {
			continue
		}
		words, vars := plr.sender.Updates.base(p, h, int(i), r, pr)
		plr.addCheck(p, h, i, pr.ackedTick, wire.RowChecksum(r.Type, words.All(r.Type.Width), vars))
		return true
	}
	if *row <= wire.WholeNode {
		*row = wire.WholeNode + 1
		if v := p.lifeOf(e); v.knows(e) {
			sum := n.Layout.Checksum(n.ID, n.Owner, plr.sender.Updates.parentAt(p, n), n.Spawn.Name, n.Spawn.Args)
			plr.addCheck(p, h, wire.WholeNode, uint32(plr.store.Tick), sum)
			return true
		}
	}
	return false
}

func (plr *planner) addCheck(p *Peer, h, row, tick uint32, sum uint16) {
	p.busy = true
	p.checks.plan = append(p.checks.plan, wire.Check{Handle: h, Row: row, Age: uint32(plr.store.Tick) - tick, Hash: sum, Gen: p.States[h].gen})
}

// putChecks writes the planned checks into the first packet of a send.
func (p *Peer) putChecks(m *coder.EntryModel, rec *link.Record, now time.Duration) {
	e := &p.enc
	for _, k := range p.checks.plan {
		e.Put(prefix.Raw(1, 1), coder.Unsigned(&m.Handle, k.Handle))
		if k.Row == wire.WholeNode {
			e.PutOne(m.Run.Sym(0))
		} else {
			e.Put(coder.Unsigned(&m.Run, k.Row+1), coder.Unsigned(&m.BaseAge, k.Age))
		}
		e.PutBits(uint32(k.Hash), 16)
		if k.Asked {
			p.Link.Carries(rec, []link.Entry{{Handle: k.Handle, Kind: recCheck, Gen: k.Gen, Row: uint8(k.Row)}})
		}
	}
	e.PutBits(0, 1)
	if n := len(p.checks.plan); n > 0 {
		p.checked, p.checks.next = now, p.checks.after
		p.tally.checks += uint32(n)
		p.checks.plan = p.checks.plan[:0]
	}
}
