package ids

import (
	"fmt"
)

// Peer is one connection's identity: the same value on every machine, kept
// over a reconnect. The zero Peer is nobody.
type Peer uint32

// Server is the local player of single player or of a listen server; a dedicated server
// has none. A node that was given to nobody has owner 0, not Server.
const Server Peer = 1

// Tick numbers the fixed simulation steps of a session, up to MaxTick. It is never
// called frame: frames are drawn.
type Tick uint32

// Node identifies a node: the same value on all machines, and never reused. The low 32
// bits are the node's slot on the authority; the high 32 bits count the nodes that have
// had that slot (its tenants), from 1. The zero Node is none.
type Node uint64

// SessionNode is the session itself, which every core has from the start and every peer
// is sent. It carries what belongs to no entity.
const SessionNode = Node(1 << 32)

func MakeNode(slot, tenant uint32) Node { return Node(tenant)<<32 | Node(slot) }

// Slot is the node's index in the authority's table; later nodes use it again.
func (n Node) Slot() uint32 { return uint32(n) }

// Tenant says which of the nodes that have had this slot this one is, from 1.
func (n Node) Tenant() uint32 { return uint32(n >> 32) }

func (n Node) String() string {
	if n == 0 {
		return "node none"
	}
	return fmt.Sprintf("node %d.%d", n.Slot(), n.Tenant())
}

// Lane is the way an RPC travels.
type Lane uint8

const (
	Reliable   Lane = iota // in order, resent until it arrives
	Unreliable             // in a datagram: at most once, never late
)

// Target says where an RPC runs; see the table in docs/SPEC.md.
type Target uint8

const (
	ToServer Target = iota
	ToOwner
	Broadcast
	Everywhere // once on every machine that has the node; only the node's owner or the server may call it
)

// Relevance says which peers get a node.
type Relevance uint8

const (
	Near      Relevance = iota // peers with an observer in range; everyone if Interest is nil or the node has no `pos`
	Always                     // every peer
	OwnerOnly                  // the node's owner
	Grouped                    // the members of the node's groups
)

// An Audience says who may see a part of an item.
type Audience uint8

const (
	Everyone   Audience = iota
	OwnerSees           // `to=owner`
	OthersSee           // `to=others`
	FirstGroup          // FirstGroup+i is the schema's group i
)
