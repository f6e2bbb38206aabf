package ecs

// Replication: one donburi world kept in step with others.

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"unsafe"

	"github.com/yohamta/donburi"
	donburiecs "github.com/yohamta/donburi/ecs"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/ecs/internal/afterwards"
	"github.com/tendonengine/tendon/ecs/internal/binding"
	"github.com/tendonengine/tendon/ecs/internal/building"
	"github.com/tendonengine/tendon/ecs/internal/callbacks"
	"github.com/tendonengine/tendon/ecs/internal/donburix"
	"github.com/tendonengine/tendon/ecs/internal/drawing"
	"github.com/tendonengine/tendon/ecs/internal/extract"
	"github.com/tendonengine/tendon/ecs/internal/faults"
	"github.com/tendonengine/tendon/ecs/internal/line"
	"github.com/tendonengine/tendon/ecs/internal/loadtime"
	"github.com/tendonengine/tendon/ecs/internal/mistakes"
	"github.com/tendonengine/tendon/ecs/internal/nodes"
	"github.com/tendonengine/tendon/ecs/internal/own"
	"github.com/tendonengine/tendon/ecs/internal/places"
	"github.com/tendonengine/tendon/ecs/internal/rewind"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// Replication keeps one donburi world in step with others. It starts in single player;
// Host and Join change that. All its callbacks run inside Receive, Send and Close, on the
// game's goroutine (on the authority OnStreamOut and a node's last calls run inside
// World.Remove too). Like donburi, it is not safe for concurrent use: several sessions of
// one process share a goroutine.
type Replication struct {
	shared  shared
	systems [stageCount][]system

	nodes    nodes.Table      // entities, parts and trees
	home     sessionNode      // the session's own node
	loadTime loadtime.Nodes   // nodes that every machine makes by itself
	parts    partKeeper       // entities that share a node
	prefabs  building.Runner  // the functions that build nodes
	extract  extract.Reader   // the authority: components to the core
	proxies  proxies          // a client: the core to components
	items    binding.Keeper   // a client: which components those are
	draw     drawing.Keeper   // a client: what is drawn, and when
	calls    caller           // remote calls
	notify   callbacks.Queue  // callbacks about nodes
	hooks    hooks            // callbacks about the session
	seats    seating          // a server: peers
	groups   grouping         // who is in which group
	client   client           // a client: its connection
	commands commanding       // players' input
	predict  prediction       // a client: what its own commands do at once
	past     rewind.History   // where things were, and on a client what was drawn
	places   places.Keeper    // for questions about space
	own      own.Keeper       // what this machine decides, between its steps
	wakes    waking           // what waits for its tick
	audience []audienceChange // scratch of reportAudience
	line     line.Line        // the link, and the session's time
	putOff   afterwards.Queue // what waits for the end of Receive or Send
	schedule sendSchedule     // which steps send
	checks   mistakes.Checker // debug mode

	// Life.
	worlds    worlds
	begun     bool      // the world has started
	pending   []request // what the next Receive does first
	failure   error     // the error that OnEnd was last told, for Run
	nextHello []byte    // Config.Hello from the next Host or Join on
	key       [32]byte  // of which this machine's identity follows where its Dialer keeps none
	keys      transport.Keyring
}

// worlds is what the session knows of the worlds that it is in, one after the other.
type worlds struct {
	levels bool            // every level has a world of its own, filled by OnWorld
	filled bool            // OnWorld has filled this one
	room   donburix.Room   // in this world
	runner *donburiecs.ECS // whose systems call Receive, and whose World follows this session's; nil without one
}

// sessions leads from worlds to their sessions.
var sessions = donburix.NewAttachment[Replication]("SessionOf")

// New checks the protocol and the configuration and attaches a session to a world, which
// may be nil if OnWorld makes the worlds. The error joins every mistake in the protocol
// and the configuration. A world can have one session only.
func New(w donburi.World, p *Protocol, c Config) (*Replication, error) {
	c, err := c.checked()
	switch {
	case p == nil || p.schema == nil:
		err = errors.Join(errors.New("tendon: New without a protocol: give it what NewProtocol returned"), err)
	case c.stepsAllowed(): // the protocol is compiled for this step rate
		err = errors.Join(p.open(c.Steps), err)
	}
	if err != nil {
		return nil, err
	}
	if Of(w) != nil {
		return nil, errors.New("tendon: the world has a session already: make a world for each")
	}
	r := &Replication{
		nextHello: c.Hello,
		shared: shared{
			Base: nodes.Base{
				Kinds: &p.kinds, Steps: c.Steps, Debug: c.Debug, Remove: c.Remove, Faults: faults.New(c.Log, c.Debug),
				StandIns: make([]unsafe.Pointer, len(p.kinds.Components)),
			},
			config: c, protocol: p,
		},
		key: newKey(), worlds: worlds{levels: w == nil},
	}
	r.connect()
	if err := r.past.Begin(c.Rewind, c.RewindOnly); err != nil {
		return nil, err
	}
	r.commands.bind(r.calls.handlers)
	if w == nil {
		w = donburi.NewWorld()
	}
	if err := r.becomeAuthority(); err != nil {
		return nil, err
	}
	r.attach(w)
	if c.Debug {
		r.After(Receive, "debug: what was received", func(r *Replication) { r.checks.Remember() })
		r.After(Extract, "debug: what was written", func(r *Replication) { r.checks.Check() })
	}
	return r, nil
}

// Of returns the Replication of a world, nil if it has none. It is for systems that are
// given nothing but the world.
func Of(w donburi.World) *Replication {
	if w == nil {
		return nil
	}
	return sessions.Of(w)
}

// of returns the Replication of an entry's world, nil if there is none.
func of(e *donburi.Entry) *Replication {
	if e == nil || e.World == nil { // a zero Entry has no world
		return nil
	}
	return Of(e.World)
}

// World returns the world of the level in progress.
func (r *Replication) World() donburi.World {
	mustBeMade("World", r)
	return r.shared.World
}

// Me returns this machine's peer number; 0 on a dedicated server, and from the Receive after
// Join until this machine has joined.
func (r *Replication) Me() rpl.Peer { return r.shared.Me }

// Steps returns how many fixed steps a second the session makes, as Config says.
func (r *Replication) Steps() int { return r.shared.config.Steps }

// Tick returns the step in progress, from 1; in a command's Sample and Apply, the
// command's tick, also of a replay. On a client it follows the server's newest
// tick: it never goes back, and may stay or leap when the connection does. The last tick
// is rpl.MaxTick, 414 days at 60 steps a second; after it nothing can be hosted any more.
// The log warns 26 days before, and OnEnd reports it.
func (r *Replication) Tick() rpl.Tick {
	mustBeMade("Tick", r)
	if t := r.commands.playing; t != 0 {
		return t
	}
	return r.shared.Tick
}

// PredictedTick returns the tick of the state that this client predicts; it is ahead of Tick. Draw shows what
// is left of a cooldown as Ready - PredictedTick, where a rule has put the tick Ready into a predicted
// component. From Receive to the commands' Run it is the tick that they are about to run, if this step has
// one. It equals Tick in a rule, on an authority, and on a client that predicts nothing.
func (r *Replication) PredictedTick() rpl.Tick {
	if len(r.predict.all) > 0 && r.commands.playing == 0 {
		return rpl.Tick(r.commands.lead.Tick())
	}
	return r.Tick()
}

// Peers returns the peers that have joined in this level, in order of their numbers,
// including this machine's player and lost peers. On a client it returns only the
// client's own.
func (r *Replication) Peers() iter.Seq[rpl.Peer] {
	var ps []rpl.Peer
	if r.shared.Me != 0 {
		ps = append(ps, r.shared.Me)
	}
	for _, s := range r.seats.all {
		if s.joined {
			ps = append(ps, s.peer)
		}
	}
	return slices.Values(ps)
}

// Hello returns the peer's Config.Hello: a name, a chosen colour. A client knows only its
// own. The bytes are the session's: read them only.
func (r *Replication) Hello(p rpl.Peer) []byte {
	if p == r.shared.Me && p != 0 {
		return r.shared.config.Hello
	}
	if s := r.seats.seatOf(p); s != nil {
		return s.hello
	}
	return nil
}

// SetHello gives the next Join or Host another Config.Hello, such as the name that was typed in a menu. It
// returns an error, and changes nothing, for more than 512 bytes.
func (r *Replication) SetHello(hello []byte) error {
	mustBeMade("SetHello", r)
	mine, err := helloOf(hello)
	if err == nil {
		r.nextHello = mine
	}
	return err
}

// Identity returns who a peer has proven to be, on the authority: it stays the same when the
// player comes back another day, so games ban and save by it. It is empty for this machine's
// own player, for a peer that is not there, and on clients.
func (r *Replication) Identity(p rpl.Peer) transport.Identity {
	if s := r.seats.seatOf(p); s != nil {
		return s.id
	}
	return ""
}

// Find returns the entity of a node in this machine's world. It returns false if the node
// is not here, or has gone and is only drawn still.
func (r *Replication) Find(id rpl.Node) (*donburi.Entry, bool) {
	mustBeMade("Find", r)
	n := r.nodes.ByID[id]
	if n == nil || n.Leaving || !r.shared.World.Valid(n.Entity) {
		return nil, false
	}
	return r.shared.World.Entry(n.Entity), true
}

// Create makes an entity with these components, and makes it a node at once, on the
// authority. It panics on a client, inside a prefab's function, for a nil component and
// one that is given twice, and for more than the 64 replicated components that a node may
// have. Inside an iteration over nodes with exactly these components it never returns,
// because donburi has locked them.
func (r *Replication) Create(cs ...donburi.IComponentType) *donburi.Entry {
	mustBeMade("Create", r)
	r.prefabs.MustNotRun("Create is called")
	if r.shared.Auth == nil {
		panic("tendon: Create on a client: only the authority makes nodes (ask rep.IsAuthority)")
	}
	for _, c := range cs {
		mustBeGiven("Create", c)
	}
	if n := r.shared.protocol.kinds.Count(cs); n > rpl.MaxItems {
		panic(fmt.Sprintf("tendon: Create with %d replicated components, at most %d: split the node into parent and children", n, rpl.MaxItems))
	}
	e := r.shared.World.Entry(donburix.Create(r.shared.World, nodes.WithNode(cs)...))
	r.extract.MakeNode(e, nodes.Origin{})
	return r.shared.World.Entry(e.Entity())
}

// attach makes w the session's world, and the former world an ordinary one.
func (r *Replication) attach(w donburi.World) {
	old, was := r.shared.World, r.nodes.Session
	r.shared.World, r.nodes.World = w, w
	if r.worlds.runner != nil {
		r.worlds.runner.World = w
	}
	clear(r.nodes.Slots)
	r.loadTime.Clear()
	clear(r.nodes.Parts)
	r.extract.Clear()
	r.seats.observers.Clear()
	r.places.Clear()
	r.wakes.all.Clear()
	r.own.Clear()
	r.worlds.room = donburix.Room{}
	r.worlds.room.Make(w)
	e := w.Entry(donburix.Create(w, nodes.WithNode([]donburi.IComponentType{sessionType})...))
	sessions.Set(w, r)
	if r.shared.Auth == nil {
		donburix.Add(e, components.Proxy)
	}
	if was != nil {
		defer func() {
			old.Remove(was.Entity)
			sessions.Set(old, nil)
		}()
	}
	r.home.attachSession(e, old)
	w.OnCreate(func(w donburi.World, e donburi.Entity) {
		if w == r.shared.World {
			r.worlds.room.Make(w)
			r.prefabs.Made(e)
		}
	})
	w.OnRemove(func(w donburi.World, e donburi.Entity) {
		if w == r.shared.World {
			r.entityRemoved(e)
		}
	})
}
