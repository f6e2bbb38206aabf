package send

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// appendArrival codes the arrival of a handle's node, with the state that it has now, and
// notes its entries: the layout if it is defined, the rows, the arrival.
func (a *updates) appendArrival(p *Peer, h uint32) {
	e := &p.States[h]
	n := &a.store.Nodes[e.slot]
	m := p.Model
	begin := len(a.syms)
	s := a.syms
	known := p.tables.layouts.Has(n.Layout.Number)
	owner, parent := p.ownerOf(n), a.parentAt(p, n)
	says := coder.ArriveDefined*flag(!known) | coder.ArriveParent*flag(parent != wire.NoHandle) |
		coder.ArriveName*flag(n.Spawn.Name != "") | coder.ArriveArgs*flag(len(n.Spawn.Args) > 0) |
		coder.ArriveLeapt*flag(p.lifeOf(e).mustSendLeap(n)) | coder.ArriveOwner*owner
	s = append(s, m.Entry.Arrive.Sym(1+says), coder.Unsigned(&m.Entry.Handle, h), prefix.Raw(uint32(e.gen), 8),
		coder.Unsigned(&m.Entry.Id, n.ID.Slot()), coder.Unsigned(&m.Entry.Tenant, n.ID.Tenant()), coder.Unsigned(&m.Entry.Layout, n.Layout.Number))
	if !known {
		s = append(s, coder.Unsigned(&m.Entry.Length, uint32(n.Layout.Prefab)), coder.Unsigned(&m.Entry.Length, uint32(len(n.Layout.Items))))
		for _, it := range n.Layout.Items {
			s = append(s, coder.Unsigned(&m.Entry.Length, uint32(it+1)))
		}
		a.note(n.Layout.Number, n.Layout.Edition, recLayout, 0, 0)
	}
	if owner == coder.OwnerOther {
		s = append(s, prefix.Raw(uint32(n.Owner), 32))
	}
	if parent != wire.NoHandle {
		s = append(s, coder.Unsigned(&m.Entry.Handle, parent))
	}
	if p.lifeOf(e).mustSendLeap(n) {
		s = append(s, a.leapAge(p, n))
	}
	if n.Spawn.Name != "" {
		s = coder.AppendBytes(s, &m.Entry.Length, []byte(n.Spawn.Name))
	}
	if len(n.Spawn.Args) > 0 {
		s = coder.AppendBytes(s, &m.Entry.Length, n.Spawn.Args)
	}
	a.syms = s
	a.sender.Accounts.OtherBits.Arrivals += uint64(symBits(a.syms[begin:]))
	moves := false
	for i, ri := range n.Rows() {
		r := &a.store.Rows[ri]
		pr := p.row(e, i)
		if r.Type.Audience != ids.Everyone {
			pr.hide(!p.Sees(n, r.Type.Audience))
			a.syms = append(a.syms, prefix.Raw(uint32(flag(!pr.hidden())), 1))
			if pr.hidden() {
				continue
			}
		}
		from := len(a.syms)
		a.syms = m.AppendKey(a.syms, r.Type, a.store.Known(r).All(r.Type.Width), a.sender.Tables.hearer(r, m))
		a.appendVars(p, r, nil)
		a.account(r.Type, symBits(a.syms[from:]), accountArrival)
		moves = moves || r.Moving
		if _, tick := a.store.Reference(r); r.Moving && tick != uint32(a.store.Tick) {
			p.loosen(h, true)
		}
		a.note(h, r.Head, recRow, e.gen, i)
		a.recs[len(a.recs)-1].Key = true
	}
	p.setMoves(e, moves && !n.Transient)
	a.note(h, 0, recArrival, e.gen, 0)
	a.sender.Accounts.Counters.Arrivals++
}

// appendOwnership codes a node's owner and parent, and its last leap where the peer may not know
// of it.
func (a *updates) appendOwnership(p *Peer, n *store.Node, v *lifecycle) {
	m := p.Model
	owner, parent := p.ownerOf(n), a.parentAt(p, n)
	a.syms = append(a.syms, m.Entry.Owner.Sym(owner), prefix.Raw(uint32(flag(parent != wire.NoHandle)), 1))
	if owner == coder.OwnerOther {
		a.syms = append(a.syms, prefix.Raw(uint32(n.Owner), 32))
	}
	if parent != wire.NoHandle {
		a.syms = append(a.syms, coder.Unsigned(&m.Entry.Handle, parent))
	}
	a.syms = append(a.syms, prefix.Raw(uint32(flag(v.mustSendLeap(n))), 1))
	if v.mustSendLeap(n) {
		a.syms = append(a.syms, a.leapAge(p, n))
	}
}

// mustSendLeap is whether the peer may not know of the node's last leap.
func (v *lifecycle) mustSendLeap(n *store.Node) bool { return n.Rare().Leapt != 0 && v.newParent != 0 }

// leapAge is how many ticks ago a node leapt.
func (a *updates) leapAge(p *Peer, n *store.Node) prefix.Sym {
	return coder.Unsigned(&p.Model.Entry.BaseAge, uint32(a.store.Tick-min(n.Rare().Leapt, a.store.Tick)))
}

// ownerOf is a node's owner as it is coded for a peer.
func (p *Peer) ownerOf(n *store.Node) int {
	switch n.Owner {
	case 0:
		return coder.OwnerNobody
	case p.ID:
		return coder.OwnerYou
	}
	return coder.OwnerOther
}

// parentAt is the peer's handle of a node's parent, noHandle if it has none.
func (a *updates) parentAt(p *Peer, n *store.Node) uint32 {
	if n.Parent != 0 {
		if hd := a.store.Nodes[n.Parent].Holder(p.Index); hd != nil {
			return hd.Handle()
		}
	}
	return wire.NoHandle
}
