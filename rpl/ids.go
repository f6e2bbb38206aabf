package rpl

import "fmt"

// Peer is one connection's identity: the same value on every machine, kept
// over a reconnect. The zero Peer is nobody.
type Peer uint32

// Server is the local player of single player or of a listen server; a
// dedicated server has none. A node that nobody was given has owner 0.
const Server Peer = 1

// Tick is one fixed simulation step since the session began, up to MaxTick. It is
// never called frame: frames are drawn.
type Tick uint32

// Node names a node: equal on all machines and never reused. The low 32 bits
// are the node's slot on the authority, the high 32 bits count the slot's
// tenants, from 1. The zero Node is none.
type Node uint64

// SessionNode is the session itself, always relevant: it carries what belongs
// to no entity. Every core has it from the start.
const SessionNode = Node(1 << 32)

func makeNode(slot, tenant uint32) Node { return Node(tenant)<<32 | Node(slot) }

// Slot is the node's place in the authority's table, reused by later nodes.
func (n Node) Slot() uint32 { return uint32(n) }

// Tenant counts the nodes that have had the slot, this one included.
func (n Node) Tenant() uint32 { return uint32(n >> 32) }

func (n Node) String() string {
	if n == 0 {
		return "node none"
	}
	return fmt.Sprintf("node %d.%d", n.Slot(), n.Tenant())
}

// Lane is how an RPC travels.
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
	Everywhere // once on each machine that has the node, when its owner or the server calls it
)

// Relevance says who gets a node.
type Relevance uint8

const (
	Near      Relevance = iota // peers with an observer in range; everyone while Interest is nil, and of what has no `pos`
	Always                     // everyone
	OwnerOnly                  // its owner
	Grouped                    // the members of its groups
)

// An Audience is who may see a part of an item.
type Audience uint8

const (
	Everyone   Audience = iota
	OwnerSees           // `to=owner`
	OthersSee           // `to=others`
	FirstGroup          // FirstGroup+i is Schema group i
)

// Tags are `rpl:"…"` tags for the fields of a type that cannot be edited:
// {"LocalPosition": "step=1/8,interp"}.
type Tags map[string]string
