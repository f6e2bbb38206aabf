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

// Replication keeps one donburi world in step with others. It starts in single player;
// Host and Join change that. All its callbacks run inside Receive, Send and Close, on the
// game's goroutine (on the authority OnStreamOut and a node's last calls run inside
// World.Remove too). Like donburi, it is not safe for concurrent use: several sessions of
// one process share a goroutine.
type Replication struct {
	config   Config
	protocol *Protocol
	systems  [stageCount][]system
	counters map[string]*uint64
	hooks    callbacks

	// The world and what is in it.
	world     donburi.World
	levels    bool // every level has a world of its own, filled by OnWorld
	filled    bool // OnWorld has filled this one
	session   *node
	slots     []slot // by entity id
	byID      map[rpl.Node]*node
	named     map[string]donburi.Entity
	nameBook  *nameBook                           // nil: a name has come or gone since
	destroyed map[string]bool                     // load-time nodes that this world was made with and that were destroyed
	parts     map[donburi.Entity][]donburi.Entity // by the entity that they are parts of, until that is a node
	standing  map[string]standing                 // by name: load-time nodes as they stood when they last ended
	shapes    map[string][]place                  // by name: what load-time nodes were built with
	shaping   []string                            // names of load-time nodes that are still being built
	listed    listed                              // the room that makeRoom has made in this world
	saved     []savedComponent                    // the session's components, put away until this machine is alone again
	regrouped bool                                // a part may have changed its node, or lost it, since the last look
	builds    map[*prefab]*builder
	building  *prefab          // whose function is running
	beside    []donburi.Entity // in debug mode: what that function has made

	// Calls.
	handlers          map[*rpl.RPCType]func(c Call, args []byte, handOn func()) error
	calls, spareCalls []localCall
	round             uint64        // counts the lists that calls has been, from 1
	joining           bool          // Join was called; it takes effect at the next Receive
	waiting           []waitingCall // calls on the session that is being joined
	asking            membership    // group requests to the session that is being joined

	// Callbacks that wait for the end of a batch.
	events      []event
	spareEvents []event // room for the next batch
	batch       uint32
	turns       int

	// Life.
	begun      bool
	inside     bool      // Receive, Send, Close or a removal is in progress
	pending    []request // what the next Receive does first
	afterwards []func()  // what the Receive or Send in progress does last
	sending    bool      // this step sends
	ended      error     // why the link has ended, until the game is told
	failure    error     // the error that OnEnd was last told, for Run
	me         rpl.Peer
	key        clientKey // identifies this machine when it joins again
	tick       rpl.Tick
	level      string
	epoch      uint32 // counts levels; messages carry its low byte

	link     transport.Link
	linkRead transport.Counters // the link's counters when they were last read
	linkBase time.Duration      // the session's time minus the link's
	timeBase time.Duration      // the session's time without a link, at timeTick
	timeTick rpl.Tick

	// At most one of the two is set; both are nil on a client that has not been let in
	// yet.
	auth  *rpl.Authority
	proxy *rpl.Proxy
	authority
	client

	reported map[string]bool                 // the mistakes that debug mode has logged
	looked   map[donburi.IComponentType]bool // component types that debug mode has searched for tags
	carried  map[*component]bool             // replicated components that some node has had, in debug mode

	// Scratch.
	standIns  []unsafe.Pointer // by component.order
	olds      []unsafe.Pointer // by component.order: room for what OnChange is given as old; nil while it is in use
	words     []int32
	confirmed []int32
	vars      []any
	seen      sightings
}

// A slot is one entity and the node that it is, or is a part of.
type slot struct {
	entity donburi.Entity
	node   *node
	plan   uint32 // on the authority: the plan in which the components last stood …
	row    uint32 // … and in which row
}

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
		config: c, protocol: p, key: newClientKey(), round: 1,
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
		olds:      make([]unsafe.Pointer, len(p.components)),
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

// Of returns the Replication of a world, nil if it has none. It is for systems that are
// given nothing but the world.
func Of(w donburi.World) *Replication {
	if w == nil {
		return nil
	}
	return sessionIn(w)
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
	return r.world
}

// Me returns this machine's peer number; 0 on a dedicated server and until this machine
// has joined.
func (r *Replication) Me() rpl.Peer { return r.me }

// Steps returns how many fixed steps a second the session makes, as Config says.
func (r *Replication) Steps() int { return r.config.Steps }

// Tick returns the step in progress, from 1. On a client it follows the server's newest
// tick: it never goes back, and may stay or leap when the connection does. The last tick
// is rpl.MaxTick, 414 days at 60 steps a second; after it nothing can be hosted any more.
// The log warns 26 days before, and OnEnd reports it.
func (r *Replication) Tick() rpl.Tick { return r.tick }

// Peers returns the peers that have joined in this level, in order of their numbers,
// including this machine's player and lost peers. On a client it returns only the
// client's own.
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

// Hello returns the peer's Config.Hello: a name, a chosen colour. A client knows only its
// own. The bytes are the session's: read them only.
func (r *Replication) Hello(p rpl.Peer) []byte {
	if p == r.me && p != 0 {
		return r.config.Hello
	}
	if s := r.seatOf(p); s != nil {
		return s.hello
	}
	return nil
}

// Find returns the entity of a node in this machine's world. It returns false if the node
// is not here, or has gone and is only drawn still.
func (r *Replication) Find(id rpl.Node) (*donburi.Entry, bool) {
	n := r.byID[id]
	if n == nil || n.leaving || !r.world.Valid(n.entity) {
		return nil, false
	}
	return r.world.Entry(n.entity), true
}

// Create makes an entity with these components, and makes it a node at once, on the
// authority. It panics on a client, inside a prefab's function, for a nil component and
// one that is given twice, and for more than the 64 replicated components that a node may
// have. Inside an iteration over nodes with exactly these components it never returns,
// because donburi has locked them.
func (r *Replication) Create(cs ...donburi.IComponentType) *donburi.Entry {
	mustBeMade("Create", r)
	if r.building != nil {
		r.misplaced("Create is called")
	}
	if r.auth == nil {
		panic("tendon: Create on a client: only the authority makes nodes (ask rep.IsAuthority)")
	}
	for _, c := range cs {
		mustBeGiven("Create", c)
	}
	if n := r.protocol.items(cs); n > rpl.MaxItems {
		panic(fmt.Sprintf("tendon: Create with %d replicated components, at most %d: split the node into parent and children", n, rpl.MaxItems))
	}
	e := r.world.Entry(create(r.world, withNode(cs)...))
	r.makeNode(e, origin{})
	return r.world.Entry(e.Entity())
}

// now returns the session's time: the link's clock if there is a link, else the time of
// the ticks. It does not go back when one takes over from the other.
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

// attach makes w the session's world, and the former world an ordinary one.
func (r *Replication) attach(w donburi.World) {
	old, was := r.world, r.session
	r.world = w
	clear(r.slots)
	clear(r.named)
	clear(r.destroyed)
	r.nameBook = nil
	clear(r.standing)
	clear(r.shapes)
	r.shaping = nil
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
	w.OnCreate(func(w donburi.World, e donburi.Entity) {
		if w == r.world {
			r.makeRoom()
			r.noteBeside(e)
		}
	})
	w.OnRemove(func(w donburi.World, e donburi.Entity) {
		if w == r.world {
			r.entityRemoved(e)
		}
	})
}
