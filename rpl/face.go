package rpl

import (
	"reflect"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/proxy"
	"github.com/tendonengine/tendon/rpl/internal/send"
	"github.com/tendonengine/tendon/rpl/internal/spatial"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// The public names that are defined in the packages below.

type (
	ArgRef              = schema.ArgRef
	ArgType             = schema.ArgType
	Audience            = ids.Audience
	Bits                = send.Bits
	Call                = wire.Call
	Column              = store.Column
	Counters            = send.Counters
	Grid                = spatial.Grid
	Interest            = spatial.Interest
	Item                = store.Item
	ItemBits            = send.ItemBits
	PeerStats           = send.PeerStats
	Spawn               = store.Spawn
	Streaming           = store.Streaming
	Codec[T any, S any] = schema.Codec[T, S]
	ItemBuilder         = schema.ItemBuilder
	ItemType            = schema.ItemType
	Lane                = ids.Lane
	Node                = ids.Node
	Opt[T any]          = schema.Opt[T]
	Part                = schema.Part
	Peer                = ids.Peer
	PrefabType          = schema.PrefabType
	Prop                = schema.Prop
	Proxy               = proxy.Proxy
	ProxyConfig         = proxy.ProxyConfig
	ProxyCounters       = proxy.ProxyCounters
	ProxyHandler        = proxy.ProxyHandler
	RPCType             = schema.RPCType
	Refs                = schema.Refs
	Relevance           = ids.Relevance
	Replica             = proxy.Replica
	Schema              = schema.Schema
	Sink                = wire.Sink
	Tags                = schema.Tags
	Target              = ids.Target
	Tick                = ids.Tick
	TraceLine           = proxy.TraceLine
	Var                 = schema.Var
	VarType             = schema.VarType
	Word                = schema.Word
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
	MaxReliableArgs   = wire.MaxReliableArgs
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
