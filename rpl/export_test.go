package rpl

import (
	"fmt"
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Access to the inside of the package for its external tests.

// HandlesInUse returns, for a peer, the number of handles in use, the highest handle
// plus one, the number of nodes that are there or arriving, and the number of nodes on
// their way out.
func (a *Authority) HandlesInUse(id Peer) (used, most, held, going int) {
	p := a.byID.find(id)
	for h := range p.entries {
		if p.handles.Has(uint32(h)) {
			used, most = used+1, h+1
		}
		switch p.entries[h].state {
		case entryComing, entryIn:
			held++
		case entryGoing:
			going++
		}
	}
	return used, most, held, going
}

// Reship makes tables, in LoadTables' format, the next ones of the session and ships
// them to all peers. It reports whether a number was free for them.
func (a *Authority) Reship(b []byte) bool {
	number, free := a.nextTables()
	set, err := coder.ParseTables(b[1:], a.types, a.defaults)
	if err != nil {
		panic(err)
	}
	if free {
		set.Number = number
		a.ship(set, set.Build(a.types, a.defaults), set.Append([]byte{wire.MsgTable}, a.types, a.defaults))
	}
	return free
}

// MisplacedBlocks describes the first inconsistency in the order of blocks, "" if there
// is none, and counts the rows that columns walk.
func (a *Authority) MisplacedBlocks() (wrong string, walked int) {
	for i := range a.slabs {
		s := &a.slabs[i]
		walked += int(s.near)
		for block, o := range s.owners {
			if r := &a.rows[o.row]; int(r.block) != block || r.walked != (block < int(s.near)) || r.walked != (o.item != noItem) {
				return fmt.Sprintf("block %d of %d: row %d, item %d", block, s.near, o.row, o.item), walked
			}
		}
	}
	for _, c := range a.columns {
		if c == nil {
			continue
		}
		last := -1
		for row, it := range c.items {
			if it == noItem || a.hots[it].flags&hotWalked == 0 {
				continue
			}
			block := int(c.blocks[row])
			if o := c.slab.owners[block]; o.item != it {
				return fmt.Sprintf("row %d of a column has block %d, which is of item %d", row, block, o.item), walked
			}
			if c.slab.unordered == 0 && block < last {
				return fmt.Sprintf("row %d of a column has block %d, the one before %d", row, block, last), walked
			}
			last = block
		}
	}
	return "", walked
}

// A ForgedUp has the fields of a peer's datagram, with values that its proxy would not
// write.
type ForgedUp struct {
	Any     bool
	Newest  uint16
	Hold    uint8
	N       uint32   // how many packets below the newest the acks cover
	Runs    []uint32 // run lengths of acked and lost packets among them
	Applied uint16
	Tables  uint8
	Skipped []uint32    // ages
	Refused [][2]uint32 // handles and rows
	Calls   [][]byte
}

// Forge encodes a ForgedUp.
func (a *Authority) Forge(f ForgedUp) []byte {
	var e prefix.Encoder
	m := &a.defaults.Entry
	e.Reset(nil)
	e.PutBits(uint32(flag(f.Any)), 1)
	if f.Any {
		e.PutBits(uint32(f.Newest), 16)
		e.PutBits(uint32(f.Hold), 8)
		e.Put(coder.Unsigned(&m.Length, f.N))
		for _, n := range f.Runs {
			e.Put(coder.Unsigned(&m.Run, n))
		}
	}
	e.PutBits(uint32(f.Applied), 16)
	e.PutBits(uint32(f.Tables), 2)
	for _, age := range f.Skipped {
		e.Put(prefix.Raw(1, 1), coder.Unsigned(&m.Length, age))
	}
	e.PutBits(0, 1)
	for _, r := range f.Refused {
		e.Put(prefix.Raw(1, 1), coder.Unsigned(&m.Handle, r[0]), coder.Unsigned(&m.Length, r[1]))
	}
	e.PutBits(0, 1)
	for _, b := range f.Calls {
		e.PutBits(1, 1)
		e.Put(coder.AppendBytes(nil, &m.Length, b)...)
	}
	e.PutBits(0, 1)
	return e.Finish()
}

// AppendCall appends a call as a proxy would send it, on either lane.
func AppendCall(b []byte, handle uint32, gen uint8, rpc *RPCType, tick Tick, args []byte) []byte {
	return wire.AppendCall(b, handle, gen, rpc, tick, args)
}

// Backlog counts what the authority keeps for a peer: messages, blocks, acks, records
// and entries.
type Backlog struct {
	Ready, Waiting, Unreliable, Blocks, Acks, Records, Entries int
	Bytes                                                      int // of Ready
}

// Backlog returns the backlog of a peer.
func (a *Authority) Backlog(id Peer) Backlog {
	p, bytes := a.byID.find(id), 0
	for _, m := range p.rpc.ready {
		bytes += len(m)
	}
	if bytes != p.rpc.bytes {
		panic(fmt.Sprintf("%d bytes wait, %d are counted", bytes, p.rpc.bytes))
	}
	return Backlog{
		len(p.rpc.ready), len(p.rpc.waiting), len(p.rpc.unreliable), len(p.link.blocks), len(p.link.acks), len(p.link.records) + len(p.link.late), len(p.entries), bytes,
	}
}

// BeginFit begins a fit of code tables that does one step per tick. Fits reports
// whether a fit is under way.
func (a *Authority) BeginFit() {
	number, _ := a.nextTables()
	a.fitting = coder.Fitter{Worth: a.worth()}.Begin(a.learner, a.types, a.defaults, a.model, number)
	a.fitting.Then(func() { a.fitted(a.fitting) })
	a.fitting.Pace = 1
}

func (a *Authority) Fits() bool { return a.fitting != nil }

// AboutGroups returns how many hierarchies the next Stream will judge, and at how many
// handles the next Schedule will look for a peer.
func (a *Authority) AboutGroups(id Peer) (judged, marked int) {
	for _, m := range a.byID.find(id).marks.of {
		marked += bits.OnesCount64(m[markDirty] | m[markLoose])
	}
	return len(a.judged), marked
}

// Histories returns how many rows keep older versions.
func (a *Authority) Histories() (n int) {
	for i := range a.rows {
		if a.rows[i].history != noHistory {
			n++
		}
	}
	return n
}

// Nearby is a peer's list of the nodes that it holds for their distance.
type Nearby struct{ nearby }

func (l *Nearby) Add(slot uint32) { l.add(slot) }

func (l *Nearby) Cut(slot uint32) { l.cut(slot) }

func (l *Nearby) Len() int { return len(l.slots) }

func (l *Nearby) Strays() int { return l.strays }

// Settled returns the list without strays.
func (l *Nearby) Settled() []uint32 {
	l.settle()
	return l.slots
}

// Unlisted returns how many nodes are on a peer's list and should not be, or the reverse.
func (a *Authority) Unlisted() (n int) {
	for _, p := range a.peers {
		if p == nil {
			continue
		}
		p.near.settle()
		var listed wire.Bitset
		for _, slot := range p.near.slots {
			n += flag(listed.Has(slot))
			listed.Set(slot)
		}
		for slot := range a.nodes {
			s := uint32(slot)
			n += flag(listed.Has(s) != (p.wanted.Has(s) && a.spots[slot].cell >= 0))
		}
	}
	return n
}

// Misplaced returns how many nodes are not at their place among their parent's children,
// and how many children are below another parent.
func (a *Authority) Misplaced() (n int) {
	for slot := range a.nodes {
		nd := &a.nodes[slot]
		if !nd.used {
			continue
		}
		for k, c := range nd.children {
			n += flag(a.nodes[c].parent != uint32(slot) || a.nodes[c].childAt != uint32(k))
		}
		if nd.parent != 0 {
			up := a.nodes[nd.parent].children
			n += flag(int(nd.childAt) >= len(up) || up[nd.childAt] != uint32(slot))
		}
	}
	return n
}

// SetAlike sets how many updates a peer must have for others to be looked for that are told
// the same.
func (a *Authority) SetAlike(least int) { a.alikes.least = least }

// SetSharers sets how many peers must have a node by the same handle for it to be marked once
// for all of them.
func (a *Authority) SetSharers(least int) { a.commons.least = least }

// Shared is how many nodes are shared, and what is wrong with what is kept of handles in
// common, empty for nothing.
func (a *Authority) Shared() (nodes int, fault string) {
	claimed := map[uint32]uint32{}
	for slot := range a.nodes {
		n := &a.nodes[slot]
		if !n.shared {
			continue
		}
		if other, ok := claimed[n.common]; !n.used || ok || !a.commons.claimed.Has(n.common) {
			return 0, fmt.Sprintf("%v (used: %t) shares handle %d with slot %d (claimed: %t)", n.id, n.used, n.common, other, a.commons.claimed.Has(n.common))
		}
		claimed[n.common] = uint32(slot)
		k := 0
		for _, h := range n.holders {
			k += flag(h.handle == n.common)
		}
		if k != int(n.sharers) || k < a.commons.least {
			return 0, fmt.Sprintf("%v is shared by %d, but %d have it by handle %d", n.id, n.sharers, k, n.common)
		}
	}
	for h := range uint32(64 * len(a.commons.claimed.W)) {
		slot, ok := claimed[h]
		if a.commons.claimed.Has(h) != ok {
			return 0, fmt.Sprintf("handle %d is claimed by no node", h)
		}
		for _, p := range a.peers {
			if p == nil {
				continue
			}
			has := ok && a.nodes[slot].holder(p.index) != nil && a.nodes[slot].holder(p.index).handle == h
			if has != p.shares.Has(h) {
				return 0, fmt.Sprintf("peer %d shares handle %d: %t, want %t", p.id, h, p.shares.Has(h), has)
			}
		}
	}
	return len(claimed), ""
}
