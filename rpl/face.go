package rpl

import (
	"reflect"

	"github.com/tendonengine/tendon/rpl/internal/figures"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/interest"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/proxy"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// The public names that are defined in the packages below; `go doc` of those (rpl/schema,
// rpl/internal/…) has all of their fields and methods.

type (
	// An ArgRef is one reference among the arguments of a call or a prefab.
	ArgRef = schema.ArgRef
	// An ArgRoom is memory for who writes and reads arguments in every tick.
	ArgRoom = schema.ArgRoom
	// An ArgType writes and reads the arguments of a call or a prefab.
	ArgType = schema.ArgType
	// An Audience says who may see a part of an item: Everyone, OwnerSees, OthersSee, or a group from
	// FirstGroup on.
	Audience = ids.Audience
	// Bits counts the bits of what the authority planned to send, by kind: Updates, Keyframes,
	// Arrivals.
	Bits = figures.Bits
	// A Call is an RPC that runs on this machine now: Node, From, Tick, RPC, Args.
	Call = wire.Call
	// A Column is items of one type that the adapter keeps side by side. Resize gives it rows, Put
	// says which item a row is, Bump makes the next SetColumn read a row of explicit items.
	Column = store.Column
	// Counters count what the authority has done since it was made, and why: Records, Shared,
	// Keyframes, Arrivals, Removals, PacketsLost, CallsDropped and more.
	Counters = figures.Counters
	// Interest decides which nodes of Relevance Near a peer gets:
	//
	//	Reach(viewer Peer) float64 // the farthest that it can see; asked of peer 0 for what is usual
	//	Wants(viewer Peer, n Node, distance float64, had bool) bool
	//
	// Grid is the usual one. Those of a game embed a Grid and say more: as a Policy, a Favourer, a
	// Rater, or all of them.
	Interest = spatial.Interest
	// Grid{Enter, Exit} is the usual Interest: a node streams in at Enter or nearer and out beyond
	// Exit, in the unit of the `pos` prop. Enter is above 0, and Exit is at least Enter and at most
	// MaxReach; 1.1 times Enter is usual. What has streamed in stays for half a second at least.
	Grid = spatial.Grid
	// A Policy is an Interest that refuses nodes in sight, behind a wall or of another faction: it
	// embeds a Grid or a Fading, and has
	//
	//	Sees(v View) bool
	//
	// which may read the game's world and must not change it. It is not asked in every send: a node
	// that a viewer has and that has moved less than a 32nd of Enter is asked for again when one of
	// the viewer's observers has moved an eighth of Enter, or after Authority.AskAgain, also about what has
	// meanwhile gone out of reach. What it refuses then goes at once, and at any other time once it has been there for half a second.
	Policy = spatial.Policy
	// A View is what a Policy is asked about: Viewer (a Peer), Node, X and Y (where the node is, or the
	// top of its tree), From (the observer that has it in sight, as [2]float64), Distance between
	// them, and Had (the viewer has the node now).
	View = spatial.View
	// A Favourer is an Interest that says how much sooner than others a viewer is sent a node, where
	// not everything can be sent at once, as a factor above 0:
	//
	//	Favour(viewer Peer, n Node) float32
	Favourer = spatial.Favourer
	// A Rater is an Interest that has what is far off sent less often than in every send:
	//
	//	Rate(viewer Peer, distance float64) float64 // share of the sends, 1 is all; rounded to 1, 1/2 … 1/16
	//
	// Arrivals, removals, new owners and parents do not wait, nor do a viewer's own nodes.
	Rater = spatial.Rater
	// Fading{Grid, Full} is a Grid with rates: nodes within Full are sent in every send, those at
	// twice Full in every second one, at eight times in every eighth.
	Fading = spatial.Fading
	// An Observer is a point round which a peer sees: X, Y, and Scale, by which the distances of the
	// Interest are multiplied for it (0 means 1, at most MaxScale).
	Observer = spatial.Observer
	// An Item names one item of one node on an authority, until the item or its node is removed.
	Item = store.Item
	// ItemBits is the account of one item type: Item (nil for what belongs to no item), Bits,
	// Removals.
	ItemBits = figures.ItemBits
	// A Path is what was measured of the way to a peer: what it loses, how long it takes, what it carries.
	// Disconnect returns it, SetPath has another stream begin with it.
	Path = link.Path
	// PeerStats are figures about the datagrams to one peer: RTT, Jitter, Loss, SendLimit, Bytes,
	// Packets, Calls, Held.
	PeerStats = figures.PeerStats
	// Spawn describes a node to be made: Prefab and its Args (at most MaxArgs bytes), Name of a
	// load-time node (at most MaxName), Items by ordinal (at most MaxItems), Parent, Owner,
	// Transient, and how it streams (Streaming).
	Spawn = store.Spawn
	// Streaming says how a node is sent to peers: Relevance; Weight, its priority against others (0
	// means 1, at most MaxWeight); Hz, its updates a second at most (0: every send); Keep, whether
	// it stays when its owner leaves. Check reports whether these are in range.
	Streaming = store.Streaming
	// A Codec says how values of a type that tags cannot describe travel (Register).
	Codec[T any, S any] = schema.Codec[T, S]
	// An ItemBuilder makes an ItemType by hand (Schema.Build).
	ItemBuilder = schema.ItemBuilder
	// An ItemType is a kind of item: what one replicated struct is on the wire.
	ItemType = schema.ItemType
	// A Lane is how a call travels: Reliable or Unreliable.
	Lane = ids.Lane
	// A Node names a node, the same on every machine of a session; 0 is none.
	Node = ids.Node
	// An Opt is a value that may be absent, at the cost of a bit: Some makes one that is there, and its
	// Get returns the value, and whether it is.
	Opt[T any] = schema.Opt[T]
	// A Part is the props of an item that one audience may see.
	Part = schema.Part
	// A Peer is the number of one machine of a session; 0 is nobody, Server the authority's own.
	Peer = ids.Peer
	// A PrefabType is a kind of node.
	PrefabType = schema.PrefabType
	// A Prop is one replicated field.
	Prop = schema.Prop
	// A Proxy is the core of a client: it holds the nodes that the authority shows it. A tick:
	// Receive and ReceiveMessage for what has arrived, Step, Apply, the game, Send. Replica and
	// Replicas find nodes, Inject reads their state, Call and Due are for calls, Counters,
	// Trace and Resync are for figures and repair.
	Proxy = proxy.Proxy
	// A ProxyConfig configures a Proxy.
	ProxyConfig = proxy.ProxyConfig
	// ProxyCounters count what a proxy has received since it began.
	ProxyCounters = proxy.ProxyCounters
	// A ProxyHandler is how Proxy.Apply reports what has happened, in a fixed order: Arrived, Loaded,
	// ItemRemoved, ItemAdded, Owned, Parented, Changed, Advanced, Run, Gone.
	ProxyHandler = proxy.ProxyHandler
	// An RPCType is a kind of call.
	RPCType = schema.RPCType
	// A Reckoner moves reckoned items by functions of the game.
	Reckoner = schema.Reckoner
	// Refs translates references to entities into references to nodes and back.
	Refs = schema.Refs
	// Relevance says which peers get a node: Near, Always, OwnerOnly, Grouped.
	Relevance = ids.Relevance
	// A Replica is a node as a proxy has it: ID, Owner, Name, Items and more.
	Replica = proxy.Replica
	// A Schema is what both ends must agree on, identified by names; see package schema.
	Schema = schema.Schema
	// A Sink takes what one end sends to the other: numbered datagrams, and reliable messages.
	Sink = wire.Sink
	// Tags are `rpl:"…"` tags for the fields of a type that cannot be edited.
	Tags = schema.Tags
	// A Target is where a call runs: ToServer, ToOwner, Broadcast, Everywhere.
	Target = ids.Target
	// A Tick is one fixed step of the simulation.
	Tick = ids.Tick
	// A TraceLine is one line of Proxy.Trace, as JSON.
	TraceLine = proxy.TraceLine
	// A Var is a variable-length field of an item.
	Var = schema.Var
	// A VarType codes a variable-length value.
	VarType = schema.VarType
	// A Word is one quantised field, an int32.
	Word = schema.Word
)

// Which peers get a node (Relevance).
const (
	Near      = ids.Near      // peers with an observer in range; everyone if there is no Interest or the node has no `pos`
	Always    = ids.Always    // every peer
	OwnerOnly = ids.OwnerOnly // the node's owner
	Grouped   = ids.Grouped   // the members of the node's groups
)

// Who may see a part of an item (Audience).
const (
	Everyone   = ids.Everyone
	OwnerSees  = ids.OwnerSees  // `to=owner`
	OthersSee  = ids.OthersSee  // `to=others`
	FirstGroup = ids.FirstGroup // FirstGroup+i is the schema's group i
)

// Where a call runs (Target), and how it travels (Lane).
const (
	ToServer   = ids.ToServer
	ToOwner    = ids.ToOwner
	Broadcast  = ids.Broadcast  // on all clients that have the node, if the server calls; else where it is called
	Everywhere = ids.Everywhere // once on every machine that has the node, whether its owner or the server calls
	Reliable   = ids.Reliable   // in order, resent until it arrives
	Unreliable = ids.Unreliable // in a datagram: at most once, never late
)

// Names that every session has.
const (
	Server      = ids.Server      // the authority as a peer
	SessionNode = ids.SessionNode // the session itself, which carries what belongs to no entity
	NoItem      = store.NoItem    // an empty row of a Column
)

// Limits. What would exceed one fails with an error that names the thing and the remedy.
const (
	MaxNodes          = wire.MaxNodes          // 1048576 nodes of an authority at a time
	MaxItems          = wire.MaxItems          // 64 items of a node
	MaxLayouts        = wire.MaxLayouts        // 16384 different ordered sets of items at a time
	MaxName           = wire.MaxName           // 64 bytes of a load-time node's name
	MaxArgs           = wire.MaxArgs           // 256 bytes of a prefab's arguments
	MaxUnreliableArgs = wire.MaxUnreliableArgs // 1024 bytes of an unreliable call's arguments
	MaxReliableArgs   = wire.MaxReliableArgs   // 4096 bytes of a reliable call's arguments
	MaxWeight         = wire.MaxWeight         // 1048576 times what a node weighs by itself
	MaxReach          = spatial.MaxReach       // 1e+09 units to a Grid's Exit
	MaxScale          = spatial.MaxScale       // 16 times the distances of the Interest, for an Observer
	MaxPreloads       = interest.MaxPreloads   // 8 points that a peer preloads at once
	MaxTick           = wire.MaxTick           // 2147483647, the last tick of a session: 414 days at 60 a second
	PacketRoom        = wire.PacketRoom        // 1171 bytes of datagrams in one packet
	PacketOverhead    = wire.PacketOverhead    // 19 bytes that the seal adds to a packet of the authority's, which budgets count
)

// What errors are, for errors.Is; their texts name the thing and the remedy.
var (
	ErrArgs    = ids.ErrArgs       // a call's arguments take more than they may
	ErrCycle   = ids.ErrCycle      // a node would hang below itself
	ErrLimit   = ids.ErrLimit      // one of the limits is reached
	ErrNoNode  = ids.ErrNoNode     // the node does not exist (any more)
	ErrNoPeer  = ids.ErrNoPeer     // the peer does not exist (any more)
	ErrPacket  = ids.ErrPacket     // a packet cannot be read: it is dropped and counted
	ErrRange   = ids.ErrRange      // a value is out of its range, or no finite number
	ErrRefused = schema.ErrRefused // for a Codec's Decode: what it read is not a valid value
	ErrTooLong = ids.ErrTooLong    // a name, or a prefab's arguments, take more bytes than they may
)

// NewSchema makes an empty schema; the name keeps different games apart.
func NewSchema(name string) *Schema { return schema.NewSchema(name) }

// NewProxy makes the core of a client. me is the client's number, given by the authority.
func NewProxy(c ProxyConfig, me Peer) (*Proxy, error) { return proxy.NewProxy(c, me) }

// Some is an Opt that has a value.
func Some[T any](v T) Opt[T] { return schema.Some(v) }

// Register makes c the codec of all fields of type T in the schema.
func Register[T, S any](s *Schema, c Codec[T, S]) { schema.Register(s, c) }

// SharesMemory reports whether a value of type t and a copy of it share memory that can
// be changed. Strings share memory that cannot.
func SharesMemory(t reflect.Type) bool { return schema.SharesMemory(t) }
