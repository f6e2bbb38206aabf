package ecs

// Replication: one donburi world kept in step with others.

import (
	"errors"
	"fmt"
	"iter"
	"slices"
	"time"
	"unsafe"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/components"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport"
)

// Replication keeps one donburi world in step with others. It starts in single
// player; Host and Join change that. All its callbacks run inside Receive, Send and
// Close, on the game's goroutine (on the authority OnStreamOut runs inside World.Remove
// too). It is not safe for concurrent use, and neither is
// donburi: several sessions of one process share a goroutine.
type Replication struct {
	config   Config
	protocol *Protocol
	systems  [stageCount][]system
	counters map[string]*uint64
	hooks    callbacks

	// The world and what is in it.
	world     donburi.World
	levels    bool // worlds are made by OnWorld, one for each level
	filled    bool // OnWorld has filled this one
	session   *node
	slots     []slot // by entity id
	byID      map[rpl.Node]*node
	named     map[string]donburi.Entity
	destroyed map[string]bool                     // load-time nodes that this world was made with and has no more
	parts     map[donburi.Entity][]donburi.Entity // made by Part, before their node is one
	standing  map[string]standing                 // of load-time nodes, when they last ended
	shapes    map[string][]place                  // of load-time nodes, what they were built with
	shapeless []string                            // of those that are being built
	listed    listed                              // what makeRoom has done in this world
	saved     []savedComponent                    // what the session carried, until this machine is alone again
	regrouped bool                                // a part may be another node's than at the last look, or no one's
	builds    map[*prefab]*builder
	building  *prefab // whose function is running

	// Calls.
	handlers          map[*rpl.RPCType]func(c Call, args []byte, handOn func()) error
	calls, spareCalls []localCall
	joining           bool          // Join was called; it takes effect at the next Receive
	waiting           []waitingCall // on the session that is being joined
	asking            membership    // of groups, there

	// Callbacks that wait for the end of a batch.
	events []event
	batch  uint32
	turns  int

	// Life.
	begun      bool
	inside     bool      // of Receive, Send, Close or a removal
	pending    []request // what the next Receive begins with
	afterwards []func()  // what the Receive or Send in progress ends with
	sending    bool      // this step sends
	ended      error     // what the link has told, until the game is told
	failure    error     // what the game was told last, for Run
	me         rpl.Peer
	key        clientKey // what this machine is known by when it joins again
	tick       rpl.Tick
	level      string
	epoch      uint8 // counts levels

	link     transport.Link
	linkRead transport.Counters // of the link, as far as they are counted here
	linkBase time.Duration      // what turns the link's clock into the session's
	timeBase time.Duration      // the session's time without a link, at timeTick
	timeTick rpl.Tick

	// Exactly one of the two is in use; a client that is not in yet has none.
	auth  *rpl.Authority
	proxy *rpl.Proxy
	authority
	client

	reported map[string]bool                 // what debug mode has logged
	looked   map[donburi.IComponentType]bool // … and the components that it has looked for tags at
	carried  map[*component]bool             // … and those that a node has had

	// Scratch.
	standIns  []unsafe.Pointer // by component.order
	words     []int32
	confirmed []int32
	vars      []any
	seen      sightings
}

// A slot is the node that an entity is, or is a part of.
type slot struct {
	entity donburi.Entity
	node   *node
	plan   uint32 // on the authority, where its components stand, as far as is known …
	row    uint32 // … and in which row
}

// New checks the protocol and attaches to a world, which may be nil where
// OnWorld makes the worlds. The error joins every mistake in the protocol and
// the configuration.
func New(w donburi.World, p *Protocol, c Config) (*Replication, error) {
	c, err := c.checked()
	switch {
	case p == nil:
		err = errors.Join(errors.New("tendon: New without a protocol: give it what NewProtocol returned"), err)
	case c.stepsAllowed(): // it is compiled for them
		err = errors.Join(p.open(c.Steps), err)
	}
	if err != nil {
		return nil, err
	}
	if Of(w) != nil {
		return nil, errors.New("tendon: the world has a session already: make a world for each")
	}
	r := &Replication{
		config: c, protocol: p, key: newClientKey(),
		counters:  map[string]*uint64{},
		byID:      map[rpl.Node]*node{},
		named:     map[string]donburi.Entity{},
		destroyed: map[string]bool{},
		standing:  map[string]standing{},
		shapes:    map[string][]place{},
		parts:     map[donburi.Entity][]donburi.Entity{},
		builds:    map[*prefab]*builder{},
		handlers:  map[*rpl.RPCType]func(Call, []byte, func()) error{},
		standIns:  make([]unsafe.Pointer, len(p.components)),
		levels:    w == nil,
	}
	if w == nil {
		w = donburi.NewWorld()
	}
	if err := r.becomeAuthority(); err != nil {
		return nil, err
	}
	r.attach(w)
	if c.Debug {
		r.debug()
	}
	return r, nil
}

// sessionType tells the session's entity from those of the game.
var sessionType = donburi.NewTag("Session")

// Of finds the Replication of a world, for systems that are given nothing
// else; nil where there is none.
func Of(w donburi.World) *Replication {
	if w == nil {
		return nil
	}
	return sessionIn(w)
}

// of finds the Replication of an entry, nil where there is none.
func of(e *donburi.Entry) *Replication {
	if e == nil {
		return nil
	}
	return Of(e.World)
}

// World is the world of the level in progress.
func (r *Replication) World() donburi.World { return r.world }

// Session is the session itself as a node: for what belongs to no entity. It
// is always relevant, owned by nobody, and lives through levels with what it
// carries: a component added to it on the authority is replicated. While this machine is in
// another's session it carries only what that session's server has put there; what it carried
// before is back when this machine is alone again. Ask for it anew after each Load, and set
// the references in its components anew, in OnStart: they refer to entities of the world
// before. It cannot be removed, given or attached.
func (r *Replication) Session() *donburi.Entry { return r.world.Entry(r.session.entity) }

// Me is this machine's peer; 0 on a dedicated server and until joined.
func (r *Replication) Me() rpl.Peer { return r.me }

// Steps is how many fixed steps a second the session makes, as Config says.
func (r *Replication) Steps() int { return r.config.Steps }

// Tick is the step in progress, from 1. On a client it follows the server's
// newest: it never goes back, and may stay or leap when the connection does. It is at
// most rpl.MaxTick, at 60 steps a second 414 days, after which nothing is hosted any
// more: the log warns 26 days before, and OnEnd tells of it.
func (r *Replication) Tick() rpl.Tick { return r.tick }

// Peers are those that have joined in this level, this machine's player and lost peers
// included, in order of their numbers. On a client there is only its own.
func (r *Replication) Peers() iter.Seq[rpl.Peer] {
	var ps []rpl.Peer
	if r.me != 0 {
		ps = append(ps, r.me)
	}
	for _, s := range r.seats {
		if s.joined {
			ps = append(ps, s.peer)
		}
	}
	return slices.Values(ps)
}

// Hello is what the peer's Config said: a name, a chosen colour. A client
// knows only its own.
func (r *Replication) Hello(p rpl.Peer) []byte {
	if p == r.me && p != 0 {
		return r.config.Hello
	}
	if s := r.seatOf(p); s != nil {
		return s.hello
	}
	return nil
}

// Find is the entity of a node, in this machine's world; false where it is not here,
// or has gone and is only drawn still.
func (r *Replication) Find(id rpl.Node) (*donburi.Entry, bool) {
	n := r.byID[id]
	if n == nil || n.leaving || !r.world.Valid(n.entity) {
		return nil, false
	}
	return r.world.Entry(n.entity), true
}

// Create makes an entity with these components a node, on the authority; it
// panics elsewhere, and for more replicated ones than the 64 of a node. Inside an
// iteration over nodes with exactly these components it never returns: donburi has locked
// them.
func (r *Replication) Create(cs ...donburi.IComponentType) *donburi.Entry {
	if r.building != nil {
		r.misplaced("Create is called")
	}
	if r.auth == nil {
		panic("tendon: Create on a client: only the authority makes nodes (ask rep.IsAuthority)")
	}
	if n := r.protocol.items(cs); n > rpl.MaxItems {
		panic(fmt.Sprintf("tendon: Create with %d replicated components, at most %d: split the node into parent and children", n, rpl.MaxItems))
	}
	e := r.world.Entry(create(r.world, withNode(cs)...))
	r.makeNode(e, origin{})
	return r.world.Entry(e.Entity())
}

// now is the session's time: the link's clock where there is one, else ticks.
// It does not go back when one takes over from the other.
func (r *Replication) now() time.Duration {
	if r.link != nil {
		return r.linkBase + r.link.Now()
	}
	return r.timeBase + time.Duration(r.tick-r.timeTick)*r.config.step()
}

// refs lets the core translate references between entities and nodes.
func (r *Replication) refs() rpl.Refs { return (*refs)(r) }

type refs Replication

var _ rpl.Refs = (*refs)(nil)

func (r *refs) NodeOf(e uint64) rpl.Node {
	if n := (*Replication)(r).nodeOf(donburi.Entity(e)); n != nil && !n.leaving {
		return n.id
	}
	return 0
}

func (r *refs) EntityOf(id rpl.Node) uint64 {
	if n := r.byID[id]; n != nil && !n.leaving {
		return uint64(n.entity)
	}
	return 0
}

// attach makes a world the session's, and the one before a world like any
// other.
func (r *Replication) attach(w donburi.World) {
	old, was := r.world, r.session
	r.world = w
	clear(r.slots)
	clear(r.named)
	clear(r.destroyed)
	clear(r.standing)
	clear(r.shapes)
	r.shapeless = nil
	clear(r.parts)
	clear(r.unmade)
	for i := range r.plans {
		for _, c := range r.plans[i].columns {
			r.auth.FreeColumn(c.items)
		}
	}
	r.plans = nil
	r.listed = listed{}
	r.makeRoom()
	e := w.Entry(create(w, withNode([]donburi.IComponentType{sessionType})...))
	setSession(w, r)
	if r.auth == nil {
		add(e, components.Proxy)
	}
	if was != nil {
		defer func() {
			old.Remove(was.entity)
			setSession(old, nil)
		}()
	}
	r.attachSession(e, old)
	w.OnCreate(func(w donburi.World, _ donburi.Entity) {
		if w == r.world {
			r.makeRoom()
		}
	})
	w.OnRemove(func(w donburi.World, e donburi.Entity) {
		if w == r.world {
			r.entityRemoved(e)
		}
	})
}

func (r *Replication) report(what string, err error) {
	if err != nil {
		*r.Counter(what)++
		r.config.Log.Warn(what, "err", fmt.Sprint(err))
	}
}

// refuse counts what another machine has sent and should not have, or a game has done. It
// logs the first, the second, the fourth …: nobody fills a disk from afar, nor a rule that
// does it in every step.
func (r *Replication) refuse(what string, err error) {
	if err == nil {
		return
	}
	n := r.Counter(what)
	if *n++; *n&(*n-1) == 0 {
		r.config.Log.Warn(what, "times", *n, "err", fmt.Sprint(err))
	}
}
