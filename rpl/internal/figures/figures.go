// Package figures holds what an authority counts about itself: what it sends, to whom, and why.
package figures

import (
	"time"

	"github.com/tendonengine/tendon/rpl/schema"
)

// Counters count what the authority has done since it was made, and why. The net graph
// and the bench read them.
type Counters struct {
	DistanceChecks uint64 // comparisons of a node's distance with a peer's observers
	FarOut         uint64 // times a node came to a place too far out for the Grid's float32s; while any is there each peer checks all in its reach in every send
	Records        uint64 // updates of rows sent
	Repeats        uint64 // of Records, Arrivals and Removals: those sent again
	Shared         uint64 // of Records: those coded before for another peer
	PlannedOnce    uint64 // of Shared: those planned before for another peer, too
	Keyframes      uint64 // of Records: those without a base
	ExplicitBases  uint64 // of Records: those that had to name their base
	Starved        uint64 // updates put off because the budget was spent
	Arrivals       uint64
	Removals       uint64
	Blocks         uint64 // bundles too large for a packet, sent on the reliable lane
	TooLong        uint64 // nodes not sent because no block can hold them, and values longer than their codec's bound; logged
	LastTooLong    uint64 // rows whose last state was too long to go with the removal of their node, by peer and copy; logged
	Tables         uint64 // sets of code tables learned and shipped
	Checks         uint64 // checksums of versions sent
	PacketsLost    uint64 // judged lost
	LateAcks       uint64 // of PacketsLost: those acked after all
	HandlesOut     uint64 // sends in which nodes waited because the peer had no free handle
	BadPackets     uint64 // packets from peers that were refused
	Resyncs        uint64 // times a peer that could not read its packets was sent everything anew
	CallsIn        uint64 // RPCs that ran here
	CallsDropped   uint64 // calls from peers that may not make them, on nodes that are gone, or without room to wait
	CallsNoRoom    uint64 // of CallsDropped: unreliable calls for which a send had no room, by their number (256 for a peer) or by its budget
	NoRoomRPC      string // the RPC that was last among CallsNoRoom
	CallsOvertaken uint64 // unreliable calls from peers that came after a newer one of the same RPC on the same node
	CallsOut       uint64
}

// NoRoom counts unreliable calls for which a send has no room, and notes the name of the RPC of one of them.
func (c *Counters) NoRoom(calls int, rpc string) {
	if calls > 0 {
		c.NoRoomRPC = rpc
	}
	c.CallsDropped += uint64(calls)
	c.CallsNoRoom += uint64(calls)
}

// CopiesPerRecord is how many peers one coded update serves, on average.
func (c *Counters) CopiesPerRecord() float64 {
	if c.Records == 0 {
		return 1
	}
	return float64(c.Records) / float64(max(c.Records-c.Shared, 1))
}

// Bits counts the bits of what the authority planned to send, by kind. They are the
// coder's upper bound, a few percent above what leaves.
type Bits struct {
	Updates   uint64 // rows in updates, against a base
	Keyframes uint64 // rows in updates, without a base
	Arrivals  uint64 // rows in arrivals
}

// ItemBits is the account of one item type. The entry whose Item is nil holds what
// belongs to no item: names of nodes, owners, parents, removals.
type ItemBits struct {
	Item *schema.ItemType
	Bits
	Removals uint64 // of nodes; only where Item is nil
}

// PeerStats are figures about the datagrams to one peer.
type PeerStats struct {
	RTT, Jitter time.Duration
	Loss        float64 // share of packets judged lost, smoothed over some 200 packets
	SendLimit   int     // bytes a second that it is sent at most: AuthorityConfig.Budget, or what its line carries if that is less; 0: no limit
	Bytes       uint64  // of datagrams sent, each with the seal's 29 bytes
	Packets     uint64
	Calls       uint64 // that it has made
	Held        int    // nodes that the peer holds or is being sent
	Waiting     int    // bytes of reliable calls, and of values longer than a packet, that its lane has not taken yet
}
