package send

import (
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// nacked answers a nack. It has a keyframe of the row sent, unless one is on its way,
// and owner and parent, which an unreadable block may have carried. Versions sent before
// are not used as bases any more, whatever acks say of them; newest and carried are kept,
// since they decide what an implicit base means. Nacks of a whole node or of all nodes
// are noted for mend (resync.go).
func (a *receiver) nacked(p *Peer, r wire.Nack) {
	switch {
	case r.Handle == wire.AllNodes:
		p.resync.asked, p.resync.lost, p.busy = true, p.resync.lost || r.Row != 0, true
		return
	case r.Handle >= uint32(len(p.States)):
		return
	case r.Row == wire.WholeNode:
		if s := &p.resync; len(s.nodes) < wire.MaxNacks {
			s.nodes, p.busy = append(s.nodes, r.Handle), true
		}
		return
	}
	e := &p.States[r.Handle]
	if e.State != HandleIn || r.Row >= e.nrows {
		return
	}
	e.note(stateOwnership, true)
	p.Marks.Set(marks.Dirty, r.Handle)
	pr := p.row(e, int(r.Row))
	if pr.acked == 0 && pr.flight != 0 {
		return
	}
	newest, carried := pr.newest, pr.carried
	p.begin(r.Handle, int(r.Row), p.nextTick(a.store.Tick), false)
	pr.newest, pr.carried = newest, carried
}
