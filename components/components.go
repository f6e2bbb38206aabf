// Package components holds the components that replication keeps on entities. Most games
// import it for Observer alone, or not at all.
//
// The game adds RplNode, Observer and Transform. Owner and Parent stand on every node;
// anyone may query them, but only tendon.Give and tendon.Attach write them. Proxy and
// Hidden are tags that the library sets and clears.
package components

import (
	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

var (
	// RplNode makes an entity a node: its replicated components become items.
	RplNode = newNodeType("RplNode")
	// Owner says whose input drives the node.
	Owner = donburi.NewComponentType[OwnerData]().SetName("Owner")
	// Parent says which node is directly above this one.
	Parent = donburi.NewComponentType[ParentData]().SetName("Parent")
	// Observer lets the node's owner see what is around it. With a Config.Interest a
	// peer that owns no Observer gets no node whose relevance is Near.
	Observer = donburi.NewComponentType[ObserverData]().SetName("Observer")
	// Extent is how far a node reaches round its place.
	Extent = donburi.NewComponentType[ExtentData]().SetName("Extent")
	// Transform is a position and rotation relative to the parent node.
	Transform = donburi.NewComponentType[TransformData]().SetName("Transform")

	// Proxy is on entities whose authority is another machine, including the parts of
	// nodes.
	Proxy = donburi.NewTag("Proxy")
	// Hidden is on proxies that are not to be drawn now: render time has not reached
	// their first sample, or has passed their removal. Systems that draw leave them out
	// with the filter tendon.Drawn.
	Hidden = donburi.NewTag("Hidden")
)

// NodeData is how a node is streamed. The authority may change it at any time, except
// that Transient can change only before other machines are told of the node. NodeData
// does not travel: on a proxy it is what the prefab or its function says, and on a
// load-time node what this machine's level gave it. A transient node must say Transient
// there. Its 8 bytes have no padding, because each is compared before every send.
//
// A Relevance or Weight out of range is logged and counted. An existing node keeps its
// former values ("RplNode refused"); an entity that is to become a node stays a local
// entity until both are valid ("node not made").
type NodeData struct {
	Relevance rpl.Relevance // which peers get it: rpl.Near (by Config.Interest), Always, OwnerOnly or Grouped (see tendon.Group); a tree is sent whole, to the peers that get its top and to the owners of its nodes
	Hz        uint8         // its state is sent at most this often a second; 0 means in every send, as is right for what is shot at (see Config.Rewind)
	Transient bool          // every machine builds it from its arguments and then moves its own copy; only its end is sent
	Keep      bool          // when its owner leaves, the node stays, owned by nobody; otherwise it is removed
	Weight    float32       // priority against other nodes; 0 means 1, at most rpl.MaxWeight (2²⁰)
}

// OwnerData is the peer that drives a node; 0 is nobody, for whom the authority acts.
// Read it; tendon.Give writes it.
type OwnerData struct{ Peer rpl.Peer }

// ParentData is the node directly above a node: Null at the top, and while a proxy's
// parent is not on this machine. Read it; tendon.Attach writes it.
type ParentData struct{ Entity donburi.Entity }
