package rpl

import (
	"fmt"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
	"github.com/tendonengine/tendon/rpl/schema"
)

// An Authority is the core of the machine that decides: it keeps the nodes and sends
// every peer what it may see of them. It starts no goroutine and reads no clock. All
// methods except Encode must be called from one goroutine.
//
// A tick: Receive and ReceiveMessage for what came, Step, Due, the game's step, Set for
// every item that may have changed; then, if this tick sends, Stream, Schedule, and
// Encode for every peer, which together are one send.
type Authority struct {
	cfg AuthorityConfig
	times
	nodeStore
	walking
	relevancy
	coders
	planning
	calling
	accounts

	peers []*peer
	byID  roster
}

// times say where in its session the core is.
type times struct {
	tick       Tick
	send       uint32 // counts the calls of Stream
	round      uint32 // marks nodes as on the active list; counted up at the end of Schedule
	moves      uint32 // stamps grid cells in which a node moved; counted up at the end of Stream
	now        time.Duration
	sendPeriod time.Duration
	aged       bool // the warning that the ticks run out has been logged
}

// A nodeStore holds the nodes and their state (store.go).
type nodeStore struct {
	types   []*rowtype.Type
	typesOf [][]*rowtype.Type // by item type

	nodes       []node
	freeSlots   []uint32
	layouts     map[string]*wire.NodeLayout
	numbered    []*wire.NodeLayout // by number: the newest layout that has it
	freeLayouts []uint32           // layout numbers to use again, the lowest last
	editions    uint32             // how many layouts there have been
	items       []item
	hots        []hot        // by item
	freeItems   [][]itemSlot // by item type
	shadows     [][]byte     // by item type
	rows        []row
	slabs       []slab // by row type

	active   []uint32 // slots of nodes that changed since the last send
	drifting []uint32 // rows that change by themselves, as their velocity is not zero

	scratch     []int32 // one item's words …
	scratchVars []any   // … and its variable-length values
	course      []int32 // holds the result of versionAt
	told        []int32 // holds the result of known
}

// walking is the state of reading components by columns (column.go, walk.go).
type walking struct {
	columns   []*Column
	places    []place  // by item type
	off       []offRow // rows that the walk found off their predicted course
	strays    []uint32 // slots of moved nodes that the walk leaves to settleStrays
	catching  bool     // catchUp is running
	leeway    float64  // the grid's slack
	unstamped bool     // SetColumn moved nodes in this tick without stamping their cells …
	looks     bool     // … which it may not do while this is set: a peer looked for stamps in the last Stream
}

// relevancy is the state of deciding which peer holds which node (relevancy.go,
// look.go, groups.go).
type relevancy struct {
	spots     []spot // by slot
	grid      *grid
	views     *views      // observers of the peer that is looking now
	judged    []uint32    // slots of trees whose relevance Stream must judge again
	grouped   wire.Bitset // slots of nodes whose Relevance is Grouped
	concerned wire.Bitset // peers that hold or own a node of the tree that is being judged

	conditions  [schema.MaxGroups]func(Peer) bool
	conditional bool
	onDecide    func(Peer, Node, bool)
}

// coders are the code tables in use, and those being learned (learn.go, fitting.go).
type coders struct {
	model    *coder.Model
	models   [4]*coder.Model
	modelSet *coder.TableSet // what model was built from
	modelMsg []byte          // model as it is sent to peers; nil for the default tables
	learner  *coder.Learner
	deaf     *coder.Learner // counts what must not be learned from (secret.go); never fitted
	fitting  *coder.Fitting // the fit under way, or nil
	defaults *coder.Model   // the tables known from the schema alone; peers' own packets always use them
}

// planning is what this send says: Schedule plans it, Encode packs it (schedule.go,
// update.go, piece.go).
type planning struct {
	bucket   float64      // bytes of the budget that a peer may save up
	syms     []prefix.Sym // symbols of the pieces
	recs     []recEntry   // what the pieces carry, for the records of packets
	pieces   pieces       // all that was planned
	batches  [aheadPeers]batch
	alikes   alikes
	commons  commons
	sum      uint32    // of what was read ahead, so that the compiler keeps the reads
	actions  []int     // what the update being planned does to each row of its node
	group    []uint32  // handles of the nodes in one arrival piece
	queueing []distant // one peer's queue while it is sorted
	order    []ranked  // one peer's updates by urgency
	turns    turns
	bytes    []byte
	burst    float64 // what is left of maxBursts
}

// calling is the calls that wait, and the packet of a peer that is being read
// (receive.go, rpc.go).
type calling struct {
	up       up
	upBytes  []byte
	calls    wire.CallQueue
	early    []earlyCall
	turn     uint32 // counts the ticks in which calls were run
	turnTick Tick   // the newest such tick
	heaped   bool   // some peer sent more reliable calls than one tick may run
}

// accounts count what was sent and what it cost (counters.go, account.go).
type accounts struct {
	counters    Counters
	tooLong     Node          // the last node that was logged as too long
	overlong    map[*Var]bool // props of which a value was logged as too long
	bits        []Bits        // by item type
	otherBits   Bits
	removalBits uint64
}

// NewAuthority makes a core whose only node is the session's. It freezes the schema;
// all mistakes in the schema are returned as one joined error.
func NewAuthority(c AuthorityConfig) (*Authority, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	k := coder.CodingOf(c.Schema)
	a := &Authority{cfg: c, byID: newRoster(), nodeStore: newNodeStore(c.Schema, k)}
	a.alikes.least, a.commons.least = wire.LeastAlike, wire.LeastSharers
	a.round, a.moves, a.sendPeriod = 1, 1, time.Second/time.Duration(c.SendHz)
	for i := range a.slabs {
		a.slabs[i].stride = uint32((c.Hz + c.SendHz - 1) / c.SendHz)
	}
	a.bucket = bucketOf(c.Budget)
	a.bits = make([]Bits, len(c.Schema.Items()))
	for _, t := range c.Schema.Items() {
		a.places = append(a.places, newPlace(t))
	}
	a.defaults, a.model, a.models[0] = k.Defaults, k.Defaults, k.Defaults
	a.modelSet = coder.NewTableSet(a.types)
	a.learner, a.deaf = coder.NewLearner(a.types, c.Hz), coder.NewLearner(a.types, c.Hz)
	a.learner.Serve(a.model)
	if c.Interest != nil {
		size := c.Interest.Reach(0) / 2
		if g, ok := c.Interest.(Grid); ok {
			size = g.Enter / 2
		}
		if !(size > 0) {
			return nil, fmt.Errorf("rpl: Interest.Reach(0) is %v: return a distance above 0, by which the grid is sized, for a peer that you do not know too", c.Interest.Reach(0))
		}
		a.grid = newGrid(size, c.Interest)
	}
	if _, err := a.Spawn(Spawn{Streaming: Streaming{Relevance: Always}}); err != nil {
		return nil, err
	}
	return a, nil
}

// newNodeStore makes a store without nodes.
func newNodeStore(c *Schema, k *coder.Coding) nodeStore {
	items := c.Items()
	s := nodeStore{
		types: k.Types, typesOf: k.ByItem, layouts: make(map[string]*wire.NodeLayout),
		freeItems: make([][]itemSlot, len(items)), shadows: make([][]byte, len(items)),
	}
	words, vars, width := 0, 0, 0
	for _, t := range items {
		words, vars = max(words, len(t.Words)), max(vars, len(t.Vars))
	}
	for _, t := range s.types {
		s.slabs = append(s.slabs, newSlab(t))
		width = max(width, t.Width)
	}
	s.scratch, s.scratchVars = make([]int32, words), make([]any, vars)
	s.course, s.told = make([]int32, width), make([]int32, width)
	return s
}

// Connect starts the stream to a peer whose side of the world is built. It is an error
// if the peer is 0, this machine's own player or connected already.
func (a *Authority) Connect(id Peer) error {
	if id == 0 || id == a.cfg.Local || a.byID.find(id) != nil {
		return fmt.Errorf("rpl: peer %d is nobody, this machine's own player or connected already; give each client a number of its own", id)
	}
	p := &peer{
		id: id, streaming: true, lookAgain: true,
		freeRow: make(map[int][]uint32), goingOf: make(map[Node]uint32),
	}
	p.points = p.point[:0]
	p.link.model = a.defaults
	p.enc.Reset(make([]byte, 0, PacketRoom+16))
	p.prepare()
	p.link.heard = a.now
	p.index = int32(len(a.peers))
	for i, old := range a.peers {
		if old == nil {
			p.index = int32(i)
		}
	}
	if int(p.index) == len(a.peers) {
		a.peers = append(a.peers, p)
	} else {
		a.peers[p.index] = p
	}
	a.byID.add(p)
	if a.grid != nil {
		a.grid.reach(p.index)
	}
	for slot := range a.nodes {
		n := &a.nodes[slot]
		if !n.used || n.parent != 0 {
			continue
		}
		wants := a.judgeTree
		if a.spots[slot].cell >= 0 {
			wants = a.ownsAny // a peer that is near the node will find it by its look
		}
		if wants(p, uint32(slot)) {
			a.decide(p, uint32(slot), true)
		}
	}
	return nil
}

// Suspend ends the stream to a peer, which keeps its nodes: it still owns them when
// Connect begins a new stream, in which handles and versions start anew. Calls that
// wait for the peer are dropped and counted. After Connect the caller must set the
// peer's groups again.
func (a *Authority) Suspend(id Peer) {
	p := a.byID.find(id)
	if p == nil {
		return
	}
	a.count(p)
	p.endWatch(a)
	for slot := range a.nodes {
		if n := &a.nodes[slot]; n.used {
			a.dropHolder(n, p.index)
		}
	}
	early := len(a.early)
	a.early = slices.DeleteFunc(a.early, func(c earlyCall) bool { return c.to == id })
	a.counters.CallsDropped += uint64(early - len(a.early) + len(p.rpc.waiting) + len(p.rpc.unreliable) + len(p.rpc.later))
	for _, m := range p.rpc.ready {
		if m[0] == wire.MsgCall {
			a.counters.CallsDropped++
		}
	}
	a.peers[p.index] = nil
	a.byID.remove(p)
}

// Disconnect forgets a peer, connected or suspended. Each of its nodes is removed, or
// stays with no owner if Streaming.Keep says so. Disconnect does nothing for the local
// player.
func (a *Authority) Disconnect(id Peer) {
	if id == 0 || id == a.cfg.Local {
		return
	}
	a.Suspend(id)
	for slot := range a.nodes {
		if n := &a.nodes[slot]; n.used && n.owner == id {
			if n.spawn.Keep {
				a.handOver(uint32(slot), 0) // its children have a Keep of their own
			} else {
				a.Remove(n.id)
			}
		}
	}
}

// Peers appends the connected peers to dst, in no order.
func (a *Authority) Peers(dst []Peer) []Peer {
	for _, p := range a.peers {
		if p != nil {
			dst = append(dst, p.id)
		}
	}
	return dst
}

// Step begins tick t. The first tick may be any; later ones must ascend with time, at
// Hz per second except to catch up after a pause. Peers refuse a tick that leaps ahead
// by more than 10 s. Step begins nothing after MaxTick, and returns an error that wraps
// ErrLimit, nor for a tick before the last one (ErrRange).
func (a *Authority) Step(t Tick) error {
	if t > wire.LateInLife {
		if t > MaxTick {
			return fmt.Errorf("rpl: tick %d: %w: a session has %d; end it and begin another", t, ErrLimit, MaxTick)
		}
		a.warnOfAge(t)
	}
	if t < a.tick {
		return fmt.Errorf("rpl: tick %d after tick %d: %w: ticks ascend", t, a.tick, ErrRange)
	}
	a.tick = t
	a.unstamped = false
	for _, c := range a.columns {
		if c != nil {
			c.given = false
		}
	}
	return nil
}

// warnOfAge logs once that the session's ticks are running out.
func (a *Authority) warnOfAge(t Tick) {
	if a.aged {
		return
	}
	a.aged = true
	a.cfg.Log.Warn("the session is old: it ends when its ticks do", "tick", t, "last", MaxTick,
		"in", time.Duration(MaxTick-t)*time.Second/time.Duration(a.cfg.Hz), "remedy", "end it and begin another before")
}

// Holders appends to dst the peers to which a node has been sent and from which it has
// not been taken away: its audience.
func (a *Authority) Holders(n Node, dst []Peer) []Peer {
	slot, ok := a.slot(n)
	if !ok {
		return dst
	}
	for _, h := range a.nodes[slot].holders {
		if h.handle != wire.NoHandle {
			dst = append(dst, a.peers[h.peer].id)
		}
	}
	return dst
}

// Has reports whether a node exists.
func (a *Authority) Has(n Node) bool {
	_, ok := a.slot(n)
	return ok
}

// PeerStats are figures about the datagrams to one peer.
type PeerStats struct {
	RTT, Jitter time.Duration
	Loss        float64 // share of packets judged lost, smoothed over some 200 packets
	SendLimit   int     // bytes a second that it is sent at most: AuthorityConfig.Budget, or what its line carries if that is less; 0: no limit
	Bytes       uint64  // of datagrams sent, each with the seal's 29 bytes
	Packets     uint64
	Held        int // nodes that the peer holds or is being sent
}

// PeerStats returns the figures of a peer, zero if it is not connected.
func (a *Authority) PeerStats(id Peer) PeerStats {
	p := a.byID.find(id)
	if p == nil {
		return PeerStats{}
	}
	s := PeerStats{RTT: p.link.trip.Time(), Jitter: p.link.trip.Spread(), Loss: p.link.loss, Bytes: p.sentBytes, Packets: p.sentPackets}
	s.SendLimit = a.cfg.Budget
	if limit := p.link.line.Limit(); limit > 0 {
		s.SendLimit = min(s.SendLimit, int(limit))
	}
	for i := range p.entries {
		if st := p.entries[i].state; st == entryComing || st == entryIn {
			s.Held++
		}
	}
	return s
}

// Counters returns the core's counts since it was made.
func (a *Authority) Counters() Counters { return a.counters }
