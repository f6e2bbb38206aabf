package rpl

import "github.com/tendonengine/tendon/rpl/internal/rangecode"

// An arrival tells a peer of a node: its names, what it is made of, whose it
// is, where it hangs, and the state that the peer may see. The layout's
// definition goes along until the peer is known to have it.
//
//	handle, gen 8, refresh, id slot, id tenant,
//	layout number, defined? [prefab+1, items, item+1 …],
//	owner [peer 32], parent? [handle], name? [bytes], args? [bytes],
//	per row: visible? (not asked for everyone's), words, values

// Owners as an arrival and a change of owner tell them.
const (
	ownerNobody = iota
	ownerYou
	ownerOther
	ownerKinds
)

func (a *Authority) appendArrival(p *peer, h uint32) {
	e := &p.entries[h]
	n := &a.nodes[e.node.Slot()]
	m := p.link.model
	pl := &p.plan
	begin := len(a.syms)
	s := a.syms
	s = appendUnsigned(s, &m.entry.handle, h)
	s = append(s, rangecode.Raw(uint32(e.gen), 8), m.entry.flag.sym(flag(e.relayout)))
	s = appendUnsigned(s, &m.entry.id, n.id.Slot())
	s = appendUnsigned(s, &m.entry.tenant, n.id.Tenant())
	s = appendUnsigned(s, &m.entry.layout, n.layout.number)
	known := p.layouts.has(n.layout.number)
	s = append(s, m.entry.flag.sym(flag(!known)))
	if !known {
		s = appendUnsigned(s, &m.entry.length, uint32(n.layout.prefab))
		s = appendUnsigned(s, &m.entry.length, uint32(len(n.layout.items)))
		for _, it := range n.layout.items {
			s = appendUnsigned(s, &m.entry.length, uint32(it+1))
		}
		pl.recs = append(pl.recs, recEntry{handle: n.layout.number, kind: recLayout})
	}
	a.syms = s
	a.appendMeta(p, n)
	s = append(a.syms, m.entry.flag.sym(flag(n.spawn.Name != "")))
	if n.spawn.Name != "" {
		s = appendBytes(s, &m.entry.length, []byte(n.spawn.Name))
	}
	s = append(s, m.entry.flag.sym(flag(len(n.spawn.Args) > 0)))
	if len(n.spawn.Args) > 0 {
		s = appendBytes(s, &m.entry.length, n.spawn.Args)
	}
	a.syms = s
	a.otherBits.Arrivals += uint64(symBits(a.syms[begin:]))
	for i, ri := range n.rows {
		r := &a.rows[ri]
		pr := &p.rows[e.row0+uint32(i)]
		if r.t.audience != Everyone {
			pr.hidden = !a.sees(p, n, r.t.audience)
			a.syms = append(a.syms, m.entry.row.sym(flag(!pr.hidden)))
			if pr.hidden {
				continue
			}
		}
		from := len(a.syms)
		a.syms = m.appendKey(a.syms, r.t, a.known(r), a.learner)
		a.appendVars(p, r, nil)
		a.account(r.t, from, accountArrival)
		if _, tick := a.anchored(r); r.drifting && tick != uint32(a.tick) {
			p.loosen(h, true)
		}
		pl.recs = append(pl.recs, recEntry{handle: h, ver: r.head, kind: recRow, gen: e.gen, row: uint8(i)})
	}
	pl.recs = append(pl.recs, recEntry{handle: h, kind: recArrival, gen: e.gen})
	a.counters.Arrivals++
}

// appendMeta tells whose a node is and what it hangs under.
func (a *Authority) appendMeta(p *peer, n *node) {
	m := p.link.model
	switch n.owner {
	case 0:
		a.syms = append(a.syms, m.entry.owner.sym(ownerNobody))
	case p.id:
		a.syms = append(a.syms, m.entry.owner.sym(ownerYou))
	default:
		a.syms = append(a.syms, m.entry.owner.sym(ownerOther))
		a.syms = appendRaw(a.syms, uint32(n.owner), 32)
	}
	parent := noHandle
	if n.parent != 0 {
		if hd := a.nodes[n.parent].holder(p.index); hd != nil {
			parent = hd.handle
		}
	}
	a.syms = append(a.syms, m.entry.flag.sym(flag(parent != noHandle)))
	if parent != noHandle {
		a.syms = appendUnsigned(a.syms, &m.entry.handle, parent)
	}
}
