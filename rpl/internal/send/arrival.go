package send

import (
	"math"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// An arriving node is what is planned of its arrival. Its head and the definition of its layout
// are coded when it is packed: they depend on what stands before them in the packet.
type arriving struct {
	coder.ArrivalHead
	says     uint8  // flags of the arrival, but for what depends on the packet
	from, to uint32 // what follows, in updates.syms
}

// appendArrival codes the arrival of a handle's node, with the state that it has now, and
// notes its entries: the rows, the arrival. It returns the bits that the arrival takes, unless it
// is the first one of a packet.
func (u *updates) appendArrival(p *Peer, h uint32) (bits int) {
	e := &p.States[h]
	n := &u.store.Nodes[e.slot]
	m := p.Model
	begin := len(u.syms)
	s := u.syms
	owner, parent := p.ownerOf(n), u.parentAt(p, n)
	says := coder.ArriveParent*flag(parent != wire.NoHandle) |
		coder.ArriveName*flag(n.Spawn.Name != "") | coder.ArriveArgs*flag(len(n.Spawn.Args) > 0) |
		coder.ArriveLeapt*flag(p.lifeOf(e).mustSendLeap(n)) | coder.ArriveOwner*owner
	head := coder.ArrivalHead{Handle: h, Slot: n.ID.Slot(), Tenant: n.ID.Tenant(), Layout: n.Layout.Number, Gen: e.gen}
	bits = u.headBits(p, says, &head)
	if owner == coder.OwnerOther {
		s = append(s, prefix.Raw(uint32(n.Owner), 32))
	}
	if parent != wire.NoHandle {
		s = append(s, coder.Unsigned(&m.Entry.Handle, parent))
	}
	if p.lifeOf(e).mustSendLeap(n) {
		s = append(s, u.leapAge(p, n))
	}
	if n.Spawn.Name != "" {
		s = coder.AppendBytes(s, &m.Entry.Length, []byte(n.Spawn.Name))
	}
	if len(n.Spawn.Args) > 0 {
		s = coder.AppendBytes(s, &m.Entry.Length, n.Spawn.Args)
	}
	u.syms = s
	bits += prefix.Bits(s[begin:])
	u.sender.Accounts.OtherBits.Arrivals += uint64(bits)
	moves := false
	for i, ri := range n.Rows() {
		r := &u.store.Rows[ri]
		pr := p.row(e, i)
		if r.Type.Audience != ids.Everyone {
			pr.hide(!p.Sees(n, r.Type.Audience))
			u.syms = append(u.syms, prefix.Raw(uint32(flag(!pr.hidden())), 1))
			bits++
			if pr.hidden() {
				p.lack(h, i, u.store.Tick)
				continue
			}
		}
		from := len(u.syms)
		u.syms = m.AppendKey(u.syms, r.Type, u.store.Known(r).All(r.Type.Width), u.sender.Tables.keyHearer(r, m))
		u.appendVars(p, r, nil)
		row := prefix.Bits(u.syms[from:])
		u.sender.Accounts.Bits[r.Type.Account].Arrivals += uint64(row)
		bits += row
		moves = moves || r.Moving
		if _, tick := u.store.Reference(r); r.Moving && tick != uint32(u.store.Tick) {
			p.loosen(h, true)
		}
		u.note(h, r.Head, recRow, e.gen, i)
		u.recs[len(u.recs)-1].Key = true
	}
	p.setMoves(e, moves && !n.Transient)
	u.note(h, 0, recArrival, e.gen, 0)
	u.sender.Accounts.Counters.Arrivals++
	u.bundles.arriving = append(u.bundles.arriving, arriving{head, uint8(says), uint32(begin), uint32(len(u.syms))})
	return bits
}

// arriveAgain plans an arrival that was sent before, with what the node is now, and returns its bits, 0 if
// it is not planned.
func (plr *planner) arriveAgain(p *Peer, h uint32) int {
	u, n := &plr.sender.Updates, &plr.store.Nodes[p.States[h].slot]
	if n.Parent != 0 && u.parentAt(p, n) == wire.NoHandle {
		return 0 // its place is relative to a parent that the peer is not sent yet (protocol rule 19)
	}
	begun, from := u.cursor(), u.arrivalCursor(0)
	bits := u.appendArrival(p, h)
	tooLong := bits > 8*wire.MaxLong // no block can hold it: others shall not wait for room that it does not use
	if tooLong {
		plr.sender.noteTooLong(n.ID)
	}
	if tooLong || !plr.afford(p, bits) {
		u.rewindArrival(begun)
		return 0
	}
	p.States[h].note(statePlanned, true)
	plr.sender.Accounts.Counters.Repeats++
	plr.arrives(p, u.arrivalOf(from, u.arrivalCursor(bits)))
	return bits
}

// arriveChanged plans the arrival of a node that has changed since the newest one left, where none is acked
// and none of the updates that build on it may say the change: a peer that has missed an arrival has another
// owner or parent or other items, and would take the update for what it is not (protocol rule 10). Each of
// these arrivals is whole, so the peer is right with whichever it gets.
func (u *updates) arriveChanged(p *Peer, h uint32, e *handleState) {
	plr := &u.sender.Planner
	if !p.maybeArrived(e) || e.has(statePlanned) || e.inflight == math.MaxUint8 || plr.lineRoom(p) <= 0 || p.resync.tick != 0 {
		return // in the answer to a resync all that moves would come in each send
	}
	if p.bucket.Left < p.bucket.Room*8/4 {
		return // the rest is for updates (protocol rule 26)
	}
	if _, rows := u.chooseActions(p, h, e, &u.store.Nodes[e.slot], true); !rows && !e.owesOwnership() {
		p.Marks.Clear(marks.Dirty, h)
		return
	}
	if plr.arriveAgain(p, h) > 0 {
		e.copies = 1 // further copies are of this one
		e.begins(u.store.Now)
	}
}

// headBits is how many bits the head of a peer's next arrival takes, if it stands in one packet with
// what was planned before it.
func (u *updates) headBits(p *Peer, says int, head *coder.ArrivalHead) (bits int) {
	before := &coder.NoArrival
	if n := len(u.bundles.arriving); n > u.bundles.firstArriving {
		before = &u.bundles.arriving[n-1].ArrivalHead
	}
	u.head = u.head[:0]
	if head.Layout != before.Layout && !p.tables.layouts.Has(head.Layout) {
		says |= coder.ArriveDefined
		u.head = u.appendLayout(p.Model, u.head, head.Layout)
	}
	u.head = p.Model.Entry.AppendHead(u.head, says, head, before)
	return prefix.Bits(u.head)
}

// appendLayout codes the definition of a layout.
func (u *updates) appendLayout(m *coder.Model, s []prefix.Sym, number uint32) []prefix.Sym {
	l := u.store.Layouts.Numbered[number]
	s = append(s, coder.Unsigned(&m.Entry.Length, uint32(l.Prefab)), coder.Unsigned(&m.Entry.Length, uint32(len(l.Items))))
	for _, it := range l.Items {
		s = append(s, coder.Unsigned(&m.Entry.Length, uint32(it+1)))
	}
	return s
}

// An arrivals is how far the arrivals of a packet or a block are coded.
type arrivals struct {
	before  coder.ArrivalHead
	defined [8]uint32 // some layouts that are defined there already
	n       int       // how many of them
}

// appendArrivals codes a bundle of arrivals behind those of at, and returns the entries of the
// layouts that it defines.
func (u *updates) appendArrivals(p *Peer, s []prefix.Sym, layouts []link.Entry, b *bundle, at *arrivals) ([]prefix.Sym, []link.Entry) {
	for _, n := range b.arriving(u.bundles.arriving) {
		says := int(n.says)
		defines := !p.tables.layouts.Has(n.Layout) && !slices.Contains(at.defined[:at.n], n.Layout)
		s = p.Model.Entry.AppendHead(s, says|coder.ArriveDefined*flag(defines), &n.ArrivalHead, &at.before)
		if defines {
			s = u.appendLayout(p.Model, s, n.Layout)
			layouts = append(layouts, link.Entry{Handle: n.Layout, Ver: u.store.Layouts.Numbered[n.Layout].Edition, Kind: recLayout})
			if at.n < len(at.defined) {
				at.defined[at.n] = n.Layout
				at.n++
			}
		}
		s = append(s, u.syms[n.from:n.to]...)
		at.before = n.ArrivalHead
	}
	return s, layouts
}

// appendOwnership codes a node's owner and parent, and its last leap where the peer may not know
// of it.
func (u *updates) appendOwnership(p *Peer, n *store.Node, v *lifecycle) {
	m := p.Model
	owner, parent := p.ownerOf(n), u.parentAt(p, n)
	u.syms = append(u.syms, m.Entry.Owner.Sym(owner), prefix.Raw(uint32(flag(parent != wire.NoHandle)), 1))
	if owner == coder.OwnerOther {
		u.syms = append(u.syms, prefix.Raw(uint32(n.Owner), 32))
	}
	if parent != wire.NoHandle {
		u.syms = append(u.syms, coder.Unsigned(&m.Entry.Handle, parent))
	}
	u.syms = append(u.syms, prefix.Raw(uint32(flag(v.mustSendLeap(n))), 1))
	if v.mustSendLeap(n) {
		u.syms = append(u.syms, u.leapAge(p, n))
	}
}

// mustSendLeap is whether the peer may not know of the node's last leap.
func (v *lifecycle) mustSendLeap(n *store.Node) bool { return n.RareView().Leapt != 0 && v.newParent }

// leapAge is how many ticks ago a node leapt.
func (u *updates) leapAge(p *Peer, n *store.Node) prefix.Sym {
	return coder.Unsigned(&p.Model.Entry.BaseAge, uint32(u.store.Tick-min(n.RareView().Leapt, u.store.Tick)))
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

// parentAt is the peer's handle of a node's parent, NoHandle if it has none.
func (u *updates) parentAt(p *Peer, n *store.Node) uint32 {
	if n.Parent != 0 {
		if hd := u.store.Nodes[n.Parent].Holder(p.Index); hd != nil {
			return hd.Handle()
		}
	}
	return wire.NoHandle
}
