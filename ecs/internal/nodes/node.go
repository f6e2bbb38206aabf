package nodes

// node: what this machine knows of one node and of its items.

import (
	"slices"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/callqueue"
	"github.com/tendonengine/tendon/ecs/internal/predict"
	"github.com/tendonengine/tendon/ecs/internal/references"
	"github.com/tendonengine/tendon/ecs/internal/track"
	"github.com/tendonengine/tendon/rpl"
)

// A Node is an entity and the parts that share the node, on the authority and on proxies. A
// world has a hundred thousand: what few nodes have stands behind a pointer.
type Node struct {
	ID     rpl.Node // 0 while a load-time node of a client is not bound
	Entity donburi.Entity
	Name   string // of a load-time node
	Data   components.NodeData
	Owner  rpl.Peer
	nth    int32 // its index among the parent's children
	Parent *Node
	below  *children
	made   *assembly
	Groups uint64    // on the authority: the groups that it was added to, a bit for each
	Items  []Binding // by ordinal

	InPlace bool    // on a proxy: inplace.Painter writes drawn values into its component
	Ending  bool    // on the authority: EndNode is at work on it
	Here    bool    // OnStreamIn has run
	Unseen  bool    // in a Rewind: it was not on the caller's screen
	Asked   bool    // the game has said that it is predicted
	Waits   bool    // the game has said that it is not, although it is this player's
	Awaited bool    // this machine has made it before the authority has told of it
	Why     Reason  // it ends, or has ended
	Extent  float32 // on the authority: how far it reaches, as the core knows it; below 0: nothing that counts

	From           rpl.Tick // when it was made; on a proxy the tick of its first sample: not drawn before
	Leapt          rpl.Tick // when the game last said that it leapt: on the authority, and where it is predicted
	ReportedOwner  rpl.Peer // the owner and the parent that OnOwner and OnParent have told of
	ReportedParent donburi.Entity

	Calls callqueue.List
	Batch uint32 // the batch of callbacks in which it last took a place in the order
	Order int32

	Predicted *predict.Node // on a client that predicts it
	Spawned   rpl.Node      // stands for it in the names of what its commands do (predict.Name.Spawned), of what a command has spawned

	OnProxy
}

// OnProxy is the part of a node that only a client needs.
type OnProxy struct {
	Replica *rpl.Replica
	Until   rpl.Tick // tick of its removal: not drawn from then on
	Hidden  bool
	Orphan  bool    // its parent is not known, or not here, and so its place is not: drawn standing for a while, then not
	Leaving bool    // removed on the wire; stays until drawn time reaches the removal
	Moves   bool    // it is among those that predicted rules see set on
	Former  *Former // where it hung before, as long as it is drawn there
	Slip    *Slip   // by what it is drawn beside its place in the world
}

// A Binding is one item: a replicated component of the node's entity or of a
// part's.
type Binding struct {
	Comp     *Component // nil where the item was removed
	Entity   donburi.Entity
	Item     rpl.Item     // on the authority
	Reported *Reported    // if OnChange is set for the component
	Track    *track.Track // on a proxy, if it is drawn between samples
	Refers   *Referrer    // on a proxy, if it may refer to nodes
	Memory   *Memory      // in debug mode
	Seen     rpl.Tick     // on the authority: when an explicit item was last extracted
}

// An Origin is how a node was made: by a prefab with its arguments, under a name, or by
// neither.
type Origin struct {
	Prefab *Prefab
	Args   []byte
	Name   string
}

// RunsAs is the node in the names of what its commands do: the same on its owner's machine and on
// the authority, from its first tick to its last.
func (n *Node) RunsAs() rpl.Node {
	if n.Spawned != 0 {
		return n.Spawned
	}
	return n.ID
}

// IsOwnNow reports whether this machine decides about an item of a proxy since it arrived. For
// a transient node only copies of the arrival come later, with what the authority's node is
// like by then. An item of several parts may also be told anew because rights have changed.
func (n *Node) IsOwnNow(ord int) bool {
	b := &n.Items[ord]
	return n.Data.Transient && b.Comp != nil && len(b.Comp.Item.Parts) == 1
}

// Entities returns the node's own entity and its parts.
func (n *Node) Entities() []donburi.Entity {
	return append([]donburi.Entity{n.Entity}, n.Parts()...)
}

// WithNode adds the components of every node to a set.
func WithNode(cs []donburi.IComponentType) []donburi.IComponentType {
	all := slices.Clone(cs)
	for _, c := range []donburi.IComponentType{components.RplNode, components.Owner, components.Parent} {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// Binding returns the item that a component of an entity is, nil if it is none.
func (n *Node) Binding(c *Component, ent donburi.Entity) *Binding {
	for i := range n.Items {
		if b := &n.Items[i]; b.Comp == c && b.Entity == ent {
			return b
		}
	}
	return nil
}

// A Referrer is an item that may refer to nodes.
type Referrer = references.Referrer[ItemOf]

// ItemOf names an item of a proxy.
type ItemOf struct {
	Node *Node
	Ord  int
}
