package rpl

import "github.com/tendonengine/tendon/rpl/internal/prefix"

// An arrival gives a peer a node: its handle and Node, its layout (prefab and items),
// its owner, its parent, and the state that the peer may see. The layout's definition
// is included until the peer is known to have it.
//
//	what it says, handle, gen 8, id slot, id tenant,
//	layout number, defined? [prefab+1, items, item+1 …],
//	owner? [peer 32], parent? [handle], name? [bytes], args? [bytes],
//	per row: visible? (absent if everyone may see the row), words, values

// Owners as arrivals and changes of owner code them.
const (
	ownerNobody = iota
	ownerYou
	ownerOther
	ownerKinds
)

// appendArrival codes the arrival of a handle's node, with the state that it has now, and
// notes its entries: the layout if it is defined, the rows, the arrival.
func (a *Authority) appendArrival(p *peer, h uint32) {
	e := &p.entries[h]
	n := &a.nodes[e.node.Slot()]
	m := p.link.model
	begin := len(a.syms)
	s := a.syms
	known := p.layouts.has(n.layout.number)
	owner, parent := p.ownerOf(n), a.parentAt(p, n)
	says := arriveDefined*flag(!known) | arriveParent*flag(parent != noHandle) |
		arriveName*flag(n.spawn.Name != "") | arriveArgs*flag(len(n.spawn.Args) > 0) | arriveOwner*owner
	s = append(s, m.entry.arrive.sym(1+says), unsigned(&m.entry.handle, h), prefix.Raw(uint32(e.gen), 8),
		unsigned(&m.entry.id, n.id.Slot()), unsigned(&m.entry.tenant, n.id.Tenant()), unsigned(&m.entry.layout, n.layout.number))
	if !known {
		s = append(s, unsigned(&m.entry.length, uint32(n.layout.prefab)), unsigned(&m.entry.length, uint32(len(n.layout.items))))
		for _, it := range n.layout.items {
			s = append(s, unsigned(&m.entry.length, uint32(it+1)))
		}
		a.note(n.layout.number, n.layout.edition, recLayout, 0, 0)
	}
	if owner == ownerOther {
		s = append(s, prefix.Raw(uint32(n.owner), 32))
	}
	if parent != noHandle {
		s = append(s, unsigned(&m.entry.handle, parent))
	}
	if n.spawn.Name != "" {
		s = appendBytes(s, &m.entry.length, []byte(n.spawn.Name))
	}
	if len(n.spawn.Args) > 0 {
		s = appendBytes(s, &m.entry.length, n.spawn.Args)
	}
	a.syms = s
	a.otherBits.Arrivals += uint64(symBits(a.syms[begin:]))
	moves := false
	for i, ri := range n.rows {
		r := &a.rows[ri]
		pr := p.row(e, i)
		if r.t.audience != Everyone {
			pr.hidden = !a.sees(p, n, r.t.audience)
			a.syms = append(a.syms, prefix.Raw(uint32(flag(!pr.hidden)), 1))
			if pr.hidden {
				continue
			}
		}
		from := len(a.syms)
		a.syms = m.appendKey(a.syms, r.t, a.known(r).all(r.t.width), a.hearer(r, m))
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
	a.syms = append(a.syms, m.entry.owner.sym(owner), prefix.Raw(uint32(flag(parent != noHandle)), 1))
	if owner == ownerOther {
		a.syms = append(a.syms, prefix.Raw(uint32(n.owner), 32))
	}
	if parent != noHandle {
		a.syms = append(a.syms, unsigned(&m.entry.handle, parent))
	}
}

// ownerOf is a node's owner as it is coded for a peer.
func (p *peer) ownerOf(n *node) int {
	switch n.owner {
	case 0:
		return ownerNobody
	case p.id:
		return ownerYou
	}
	return ownerOther
}

// parentAt is the peer's handle of a node's parent, noHandle if it has none.
func (a *Authority) parentAt(p *peer, n *node) uint32 {
	if n.parent != 0 {
		if hd := a.nodes[n.parent].holder(p.index); hd != nil {
			return hd.handle
		}
	}
	return noHandle
}
