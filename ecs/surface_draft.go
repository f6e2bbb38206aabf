package ecs

// DRAFT of the exported surface: signatures here are what to code against; the
// bodies come, each in a file of its own.

import (
	"context"
	"iter"
	"log/slog"
	"time"

	"github.com/yohamta/donburi"
	donburiecs "github.com/yohamta/donburi/ecs"
	"github.com/yohamta/donburi/filter"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// Authority is IsAuthority as a filter; Drawn leaves out what is not to be
// drawn now.
var (
	Authority filter.LayoutFilter = filter.Not(filter.Contains(components.Proxy))
	Drawn     filter.LayoutFilter = filter.Not(filter.Contains(components.Hidden))
)

// None is the argument of what needs none.
type None = struct{}

type Protocol struct{ schema *rpl.Schema }

func NewProtocol(name string) *Protocol { panic("draft") }

func Replicate[T any](p *Protocol, name string, c *donburi.ComponentType[T], tags ...rpl.Tags) *donburi.ComponentType[T] {
	return c
}

func ReplicateAs[T, W any](p *Protocol, name string, c *donburi.ComponentType[T],
	get func(e *donburi.Entry, c *T) W, set func(e *donburi.Entry, c *T, w W),
) *donburi.ComponentType[T] {
	return c
}

type Prefab[A any] struct{ _ *A }

func NewPrefab[A any](p *Protocol, name string, build func(w donburi.World, a A) *donburi.Entry, node ...components.NodeData) *Prefab[A] {
	panic("draft")
}
func (f *Prefab[A]) Spawn(w donburi.World, a A) *donburi.Entry { panic("draft") }
func (f *Prefab[A]) Adopt(e *donburi.Entry, a A)               { panic("draft") }
func (f *Prefab[A]) Build(r *Replication, build func(w donburi.World, a A) *donburi.Entry) {
	panic("draft")
}

// Call is the context of a handler.
type Call struct {
	Entry *donburi.Entry // the node
	From  rpl.Peer       // who sent it
	Tick  rpl.Tick       // the step it belongs to
}

type RPC[A any] struct{ _ *A }

func NewRPC[A any](p *Protocol, name string, to rpl.Target, lane rpl.Lane) *RPC[A] { panic("draft") }
func (c *RPC[A]) FromAnyone() *RPC[A]                                              { panic("draft") } // any client may call it on a node it does not own
func (c *RPC[A]) Handle(r *Replication, fn func(c Call, a A))                      { panic("draft") }
func (c *RPC[A]) Send(e *donburi.Entry, a A) error                                 { panic("draft") }
func (c *RPC[A]) SendTo(e *donburi.Entry, to rpl.Peer, a A) error                  { panic("draft") } // on the authority: runs on one peer

func Attach(child, parent *donburi.Entry) error                            { panic("draft") }
func Bump(e *donburi.Entry, c donburi.IComponentType)                      { panic("draft") }
func Give(e *donburi.Entry, to rpl.Peer)                                   { panic("draft") }
func IsAuthority(e *donburi.Entry) bool                                    { panic("draft") }
func IsOwner(e *donburi.Entry) bool                                        { panic("draft") }
func Owner(e *donburi.Entry) rpl.Peer                                      { panic("draft") }
func ID(e *donburi.Entry) rpl.Node                                         { panic("draft") }
func Named(e *donburi.Entry, name string)                                  { panic("draft") }
func Part(node, part *donburi.Entry)                                       { panic("draft") }
func Mine(r *Replication, c donburi.IComponentType) (*donburi.Entry, bool) { panic("draft") }
func View[T any](e *donburi.Entry, c *donburi.ComponentType[T]) T          { panic("draft") }
func OnChange[T any](r *Replication, c *donburi.ComponentType[T], fn func(e *donburi.Entry, old T)) {
	panic("draft")
}

type Config struct {
	Interest  rpl.Interest         // nil: everyone sees everything
	Steps     int                  // per second; 0 means 60
	Sends     int                  // per second; 0 means 30
	Budget    int                  // bytes per second and peer; 0 means 256 KiB
	MaxPeers  int                  // the host's own player counted; 0 means the transport's limit
	Dedicated bool                 // a server without a player of its own
	Hello     []byte               // what the server reads with Hello(peer)
	Remove    func(*donburi.Entry) // how a proxy's entity is taken away; nil: World.Remove
	Log       *slog.Logger
}

// Mode is how a session runs now. Game logic asks roles, not modes.
type Mode uint8

const (
	Single    Mode = iota // alone
	Listen                // hosts, with a player of its own
	Dedicated             // hosts, or will, without a player
	Client                // has joined another's session, or is joining
)

func (m Mode) String() string { return "draft" }

// Stats are the figures of one connection.
type Stats struct {
	RTT, ViewDelay    time.Duration
	Loss              float64         // 0…1, of what this machine sends
	BytesOut, BytesIn int             // per second
	Conn              transport.Stats // totals, addresses and the transport's name
}

// Stage is a place in the life of a tick.
type Stage uint8

const (
	Receive Stage = iota
	Extract
	Stream
	Schedule
	Encode
	Send
)

// A Plugin hangs systems and counters on a session.
type Plugin interface{ Plug(r *Replication) }

type Replication struct{ _ int }

func New(w donburi.World, p *Protocol, c Config) (*Replication, error) { panic("draft") }
func Of(w donburi.World) *Replication                                  { panic("draft") }

func (r *Replication) Alone() bool                                        { panic("draft") }
func (r *Replication) IsAuthority() bool                                  { panic("draft") }
func (r *Replication) Mode() Mode                                         { panic("draft") }
func (r *Replication) Me() rpl.Peer                                       { panic("draft") }
func (r *Replication) Tick() rpl.Tick                                     { panic("draft") }
func (r *Replication) World() donburi.World                               { panic("draft") }
func (r *Replication) Session() *donburi.Entry                            { panic("draft") }
func (r *Replication) Peers() iter.Seq[rpl.Peer]                          { panic("draft") }
func (r *Replication) Hello(p rpl.Peer) []byte                            { panic("draft") }
func (r *Replication) Stats(p rpl.Peer) Stats                             { panic("draft") }
func (r *Replication) Find(id rpl.Node) (*donburi.Entry, bool)            { panic("draft") }
func (r *Replication) Create(cs ...donburi.IComponentType) *donburi.Entry { panic("draft") }

func (r *Replication) Host(l transport.Listener)      { panic("draft") }
func (r *Replication) Join(d transport.Dialer)        { panic("draft") }
func (r *Replication) Load(name string)               { panic("draft") }
func (r *Replication) Kick(p rpl.Peer, reason string) { panic("draft") }
func (r *Replication) Close(reason string)            { panic("draft") }

func (r *Replication) Receive()                                               { panic("draft") }
func (r *Replication) Send()                                                  { panic("draft") }
func (r *Replication) Frame()                                                 { panic("draft") }
func (r *Replication) Run(ctx context.Context, step func(*Replication)) error { panic("draft") }

func (r *Replication) OnWorld(fn func(w donburi.World, name string))                  { panic("draft") }
func (r *Replication) OnStart(fn func())                                              { panic("draft") }
func (r *Replication) OnJoin(fn func(p rpl.Peer))                                     { panic("draft") }
func (r *Replication) OnLeave(fn func(p rpl.Peer))                                    { panic("draft") }
func (r *Replication) OnEnd(fn func(err error))                                       { panic("draft") }
func (r *Replication) OnStreamIn(c donburi.IComponentType, fn func(e *donburi.Entry)) { panic("draft") }
func (r *Replication) OnStreamOut(c donburi.IComponentType, fn func(e *donburi.Entry, destroyed bool)) {
	panic("draft")
}

func (r *Replication) Use(p Plugin)                                       { panic("draft") }
func (r *Replication) After(s Stage, name string, run func(*Replication)) { panic("draft") } // hangs a system behind a stage
func (r *Replication) Systems() iter.Seq[string]                          { panic("draft") } // their names in order
func (r *Replication) Counters() iter.Seq2[string, uint64]                { panic("draft") }
func (r *Replication) Counter(name string) *uint64                        { panic("draft") }

// The session as systems and a renderer of donburi/ecs.
func ReceiveSystem(r *Replication) donburiecs.System                    { panic("draft") }
func SendSystem(r *Replication) donburiecs.System                       { panic("draft") }
func FrameRenderer[T any](r *Replication) donburiecs.RendererWithArg[T] { panic("draft") }
