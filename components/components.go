// Package components holds what replication keeps on entities. Most games
// import it for Observer alone, or not at all.
//
// RplNode, Observer and Transform are added by the game. Owner and Parent
// stand on every node, are there to be queried, and are written by tendon.Give
// and tendon.Attach alone. Proxy and Hidden are tags that the library sets and
// clears.
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
	// Parent says which node the node is under.
	Parent = donburi.NewComponentType[ParentData]().SetName("Parent")
	// Observer lets the node's owner see what is around it.
	Observer = donburi.NewComponentType[ObserverData]().SetName("Observer")
	// Transform is a place local to the parent node.
	Transform = donburi.NewComponentType[TransformData]().SetName("Transform")

	// Proxy is on entities whose authority is another machine, parts of nodes
	// included.
	Proxy = donburi.NewTag("Proxy")
	// Hidden is on proxies that are not to be drawn now: render time has not
	// reached their first sample, or has passed their removal. Systems that
	// draw leave them out with the filter tendon.Drawn.
	Hidden = donburi.NewTag("Hidden")
)

// NodeData is how a node is streamed. The authority may change it at any time, but
// Transient only before others are told of the node. It does not travel: on proxies it
// is what the prefab says, so what is Transient should say it there. Its 8 bytes have no
// padding: each is looked at before every send.
//
// A Relevance or Weight that does not exist is logged and counted. A node goes on with what
// it had ("RplNode refused"); an entity that is to become a node stays an entity of this
// machine until both are right ("node not made").
type NodeData struct {
	Relevance rpl.Relevance // who gets it: rpl.Near (by Config.Interest), Always, OwnerOnly or Grouped (see tendon.Group); a tree is sent whole: to those who get its top, and to whoever owns a node of it
	Hz        uint8         // at most so often a second; 0 means every send
	Transient bool          // built from its arguments everywhere, then each machine moves its own; only its end is sent
	Keep      bool          // stays, owned by nobody, when its owner leaves; else it dies
	Weight    float32       // priority against other nodes; 0 means 1, at most rpl.MaxWeight (2²⁰)
}

// OwnerData is the peer that drives a node: 0 is nobody, for whom the
// authority acts. Read it; Give writes it.
type OwnerData struct{ Peer rpl.Peer }

// ParentData is the node that a node is under: Null at the top, and while a
// proxy's parent is not here. Read it; Attach writes it.
type ParentData struct{ Entity donburi.Entity }
