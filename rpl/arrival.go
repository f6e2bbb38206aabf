package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// appendArrival codes the arrival of a handle's node, with the state that it has now, and
// notes its entries: the layout if it is defined, the rows, the arrival.
func (a *Authority) appendArrival(p *peer, h uint32) {
	e := &p.entries[h]
	n := &a.nodes[e.node.Slot()]
	m := p.link.model
	begin := len(a.syms)
	s := a.syms
	known := p.layouts.Has(n.layout.Number)
	owner, parent := p.ownerOf(n), a.parentAt(p, n)
	says := coder.ArriveDefined*flag(!known) | coder.ArriveParent*flag(parent != wire.NoHandle) |
		coder.ArriveName*flag(n.spawn.Name != "") | coder.ArriveArgs*flag(len(n.spawn.Args) > 0) | coder.ArriveOwner*owner
	s = append(s, m.Entry.Arrive.Sym(1+says), coder.Unsigned(&m.Entry.Handle, h), prefix.Raw(uint32(e.gen), 8),
		coder.Unsigned(&m.Entry.Id, n.id.Slot()), coder.Unsigned(&m.Entry.Tenant, n.id.Tenant()), coder.Unsigned(&m.Entry.Layout, n.layout.Number))
	if !known {
		s = append(s, coder.Unsigned(&m.Entry.Length, uint32(n.layout.Prefab)), coder.Unsigned(&m.Entry.Length, uint32(len(n.layout.Items))))
		for _, it := range n.layout.Items {
			s = append(s, coder.Unsigned(&m.Entry.Length, uint32(it+1)))
		}
		a.note(n.layout.Number, n.layout.Edition, recLayout, 0, 0)
	}
	if owner == coder.OwnerOther {
		s = append(s, prefix.Raw(uint32(n.owner), 32))
	}
	if parent != wire.NoHandle {
		s = append(s, coder.Unsigned(&m.Entry.Handle, parent))
	}
	if n.spawn.Name != "" {
		s = coder.AppendBytes(s, &m.Entry.Length, []byte(n.spawn.Name))
	}
	if len(n.spawn.Args) > 0 {
		s = coder.AppendBytes(s, &m.Entry.Length, n.spawn.Args)
	}
	a.syms = s
	a.otherBits.Arrivals += uint64(symBits(a.syms[begin:]))
	moves := false
	for i, ri := range n.rows {
		r := &a.rows[ri]
		pr := p.row(e, i)
		if r.t.Audience != Everyone {
			pr.hidden = !a.sees(p, n, r.t.Audience)
			a.syms = append(a.syms, prefix.Raw(uint32(flag(!pr.hidden)), 1))
			if pr.hidden {
				continue
			}
		}
		from := len(a.syms)
		a.syms = m.AppendKey(a.syms, r.t, a.known(r).All(r.t.Width), a.hearer(r, m))
		a.appendVars(p, r, nil)
		a.account(r.t, symBits(a.syms[from:]), accountArrival)
		moves = moves || r.drifting
		if _, tick := a.anchored(r); r.drifting && tick != uint32(a.tick) {
			p.loosen(h, true)
		}
		a.note(h, r.head, recRow, e.gen, i)
	}
	p.setMoves(e, moves && !n.transient)
	a.note(h, 0, recArrival, e.gen, 0)
	a.counters.Arrivals++
}

// appendMeta codes a node's owner and parent.
func (a *Authority) appendMeta(p *peer, n *node) {
	m := p.link.model
	owner, parent := p.ownerOf(n), a.parentAt(p, n)
	a.syms = append(a.syms, m.Entry.Owner.Sym(owner), prefix.Raw(uint32(flag(parent != wire.NoHandle)), 1))
	if owner == coder.OwnerOther {
		a.syms = append(a.syms, prefix.Raw(uint32(n.owner), 32))
	}
	if parent != wire.NoHandle {
		a.syms = append(a.syms, coder.Unsigned(&m.Entry.Handle, parent))
	}
}

// ownerOf is a node's owner as it is coded for a peer.
func (p *peer) ownerOf(n *node) int {
	switch n.owner {
	case 0:
		return coder.OwnerNobody
	case p.id:
		return coder.OwnerYou
	}
	return coder.OwnerOther
}

// parentAt is the peer's handle of a node's parent, noHandle if it has none.
func (a *Authority) parentAt(p *peer, n *node) uint32 {
	if n.parent != 0 {
		if hd := a.nodes[n.parent].holder(p.index); hd != nil {
			return hd.handle
		}
	}
	return wire.NoHandle
}
