// Package rpl is the replication core: an authority's nodes are kept equal on
// every peer that may see them, over packets that get lost, doubled and
// overtaken. It knows no ECS, starts no goroutine, takes no lock and reads no
// clock: bytes and the time go in, bytes come out.
//
// Most games meet it through package ecs and use a few of its names: [Tags] and
// what [Schema.Item] says of tags, [Peer], [Node] and [Tick], [Opt] for values
// that may be absent, [Codec] and [Register] for types that tags cannot
// describe, [Grid] or an [Interest] of their own, [Relevance], and the [Target]
// and [Lane] of calls. The rest is for who joins it to another world: an
// adapter, a tool, a program without an ECS.
//
// # What there is
//
//   - [Schema]: what both ends must agree on, known by names: items (replicated
//     structs), prefabs, calls, groups. Item reads tags, Build makes an
//     [ItemType] by hand; [Schema.Freeze] compiles all and reports every mistake.
//     Hash, Digest and Explain tell two schemas apart, by component and field.
//   - [Authority]: the core of the machine that decides. Its nodes carry items,
//     have an owner, hang under one another, and say by [Spawn] who gets them.
//   - [Proxy]: the core of a client. It holds a [Replica] of each node that it is
//     shown, and tells a [ProxyHandler] what has happened, in a fixed order.
//   - [Sink]: the way out, for both: numbered datagrams, and reliable messages.
//   - [Refs]: how references to entities become references to nodes and back.
//
// # How do I …
//
// … run a server? Each tick: Receive and ReceiveMessage for what has come, Step,
// Due for the calls that run now, the game's rules, Set (or SetColumn, SetWords)
// for each item that may have changed; and in the ticks that send, Stream,
// Schedule, and Encode for each peer.
//
// … run a client? Receive and ReceiveMessage, Step, Apply, the game, Send. What
// ProxyHandler is told of is read with Inject, into the game's own struct.
//
// … let somebody in? [Authority.Connect]; Disconnect when the peer has left,
// Suspend when it may come back. Nothing is sent before Connect.
//
// … send a call? Call on either core, with arguments that the call's [ArgType]
// has written; where it runs is a matter of its Target and of who owns the node.
//
// … decide who sees what? Relevance for nodes, `to=` in tags for fields, SetGroup
// and SetNodeGroup for groups of peers, or Condition for a function that is asked
// once a send and peer; AuthorityConfig.Interest with Observe for what is near.
//
// … find out what is sent? Counters and BitsByItem in figures, Dump for what a
// peer may see, Trace for what packets say, both as JSON.
//
// # What to know
//
// State is values in multiples of their steps: what both ends compute with is
// integers, so they agree to the bit. A change is told as a difference from what
// the peer is known to have, until it is known to have arrived; what has gone
// before an ack is not told at all. docs/SPEC.md is the wire.
//
// Nothing that comes from a peer panics, makes memory grow past a limit or harms
// another peer: what cannot be read is refused and counted. Limits that a game
// can reach fail with an error that names the thing and the remedy; they stand
// in limits.go. Mistakes of the caller that no game can make by its data panic.
//
// Everything is for one goroutine, but for a frozen Schema, which any may read,
// and Encode, which may run for different peers at the same time, between
// Schedule and whatever comes next. The bytes are the same however many do.
package rpl
