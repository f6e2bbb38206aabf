package rpl

import (
	"fmt"
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/proxy"
	"github.com/tendonengine/tendon/rpl/internal/send"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// Access to the inside of the package for its external tests.

// FaultsOf returns the faults of a proxy.
func FaultsOf(c *Proxy) proxy.Faults { return proxy.FaultsOf(c) }

// HandlesInUse returns, for a peer, the number of handles in use, the highest handle
// plus one, the number of nodes that are there or arriving, and the number of nodes on
// their way out.
func (a *Authority) HandlesInUse(id ids.Peer) (used, most, held, going int) {
	p := a.sender.ByID.Find(id)
	for h := range p.States {
		if p.Handles.Has(uint32(h)) {
			used, most = used+1, h+1
		}
		switch p.States[h].State {
		case send.HandleComing, send.HandleIn:
			held++
		case send.HandleGoing:
			going++
		}
	}
	return used, most, held, going
}

// Reship makes tables, in LoadTables' format, the next ones of the session and ships
// them to all peers. It reports whether a number was free for them.
func (a *Authority) Reship(b []byte) bool {
	number, free := a.sender.Tables.NextTables()
	set, err := coder.ParseTables(b[1:], a.store.Types, a.sender.Tables.Defaults, nil)
	if err != nil {
		panic(err)
	}
	if free {
		set.Number = number
		a.sender.Tables.Ship(set.Build(a.store.Types, a.sender.Tables.Defaults), a.sender.Tables.MessagesOf(set))
	}
	return free
}

// MisplacedBlocks describes the first inconsistency in the order of blocks, "" if there
// is none, and counts the rows that columns walk.
func (a *Authority) MisplacedBlocks() (wrong string, walked int) {
	for i := range a.store.Slabs {
		s := &a.store.Slabs[i]
		walked += int(s.Walked)
		for block, o := range s.Owners {
			if r := &a.store.Rows[o.Row]; int(r.Block) != block || r.Walked != (block < int(s.Walked)) || r.Walked != (o.Item != store.NoSlot) {
				return fmt.Sprintf("block %d of %d: row %d, item %d", block, s.Walked, o.Row, o.Item), walked
			}
		}
	}
	for _, c := range a.store.Columns {
		if c == nil {
			continue
		}
		last := -1
		for row, it := range c.Items {
			if it == store.NoSlot || a.store.Hots[it].Flags&store.HotWalked == 0 {
				continue
			}
			block := int(c.Blocks[row])
			if o := c.Slab.Owners[block]; o.Item != it {
				return fmt.Sprintf("row %d of a column has block %d, which is of item %d", row, block, o.Item), walked
			}
			if c.Slab.Unordered == 0 && block < last {
				return fmt.Sprintf("row %d of a column has block %d, the one before %d", row, block, last), walked
			}
			last = block
		}
	}
	return "", walked
}

// A ForgedPacket has the fields of a peer's datagram, with values that its proxy would not
// write.
type ForgedPacket struct {
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

// Forge encodes a ForgedPacket.
func (a *Authority) Forge(f ForgedPacket) []byte {
	var e prefix.Encoder
	m := &a.sender.Tables.Defaults.Entry
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
func AppendCall(b []byte, handle uint32, gen uint8, rpc *schema.RPCType, tick ids.Tick, args []byte) []byte {
	return wire.AppendCall(b, handle, gen, rpc, tick, args)
}

// Backlog counts what the authority keeps for a peer: messages, blocks, acks, records
// and entries.
type Backlog struct {
	Ready, Waiting, Unreliable, Blocks, Acks, Records, Entries int
	Bytes                                                      int // of Ready
}

// Backlog returns the backlog of a peer.
func (a *Authority) Backlog(id ids.Peer) Backlog {
	p := a.sender.ByID.Find(id)
	return Backlog{
		p.RPC.Ready.Len(), len(p.RPC.Waiting), len(p.RPC.Unreliable), len(p.Link.Blocks), len(p.Link.Acks), len(p.Link.Records) + len(p.Link.Late), len(p.States), int(p.RPC.Ready.Bytes),
	}
}

// BeginFit begins a fit of code tables that does one step per tick. Fits reports
// whether a fit is under way.
func (a *Authority) BeginFit() {
	number, _ := a.sender.Tables.NextTables()
	a.sender.Tables.BeginFit(coder.Fitter{Worth: a.sender.Tables.Worth()}, number)
	a.sender.Tables.Fitting.StepsPerTick = 1
}

func (a *Authority) Fits() bool { return a.sender.Tables.Fitting != nil }

// AboutGroups returns how many hierarchies the next Stream will judge, and at how many
// handles the next Schedule will look for a peer.
func (a *Authority) AboutGroups(id ids.Peer) (judged, marked int) {
	for _, m := range a.sender.ByID.Find(id).Marks.Of {
		marked += bits.OnesCount64(m[marks.Dirty] | m[marks.Loose])
	}
	return len(a.interest.Judged), marked
}

// Histories returns how many rows keep older versions.
func (a *Authority) Histories() (n int) {
	for i := range a.store.Rows {
		if a.store.Rows[i].History != store.NoHistory {
			n++
		}
	}
	return n
}

// Unlisted returns how many nodes are on a peer's list and should not be, or the reverse.
func (a *Authority) Unlisted() (n int) {
	for _, p := range a.interest.Viewers {
		if p == nil {
			continue
		}
		p.InGrid.Compact()
		var listed wire.Bitset
		for _, slot := range p.InGrid.Slots {
			n += flag(listed.Has(slot))
			listed.Set(slot)
		}
		for slot := range a.store.Nodes {
			s := uint32(slot)
			n += flag(listed.Has(s) != (p.Wanted.Has(s) && a.store.Space.Positions[slot].Cell >= 0))
		}
	}
	return n
}

// Misplaced returns how many nodes are not at their place among their parent's children,
// and how many children are below another parent.
func (a *Authority) Misplaced() (n int) {
	for slot := range a.store.Nodes {
		nd := &a.store.Nodes[slot]
		if !nd.Used {
			continue
		}
		for k, c := range nd.Children() {
			n += flag(a.store.Nodes[c].Parent != uint32(slot) || a.store.Nodes[c].RareView().ChildAt != uint32(k))
		}
		if nd.Parent != 0 {
			up := a.store.Nodes[nd.Parent].Children()
			n += flag(int(nd.RareView().ChildAt) >= len(up) || up[nd.RareView().ChildAt] != uint32(slot))
		}
	}
	return n
}

// NeverLearn keeps the session at the default tables.
func (a *Authority) NeverLearn() {
	a.sender.Tables.Learner.Next, a.sender.Tables.Learner.Wait = 1<<30, 1<<30
}

// SetLeastCohort sets how many updates a peer must have for others to be looked for that are told
// the same.
func (a *Authority) SetLeastCohort(least int) { a.sender.Setup.LeastCohort = least }

// SetMaxWanted sets how many nodes are decided on in one send for all peers that have just come.
func (a *Authority) SetMaxWanted(most int) { a.interest.MaxWanted = most }

// SetSharers sets how many peers must have a node by the same handle for it to be marked once
// for all of them.
func (a *Authority) SetSharers(least int) { a.sender.Setup.LeastSharers = least }

// Shared is how many nodes are shared, and what is wrong with what is kept of handles in
// common, empty for nothing.
func (a *Authority) Shared() (nodes int, fault string) {
	claimed := map[uint32]uint32{}
	for slot := range a.store.Nodes {
		n := &a.store.Nodes[slot]
		if !n.Shared {
			continue
		}
		if other, ok := claimed[n.SharedHandle]; !n.Used || ok || !a.sender.SharedHandles.Claimed.Has(n.SharedHandle) {
			return 0, fmt.Sprintf("%v (used: %t) shares handle %d with slot %d (claimed: %t)", n.ID, n.Used, n.SharedHandle, other, a.sender.SharedHandles.Claimed.Has(n.SharedHandle))
		}
		claimed[n.SharedHandle] = uint32(slot)
		k := 0
		for _, h := range n.Holders {
			k += flag(h.Handle() == n.SharedHandle)
		}
		if k != int(n.Sharers) || k < a.sender.Setup.LeastSharers {
			return 0, fmt.Sprintf("%v is shared by %d, but %d have it by handle %d", n.ID, n.Sharers, k, n.SharedHandle)
		}
	}
	for h := range uint32(64 * len(a.sender.SharedHandles.Claimed.W)) {
		slot, ok := claimed[h]
		if a.sender.SharedHandles.Claimed.Has(h) != ok {
			return 0, fmt.Sprintf("handle %d is claimed by no node", h)
		}
		for _, p := range a.sender.All {
			if p == nil {
				continue
			}
			has := ok && a.store.Nodes[slot].Holder(p.Index) != nil && a.store.Nodes[slot].Holder(p.Index).Handle() == h
			if has != p.Shares.Has(h) {
				return 0, fmt.Sprintf("peer %d shares handle %d: %t, want %t", p.ID, h, p.Shares.Has(h), has)
			}
		}
	}
	return len(claimed), ""
}

func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// HasLines reports whether any word goes along a line by the tables in use.
func (a *Authority) HasLines() bool { return a.sender.Tables.Model.Lines() }

// SetAgain sets from how many updates of a send on their names may go by runs. ToldAgain is in
// how many sends they did.
func (a *Authority) SetAgain(least int) { a.sender.Setup.LeastAgain = least }

func (a *Authority) ToldAgain() uint64 { return a.sender.Updates.Agains }
