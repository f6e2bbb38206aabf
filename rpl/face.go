package rpl

import (
	"reflect"

	"github.com/tendonengine/tendon/rpl/internal/figures"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/interest"
	"github.com/tendonengine/tendon/rpl/internal/proxy"
	"github.com/tendonengine/tendon/rpl/internal/send"
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
	// Grid is the usual Interest: a node streams in at Enter or nearer and out beyond Exit, in the
	// unit of the `pos` prop. Enter is above 0, and Exit is at least Enter; 1.1 times Enter is usual.
	Grid = spatial.Grid
	// Interest decides which nodes of Relevance Near a peer gets: Reach(viewer) is the farthest that
	// it can see, Wants(viewer, node, distance, had) whether it should have a node.
	Interest = spatial.Interest
	// An Observer is a point round which a peer sees: X, Y, and Scale, by which the distances of the
	// Interest are multiplied for it (0 means 1, at most MaxScale).
	Observer = spatial.Observer
	// A Policy is an Interest that refuses nodes in sight: it embeds a Grid, and Sees(View) is asked.
	Policy = spatial.Policy
	// A Rater is an Interest that has what is far off sent less often than in every send.
	Rater = spatial.Rater

	// Fading is a Grid with rates that fall with the distance.
	Fading = spatial.Fading

	// A Favourer is an Interest that says how much sooner than others a viewer is sent a node.
	Favourer = spatial.Favourer
	// A View is what a Policy is asked about: Viewer, Node, X, Y, From, Distance, Had.
	View = spatial.View
	// An Item names one item of one node on an authority, until the item or its node is removed.
	Item = store.Item
	// ItemBits is the account of one item type: Item (nil for what belongs to no item), Bits,
	// Removals.
	ItemBits = figures.ItemBits
	// PeerStats are figures about the datagrams to one peer: RTT, Jitter, Loss, SendLimit, Bytes,
	// Packets, Calls, Held.
	PeerStats = send.PeerStats
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
	// An Opt is a value that may be absent: at the cost of a bit.
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

const (
	Always            = ids.Always
	Broadcast         = ids.Broadcast
	Everyone          = ids.Everyone
	Everywhere        = ids.Everywhere
	FirstGroup        = ids.FirstGroup
	Grouped           = ids.Grouped
	MaxArgs           = wire.MaxArgs
	MaxItems          = wire.MaxItems
	MaxLayouts        = wire.MaxLayouts
	MaxName           = wire.MaxName
	MaxNodes          = wire.MaxNodes
	MaxPreloads       = interest.MaxPreloads
	MaxReach          = spatial.MaxReach
	MaxReliableArgs   = wire.MaxReliableArgs
	MaxScale          = spatial.MaxScale
	MaxTick           = wire.MaxTick
	MaxUnreliableArgs = wire.MaxUnreliableArgs
	MaxWeight         = wire.MaxWeight
	Near              = ids.Near
	NoItem            = store.NoItem
	OthersSee         = ids.OthersSee
	OwnerOnly         = ids.OwnerOnly
	OwnerSees         = ids.OwnerSees
	PacketOverhead    = wire.PacketOverhead
	PacketRoom        = wire.PacketRoom
	Reliable          = ids.Reliable
	Server            = ids.Server
	SessionNode       = ids.SessionNode
	ToOwner           = ids.ToOwner
	ToServer          = ids.ToServer
	Unreliable        = ids.Unreliable
)

var (
	ErrArgs    = ids.ErrArgs
	ErrCycle   = ids.ErrCycle
	ErrLimit   = ids.ErrLimit
	ErrNoNode  = ids.ErrNoNode
	ErrNoPeer  = ids.ErrNoPeer
	ErrPacket  = ids.ErrPacket
	ErrRange   = ids.ErrRange
	ErrRefused = schema.ErrRefused
	ErrTooLong = ids.ErrTooLong
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
