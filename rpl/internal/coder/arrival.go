package coder

import "github.com/tendonengine/tendon/rpl/internal/prefix"

// An arrival gives a peer a node: its handle and Node, its layout (prefab and items),
// its owner, its parent, and the state that the peer may see. The layout's definition
// is included, once in a packet, until the peer is known to have it.
//
//	what it says, handle, gen, id slot, id tenant, layout number if it is another,
//	defined? [prefab+1, items, item+1 …],
//	owner? [peer 32], parent? [handle], name? [bytes], args? [bytes],
//	per row: visible? (absent if everyone may see the row), words, values

// Owners as arrivals and changes of owner code them.
const (
	OwnerNobody = iota
	OwnerYou
	OwnerOther
	ownerValues
)

// An ArrivalHead is which node arrives, and under which handle. It is coded relative to the
// head of the arrival before it in the packet: who joins is sent thousands, whose handles, and
// often whose slots, count up, and of which most are of one layout and one generation.
type ArrivalHead struct {
	Handle, Slot, Tenant, Layout uint32
	Gen                          uint8
}

// NoArrival is what the head of a packet's first arrival is coded relative to.
var NoArrival = ArrivalHead{Handle: ^uint32(0), Slot: ^uint32(0), Layout: ^uint32(0)}

// AppendHead codes a head. says are the flags of the arrival, but for ArriveLayout.
func (m *EntryModel) AppendHead(out []prefix.Sym, says int, is, before *ArrivalHead) []prefix.Sym {
	another := is.Layout != before.Layout
	says |= ArriveLayout * flag(another)
	out = append(out, m.Arrive.Run(uint(1+says)).With(Signed(&m.NextHandle, int32(is.Handle-before.Handle-1)).Run()).Sym(),
		Signed(&m.Gen, int32(int8(is.Gen-before.Gen))), Signed(&m.NextSlot, int32(is.Slot-before.Slot-1)), Unsigned(&m.Tenant, is.Tenant))
	if another {
		out = append(out, Unsigned(&m.Layout, is.Layout))
	}
	return out
}

// ReadHead is the inverse of AppendHead, once says is read. The caller checks the bounds.
func (m *EntryModel) ReadHead(d *prefix.Decoder, says int, before *ArrivalHead) (is ArrivalHead) {
	is.Handle = before.Handle + 1 + uint32(ReadSigned(d, &m.NextHandle))
	is.Gen = before.Gen + uint8(ReadSigned(d, &m.Gen))
	is.Slot = before.Slot + 1 + uint32(ReadSigned(d, &m.NextSlot))
	is.Tenant = ReadUnsigned(d, &m.Tenant)
	if is.Layout = before.Layout; says&ArriveLayout != 0 {
		is.Layout = ReadUnsigned(d, &m.Layout)
	}
	return is
}
