// Package ecs replicates donburi components: a game that works alone becomes
// multiplayer by adding components, and the same code then runs as single
// player, listen server, dedicated server and client. Import it as tendon:
// `ecs` is what donburi's users call their variables.
//
// # What there is
//
//   - [Protocol]: what both ends must agree on, a package variable. [Replicate]
//     and [ReplicateAs] add component types, [NewPrefab] kinds of node, [NewRPC]
//     remote calls, [NewGroup] sets of peers.
//   - [Replication]: one donburi world kept in step with others. [New] makes it,
//     in single player; Host and Join change that.
//   - A node is an entity with components.RplNode; its replicated components are
//     its items. Exactly one machine, the authority, decides about it; on the
//     others it is a proxy. Its owner, a peer, drives it.
//   - Three calls put a session into a game's loop: Receive and Send around each
//     fixed step, Frame before each drawn frame. [ReceiveSystem], [SendSystem]
//     and [FrameRenderer] are the same for donburi/ecs, Run is a loop for
//     programs without a window.
//
// # How do I …
//
// … make a component travel? Tag its fields and register it: `rpl:"step=1/32"`.
// All tags are listed at [rpl.Schema.Item]. A field without a tag is local, and so is all
// of a struct, embedded or nested, that has no tag itself. For types of other packages give
// rpl.Tags, or a stand-in with ReplicateAs.
//
// … make an entity a node? Spawn it by a [Prefab], whose function builds it on
// every machine with its local components and its parts; or Replication.Create;
// or add components.RplNode to it. What stands in every world from the start both
// sides make, under the same name: [Named].
//
// … write a system? Ask roles, never "am I the server": [IsAuthority] for one
// entity, the filter [Authority] for many, [IsOwner] and [Mine] for what this
// machine's player drives. Local entities are always this machine's own.
//
// … give a player something to drive? In OnJoin: [Give](entity, peer). The local
// player joins too. OnOwner tells every machine that has the entity which peer drives it now.
//
// … send input? By an unreliable RPC ToServer with the held keys, on a node that the
// player owns; the newest wins.
//
// … tell everyone of an event? By a Broadcast RPC on its node: it runs on each
// player's machine that has the node. An owner tells everyone by an Everywhere RPC. What
// belongs to no entity (chat, match state) goes over Session().
//
// … react to a change? [OnChange] for fields tagged `notify`, on the authority
// too; OnStreamIn and OnStreamOut for nodes that begin and cease to exist here.
//
// … draw smoothly? [View] is a component as it is to be drawn in this frame;
// `interp=inplace` writes that into the component, between Frame and the next
// Receive, for games that draw their components themselves. Leave out what is
// not [Drawn].
//
// … limit who sees what? By distance with Config.Interest and components.Observer; a node
// with NodeData.Relevance (rpl.Near, the default, Always, OwnerOnly, Grouped); a field with
// `to=owner`; either with a [Group], whose members the server puts in, or ask to be let in,
// or are picked by a function.
//
// … put one thing on another? [Attach]; what hangs together streams together.
// [Parent] and [Children] lead through the tree; with components.Transform,
// [WorldTransform] and [WorldView] say where something is in the world. Entities
// that are one node are joined by [Part] when they are built.
//
// … know that a client has joined? Me() is 0 until the server has let this machine in;
// components of Session() arrive after that: check HasComponent.
//
// … let a player come back whose connection broke? Call Join again in OnEnd: the
// server keeps its seat for 30 s, with its nodes and groups, and tells the game
// by OnLost and OnBack.
//
// … keep what belongs to no entity (a score table, the phase of a match)? Add a
// component to Session() in OnStart; clients have it there once they have joined.
//
// … change the level? Fill the worlds in OnWorld, call Load.
//
// … find what I did wrong? Config.Debug reports by name what was written past
// the library, calls that were dropped or that nobody handles, values that their
// tags clamp or cut, tagged components that are not registered, components that
// stand on no node, nodes made on a client, bumps that were missed or wasted. Config.Log says
// which peers have joined, and why others could not; OnEnd tells the game.
//
// … find out what is going on? Stats of a peer, Counters, Mode; or a [Plugin]
// with systems of its own behind the stages.
//
// # What to know
//
// What only the program can have got wrong, wherever it runs, panics, and says what to do
// instead (Create on a client, a name that is taken). What a game's data or its players
// can make impossible is an error: of New, Attach, Send. What comes a moment too late,
// as Give to a peer that has just left, changes nothing; it is counted (Counters), and
// Config.Debug names it.
//
// An On function may be called any number of times: the functions that it was given run in
// that order; given no function, or no component, it panics. All callbacks run on the
// game's goroutine, inside Receive, Send and Close, in this order for a node: the prefab's function, OnStreamIn, OnOwner, OnChange, calls,
// OnStreamOut; parents before their children. On the authority a step's calls
// come before its OnChange, which tells of what they have changed too. Nobody is told
// of a node that is removed in the step in which it was made. A node that
// Create, Named or a prefab makes exists for the API from then on, and for others with
// the step's Send; an entity that is given components.RplNode becomes a node with that
// Send. Keep entities, not entries, from one step to the next, and ask World.Valid: donburi
// gives an entry to another entity.
//
// A list or a map that is nil is the same as an empty one. A protocol has at most 64 groups,
// a component 128 tagged fields, a list or a map 4,096 elements. NaN and Inf in arguments
// are an error of the call. Create never returns inside an iteration over nodes with exactly
// the components that it is given: donburi has locked them. Collect first, then create.
package ecs
