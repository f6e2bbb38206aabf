// Package ecs replicates donburi components: a game that works alone becomes multiplayer
// by adding components, and the same code then runs as single player, listen server,
// dedicated server and client. Import it as tendon: `ecs` is what donburi's users call
// their variables.
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
// … make a component travel? Tag its fields and register it: `rpl:"step=1/32"`. All tags
// are listed by `go doc github.com/tendonengine/tendon/rpl/schema Schema.Item`. A field without
// a tag is local; an embedded or nested struct without a tag is local as a whole. For types of
// other packages pass rpl.Tags, or register a stand-in with ReplicateAs.
//
// … make an entity a node? Spawn it by a [Prefab], whose function builds the entity on
// every machine with its local components and its parts. Or call Replication.Create, or
// add components.RplNode to the entity. What stands in every world from the start, each
// machine makes by itself, under the same name: see [Named].
//
// … write a system? Ask for the role, never "am I the server": [IsAuthority] for one
// entity, the filter [Authority] for many, [IsOwner] and [Mine] for what this machine's
// player drives. Local entities are always this machine's own.
//
// … give a player something to drive? Call [Give](entity, peer) in OnJoin. The local
// player joins too. OnOwner tells every machine that has the entity which peer drives it
// now.
//
// … test my game? Package tendontest plays it on several machines in one process, and names
// rules that would break prediction.
//
// … send input? Declare a [Command] on the component that it moves: Sample reads the keys,
// Apply is the rule, Run the system. The player's own machine applies it in the step of the
// key, and is corrected where the server decides otherwise ([Predict], OnCorrection,
// [Confirmed]). Single acts are reliable RPCs ToServer, On the component that they are about.
//
// … fire a bullet at once, hit what is seen, show an effect once? Prefab.Predict, Call.Rewind
// with Config.Rewind, and Call.Once, in a command's Apply. The others see the effect by an RPC WhenDrawn.
//
// … tell everyone of an event? Call a Broadcast RPC on the event's node: it runs on each
// player's machine that has the node. An owner tells everyone by an Everywhere RPC. For
// what belongs to no entity (chat, match state), call the RPC on Session().
//
// … react to a change? Use [OnChange] for fields tagged `notify`, on the authority too,
// and OnStreamIn and OnStreamOut for nodes that begin and cease to exist here.
//
// … draw smoothly? [View] returns a component as it is to be drawn in this frame. The tag
// `interp=inplace` writes that value into the component between Frame and the next
// Receive, for games that draw their components themselves. Draw only what is [Drawn].
//
// … send less of what moves by a rule? Give it to every machine with [Reckon], and say how
// exact it must be with `tol=`.
//
// … limit who sees what? By distance, with Config.Interest and components.Observer. Per
// node, with NodeData.Relevance: rpl.Near (the default), Always, OwnerOnly or Grouped.
// Per field, with `to=owner`. A [Group] limits nodes and fields to its members: the
// server puts peers in, peers ask to be let in, or a function picks them.
//
// … put one thing on another? Call [Attach]; a node and all nodes attached below it
// stream in and out together. [Parent] and [Children] lead through the tree; OnParent tells
// every machine that has the node of its new parent. With
// components.Transform, [WorldTransform] and [WorldView] return the place of an entity in
// the world. [Part] joins several entities into one node when they are built.
//
// … know that a client has joined? Me() is 0 until the server has let this machine in.
// The components of Session() arrive after that: check HasComponent.
//
// … let a player come back whose connection broke? Call Join again in OnEnd. The server
// keeps the player's seat for 30 s, with its nodes and groups, and tells the game by
// OnLost and OnBack.
//
// … keep what belongs to no entity (a score table, the phase of a match)? Add a component
// to Session() in OnStart; clients have it there once they have joined.
//
// … change the level? Fill the worlds in OnWorld, call Load.
//
// … find what I did wrong? Config.Debug reports these mistakes by name: components that
// were written past the library; calls that were dropped or that have no handler; values
// that their tags clamp or cut; tagged components that are not registered; components
// that stand on no node; nodes made on a client; parts that outlive their node; what a
// prefab's function makes beside its node and the node's parts; bumps that were missed or
// wasted; commands without a rule or an input, that never run, or run in the wrong place; kept entries.
// Config.Log says which peers have joined, and why others could not; OnEnd tells the
// game.
//
// … find out what is going on? Read the Stats of a peer, Counters and Mode, or write a
// [Plugin] with systems of its own behind the stages.
//
// # What to know
//
// A mistake that can only be the program's, wherever it runs, panics with a text that
// says what to do instead (Create on a client, a name that is taken). What a game's data
// or its players can make impossible is an error that New, Attach or Send returns. A call
// that comes a moment too late, such as Give to a peer that has just left, changes
// nothing; it is counted (Counters), and Config.Debug names it.
//
// An On function may be called any number of times: the callbacks run in the order in
// which they were given. It panics if it is given no function or no component. All
// callbacks run on the game's goroutine, inside Receive, Send and Close; on the authority
// OnStreamOut and a node's last calls run inside World.Remove too. For one node they run
// in this order: the prefab's function, OnStreamIn, OnParent, OnOwner, OnChange, calls, OnStreamOut;
// parents before their children, after them in OnStreamOut. Calls wait for the node, not for its
// state: under loss a ToOwner call may run before OnOwner. On the authority a step's calls run
// before its OnChange, which also reports what they have changed. A node that is made and removed
// in the same step has no callback on any machine. Other machines never hear of a node that is
// removed before the next send, nor of calls on it.
//
// A node made by Create, Named or a prefab exists for the API at once, and for other
// machines from the step's Send on. An entity that is given components.RplNode becomes a
// node in that step's Send. Between steps keep entities, not entries, and ask
// World.Valid: donburi reuses an entry for another entity.
//
// A nil list or map equals an empty one. A protocol has at most 64 groups, a component
// 128 tagged fields, a list or a map 4,096 elements. NaN and Inf in arguments are an
// error of the call. Create never returns inside an iteration over nodes with exactly the
// components that it is given, because donburi has locked them. Collect first, then
// create.
package ecs

// For readers of the code: the files in the order of the data.
//
// What there is to agree on:
//
//	protocol.go      what both ends must agree on; replicate.go: component types (internal/reckon/: those that functions move); prefab.go
//	                 (internal/building/: the functions that build), rpc.go, group.go (internal/membership/): the rest
//
// A session and its life:
//
//	replication.go   what a session is made of; shared.go: what all its parts work on; config.go, limits.go,
//	                 errors.go, mode.go
//	life.go          alone, hosting, joining, and the end of each; level.go: from world to world;
//	                 session.go: the session's own node; internal/line/: the link, and the session's time
//	pipeline.go      the stages of a step, and what plugins add; internal/afterwards/: what callbacks put off;
//	                 run.go: loops that call them; window/, internal/pace/: steps and frames by time
//	internal/donburix/  the traps of donburi, in one place
//
// Nodes, on every machine:
//
//	internal/nodes/  a node, its items, parts and tree, and the tables that lead to it; items.go: what a client
//	                 gives it; part.go, tree.go: its parts, parents and children
//	role.go          who decides, who drives; remove.go: how they end; names.go, internal/loadtime/: nodes that
//	                 every machine makes by itself
//
// The authority, in the order of a step:
//
//	receive.go       what is received, on every machine; seat.go: peers who come and go; lost.go: and come back;
//	                 clientlimits.go, internal/patience/: and who is sent away; internal/filling/: what one who
//	                 joins is told of its progress, and what has come of a place that is preloaded
//	extract.go       what is read once a step; internal/extract/: how nodes begin and end, and components to the core
//	send.go          who sees what, what fits, and what leaves; internal/observers/: from where; audience.go: who
//	                 is seen; sight.go: what the game says of it
//
// A client, in the order of a step:
//
//	client.go        what the link brings; progress.go: how much is to come; internal/clock/: the server's time
//	proxy.go         what has come, as entities and components; internal/binding/: which components, and what is
//	                 written into them; internal/references/: entities in them; leaving.go,
//	                 internal/leaving/: what goes when drawn time gets there
//	internal/track/  the last states of an item, and what is drawn between and past them; view.go: of which
//	                 nodes; internal/drawing/: when, and as of which of their states; internal/inplace/:
//	                 written into components that the game draws itself; internal/reparent/: what has changed its parent
//	internal/own/    what this machine decides, between two of its steps
//
// Players' input:
//
//	command.go       a command and its binding; commanding.go: when it is made, what comes of it; internal/command/:
//	                 its bytes and its queue
//	prediction.go    what a client does at once, and what is corrected; internal/predict/ and
//	                 internal/replay/: what it keeps, with its lists (internal/deep/), and what else moves; internal/spawns/: what it makes
//	                 before the server; internal/rewind/: what a shooter saw
//	wake.go          what happens at a tick that is known; internal/wakes/: what waits
//
// The game asks, is told, and tells others:
//
//	space.go         where nodes are; internal/places/: what has moved; internal/space/: what is there
//	callback.go      the functions that it gives; internal/callbacks/: in which order those about nodes run, and
//	                 what OnChange compares; guards.go: what panics at once
//	calls.go         where a call runs; internal/callqueue/: when; internal/sessionmsg/: the messages of two
//	                 sessions, byte by byte
//	compare.go       what tests look at; internal/differ/: in two machines; tendontest/: tests of users' games
//	internal/faults/ what is counted and logged; stats.go, internal/meter/: counters, connections;
//	                 internal/mistakes/: the game's
