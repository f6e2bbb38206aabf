// Package rpl is the replication core: it keeps the nodes of an authority equal on
// every peer that may see them, over packets that may be lost, duplicated and
// reordered. It knows no ECS, starts no goroutine, takes no lock and reads no
// clock: bytes and the time go in, bytes come out.
//
// Most games use this package through package ecs and need a few of its names:
// [Tags] and what Schema.Item of package rpl/schema says about tags, [Peer], [Node] and
// [Tick], [Opt] for values that may be absent, [Codec] and [Register] for types that tags
// cannot describe, [Grid] or an [Interest] of their own, [Relevance], and the [Target]
// and [Lane] of calls. The rest is for code that connects the core to another world:
// an adapter, a tool, a program without an ECS.
//
// # What there is
//
//   - [Schema]: what both ends must agree on, identified by names: items (replicated
//     structs), prefabs, calls, groups. Item reads tags, Build makes an
//     [ItemType] by hand; [Schema.Freeze] compiles everything and reports every mistake.
//     Hash, Digest and Explain tell two schemas apart, by component and field.
//   - [Authority]: the core of the machine that decides. Its nodes have items, an
//     owner and a parent; [Spawn] says which peers get a node.
//   - [Proxy]: the core of a client. It holds a [Replica] of each node that the
//     authority shows it, and reports to a [ProxyHandler] what has happened, in a fixed order.
//   - [Sink]: where both cores send: numbered datagrams, and reliable messages.
//   - [Refs]: translates references to entities into references to nodes and back.
//
// # How do I …
//
// … run a server? Each tick: Receive and ReceiveMessage for what has arrived, Step,
// Due for the calls that run now, the game's rules, Set (or SetColumn, SetWords)
// for each item that may have changed. In the ticks that send, also Stream,
// Schedule, and Encode for each peer.
//
// … run a client? Receive and ReceiveMessage, Step, Apply, the game, Send. When the
// ProxyHandler hears of an item, Inject writes its state into the game's own struct.
//
// … admit a peer? [Authority.Connect]; Disconnect when the peer has left,
// Suspend when it may come back. Nothing is sent to a peer before Connect.
//
// … send a call? Call on either core, with arguments that the call's [ArgType]
// has written. Its Target and the node's owner decide where it runs.
//
// … decide who sees what? Relevance for nodes, `to=` in tags for fields, SetGroup
// and SetNodeGroup for groups of peers, or Condition for a function that is asked
// once a send and peer; AuthorityConfig.Interest with Observe for what is near.
//
// … find out what is sent? Counters and BitsByItem give figures. Dump shows what a
// peer may see and Trace what packets say, both as JSON.
//
// # What to know
//
// State is quantised: each value is an integer multiple of its step. Both ends
// compute with integers alone, so they agree to the bit. A change is sent as a
// difference from what the peer is known to have, and sent again when its packet is
// judged lost; a change that has been undone by then is not sent again.
// docs/SPEC.md describes the wire format.
//
// Nothing that comes from a peer panics, makes memory grow past a limit or harms
// another peer: what cannot be read is refused and counted. A call that would exceed
// a limit fails with an error that names the thing and the remedy; internal/wire lists
// the limits. Mistakes in the calling code, which no data of a game can cause,
// panic, as does the use of what another schema has declared.
//
// Everything is for one goroutine, with two exceptions: any goroutine may read a
// frozen Schema, and Encode may run for different peers at the same time, between
// Schedule and the next call of any other method. The bytes are the same for any
// number of goroutines.
package rpl

// For readers of the code: the files in the order of the data.
//
// What there is to agree on, compiled once, and what it is coded with:
//
//	internal/ids/            names of peers, ticks, nodes, lanes, audiences
//	schema/                  Go types to words and back
//	internal/rowtype/        an item's part as the stream has it, and how its words are predicted
//	internal/coder/          rows to symbols and back: tables, learned ones, records
//	internal/wire/           what both ends must agree on: limits, layouts, calls
//	face.go                  the public names of what these packages hold
//
// The authority, in the order of a tick:
//
//	authority.go, config.go  the public face: the calls of a tick; nodes.go: those on nodes; parts.go: those that one
//	                         of the parts below answers alone; observe.go: who sees what
//	internal/store/          nodes, rows and their versions; components are read into it
//	internal/spatial/        where nodes are
//	internal/interest/       who shall have what
//	internal/send/           what each peer is sent, and what it is known to have
//	internal/outbox/         what waits for its reliable lane
//	internal/marks/          which of its handles must be looked at
//	internal/bases/          rows as they were sent to it, kept where changes wait for long
//	internal/link/           packets to one peer: sent, arrived, lost
//	internal/rate/           what a line carries
//	internal/budget/         what a peer may be sent
//
// The proxy:
//
//	internal/proxy/          packets into a stage, the stage into rows, rows to the adapter
//
// Beside them:
//
//	bits/, internal/prefix/, internal/pages/
//	                         bits, codes, memory
//	audience.go, counters.go who has what, and internal/figures/; dump.go: looks inside
//	rpltest/                 what tests of the core and of adapters run in
