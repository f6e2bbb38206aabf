package rpl

// DRAFT of the seam between the core and its adapters (ecs, bench, tests).
// The bodies come; signatures here are what to code against.

import (
	"log/slog"
	"time"
	"unsafe"
)

// ---- schema (schema.go, owned by the schema helper) ----

// Tags are `rpl:"…"` tags for the fields of a type that cannot be edited.
type Tags map[string]string

// func NewSchema(name string) *Schema
// func (s *Schema) Item(name string, t reflect.Type, tags Tags) *ItemType // a mistake is kept for Freeze
// func (s *Schema) Build(name string) *ItemBuilder                        // an item of words alone
// func (s *Schema) Prefab(name string, args reflect.Type) *PrefabType
// func (s *Schema) RPC(name string, args reflect.Type, to Target, lane Lane) *RPCType
// func (s *Schema) Group(name string) Audience
// func (s *Schema) Freeze(hz int) error // all mistakes joined; sorts by name and sets Index everywhere; idempotent
// func (s *Schema) Hash() uint64; Digest() []byte; Explain(digest []byte) string
// func (s *Schema) Items() []*ItemType; Prefabs() []*PrefabType; RPCs() []*RPCType; Groups() []string

// ---- what both cores share ----

type Config struct {
	Schema   *Schema
	Hz       int // ticks per second
	SendHz   int // sends per second, at most Hz
	Budget   int // bytes per second and peer, 29 a packet included; 0: none
	Interest Interest
	Log      *slog.Logger
}

// A Sink takes what one peer is sent; transport.Conn is one. A packet that was
// opened and given no datagram is not sent, and its number is not used again.
type Sink interface {
	Next() (seq uint64, room int)
	Datagram(b []byte)
	Reliable(b []byte) error
}

// Interest decides what peers see; nil means everyone sees everything.
type Interest interface {
	Reach(viewer Peer) float64
	Wants(viewer Peer, n Node, distance float64, had bool) bool
}

// A Call is an RPC that is to run on this machine now.
type Call struct {
	Node Node
	From Peer
	Tick Tick
	RPC  *RPCType
	Args []byte // as sent; parse with RPC.Args
}

// ---- Authority ----

type Spawn struct {
	Prefab    *PrefabType // nil: made from its items alone
	Args      []byte      // what the prefab's function is given, sent once
	Name      string      // of a load-time node
	Items     []*ItemType // in the order of their ordinals
	Parent    Node
	Owner     Peer
	Relevance Relevance
	Weight    float32 // 0 means 1
	Hz        uint8
	Transient bool
	Keep      bool
}

// Item names one item of one node on this core. It is valid until the item or
// its node is removed.
type Item uint32

func NewAuthority(c Config) (*Authority, error) { panic("draft") }

func (a *Authority) Spawn(s Spawn) (Node, error)                                      { panic("draft") }
func (a *Authority) Item(n Node, ordinal int) Item                                    { panic("draft") }
func (a *Authority) AddItem(n Node, t *ItemType) Item                                 { panic("draft") }
func (a *Authority) RemoveItem(n Node, it Item)                                       { panic("draft") }
func (a *Authority) Remove(n Node)                                                    { panic("draft") }
func (a *Authority) SetParent(n, parent Node) error                                   { panic("draft") }
func (a *Authority) Give(n Node, p Peer)                                              { panic("draft") }
func (a *Authority) Owner(n Node) Peer                                                { panic("draft") }
func (a *Authority) SetNode(n Node, r Relevance, weight float32, hz uint8, keep bool) { panic("draft") }
func (a *Authority) SetGroup(p Peer, g Audience, in bool)                             { panic("draft") }
func (a *Authority) SetNodeGroup(n Node, g Audience, in bool)                         { panic("draft") }

// Set extracts a component: called once a tick for every item that may have
// changed, before Stream. It compares with a shadow of the struct first.
func (a *Authority) Set(it Item, component unsafe.Pointer) (changed bool) { panic("draft") }
func (a *Authority) SetWords(it Item, words []int32) (changed bool)       { panic("draft") }

func (a *Authority) Connect(p Peer)                       { panic("draft") }
func (a *Authority) Disconnect(p Peer)                    { panic("draft") }
func (a *Authority) Observe(p Peer, points ...[2]float64) { panic("draft") }
func (a *Authority) Peers() []Peer                        { panic("draft") }

func (a *Authority) Call(n Node, rpc *RPCType, args []byte, from Peer) error   { panic("draft") }
func (a *Authority) CallPeer(n Node, rpc *RPCType, args []byte, to Peer) error { panic("draft") }

// A tick of the authority, in this order:
func (a *Authority) Receive(p Peer, seq uint64, at time.Duration, datagram []byte) error {
	panic("draft")
}
func (a *Authority) ReceiveMessage(p Peer, msg []byte) error { panic("draft") }
func (a *Authority) Step(t Tick)                             { panic("draft") }
func (a *Authority) Due(run func(Call))                      { panic("draft") }

// … game, then Set for every component, then, on sending ticks:
func (a *Authority) Stream(now time.Duration)                 { panic("draft") }
func (a *Authority) Schedule(now time.Duration)               { panic("draft") }
func (a *Authority) Encode(p Peer, now time.Duration, s Sink) { panic("draft") }

// ---- Proxy ----

func NewProxy(c Config, me Peer) (*Proxy, error)                             { panic("draft") }
func (c *Proxy) Receive(seq uint64, at time.Duration, datagram []byte) error { panic("draft") }
func (c *Proxy) ReceiveMessage(msg []byte) error                             { panic("draft") }
func (c *Proxy) Apply(now time.Duration, h ProxyHandler)                     { panic("draft") }
func (c *Proxy) Send(now time.Duration, s Sink)                              { panic("draft") }
func (c *Proxy) Newest() Tick                                                { panic("draft") }
func (c *Proxy) Call(n Node, rpc *RPCType, args []byte) error                { panic("draft") }
func (c *Proxy) Words(n Node, ordinal int) []int32                           { panic("draft") }
func (c *Proxy) Inject(n Node, ordinal int, component unsafe.Pointer)        { panic("draft") }
func (c *Proxy) Replica(n Node) (*Replica, bool)                             { panic("draft") }
func (c *Proxy) Replicas(yield func(*Replica) bool)                          { panic("draft") }

// A Replica is a node held by a proxy; fields are read-only for the adapter.
type Replica struct {
	ID     Node
	Prefab *PrefabType
	Args   []byte
	Name   string
	Items  []*ItemType // nil where an ordinal was removed
	Owner  Peer
	Parent Node
	Tick   Tick // of the newest state
	Entity any  // the adapter's
}

// ProxyHandler is told by Apply, in this order, what has happened.
type ProxyHandler interface {
	Arrived(r *Replica) // build it; parents first; state is loaded and may be injected
	Loaded(r *Replica)  // OnStreamIn, OnChange at stream in: after all Arrived of this Apply
	ItemAdded(r *Replica, ordinal int)
	ItemRemoved(r *Replica, ordinal int)
	Owned(r *Replica, old Peer)
	Parented(r *Replica, old Node)
	Changed(r *Replica, ordinal int, t Tick)  // state received: inject; once per item and Apply
	Advanced(r *Replica, ordinal int, t Tick) // predicted state moved on without a record: inject, no OnChange
	Run(c Call)
	Gone(r *Replica, t Tick, destroyed bool) // OnStreamOut; load-time nodes that are merely out of sight come with destroyed false
}

type (
	Authority struct{}
	Proxy     struct{}
)
