package rpl

import (
	"fmt"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// An Authority is the core of the machine that decides: it keeps the nodes and
// tells every peer what it may see of them. It starts nothing and reads no
// clock. All methods are for one goroutine, but for Encode.
//
// A tick: Receive and ReceiveMessage for what came, Step, Due, the game, Set for
// every item that may have changed; then, where the tick is one that sends,
// Stream, Schedule, and Encode for every peer.
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

// times are where the core is in its session.
type times struct {
	tick       Tick
	send       uint32 // counts Streams
	round      uint32 // stamps the active list, from one Schedule's end to the next
	moves      uint32 // stamps what moved, from one Stream's end to the next
	now        time.Duration
	sendPeriod time.Duration
	aged       bool // it was said that the ticks come to their end
}

// A nodeStore is the nodes and their state (store.go).
type nodeStore struct {
	types   []*rowType
	typesOf [][]*rowType // by item type

	nodes       []node
	freeSlots   []uint32
	layouts     map[string]*nodeLayout
	numbered    []*nodeLayout // the newest of each number
	freeLayouts []uint32      // numbers, the lowest last
	editions    uint32        // layouts that there were
	items       []item
	hots        []hot    // by item
	freeItems   [][]Item // by item type
	shadows     [][]byte // by item type
	rows        []row
	slabs       []slab // by row type

	active   []uint32 // slots that changed since the last send
	drifting []uint32 // rows whose velocity is not zero

	scratch     []int32 // an item's words …
	scratchVars []any   // … and its values of variable length
	course      []int32 // what versionAt returns
	told        []int32 // what known returns
}

// walking is what reading the world by columns needs (column.go, walk.go).
type walking struct {
	columns   []*Column
	places    []place  // by item type
	off       []end    // rows that the walk found off their course
	strays    []uint32 // slots that it found elsewhere
	catching  bool     // catchUp is at work
	leeway    float64  // the grid's slack
	unstamped bool     // what moved in this tick's columns has stamped no cells …
	looks     bool     // … which nobody wants to know: no peer looked at all that moved
}

// relevancy is who sees what (relevancy.go, look.go, groups.go).
type relevancy struct {
	spots     []spot // by slot
	grid      *grid
	views     *views   // of the peer that looks
	judged    []uint32 // slots whose relevance is asked anew
	grouped   bitset   // slots of nodes that are relevant by their groups
	concerned bitset   // peers that hold or own nodes of one of these, while it is asked about

	conditions  [maxGroups]func(Peer) bool
	conditional bool
	onDecide    func(Peer, Node, bool)
}

// coders are the code tables: those in use, and those that are being learned
// (learn.go, fitting.go).
type coders struct {
	model    *model
	models   [4]*model
	modelSet *tableSet // what the model is made of
	modelMsg []byte    // the model as it is shipped; nil for the default
	learner  *learner
	deaf     *learner // of what not everyone may see: it is never fitted
	fitting  *fitting // under way, nil none
	defaults *model   // what the header's and the peers' own tables are
}

// planning is what this send says, as Schedule finds it and Encode packs it
// (schedule.go, update.go, piece.go).
type planning struct {
	bucket   float64      // bytes of the budget that a peer may save up
	syms     []prefix.Sym // of this send's pieces
	recs     []recEntry   // their records
	pieces   pieces       // that were planned
	batches  [aheadPeers]batch
	sum      uint32    // of what was read ahead
	actions  []int     // what an update does to each row
	group    []uint32  // handles that arrive together
	queueing []distant // a peer's queue, while it is put in order
	order    []ranked  // updates, by urgency
	turns    turns
	bytes    []byte
}

// calling is what peers say, and the calls that wait (receive.go, rpc.go).
type calling struct {
	up       up
	upBytes  []byte
	calls    callQueue
	early    []earlyCall
	turn     uint32 // counts the ticks whose calls were run
	turnTick Tick   // the newest of them
	heaped   bool   // of some peer more reliable calls came than one tick may run
}

// accounts count what was done, and what it took (counters.go, account.go).
type accounts struct {
	counters    Counters
	tooLong     Node   // the last that was logged
	bits        []Bits // by item type
	otherBits   Bits
	removalBits uint64
}

// NewAuthority makes a core with no nodes but the session's. It freezes the
// schema; its mistakes come joined.
func NewAuthority(c AuthorityConfig) (*Authority, error) {
	if err := c.complete(); err != nil {
		return nil, err
	}
	k := c.Schema.coding()
	a := &Authority{cfg: c, byID: newRoster(), nodeStore: newNodeStore(c.Schema, k)}
	a.round, a.moves, a.sendPeriod = 1, 1, time.Second/time.Duration(c.SendHz)
	a.bucket = bucketOf(c.Budget)
	a.bits = make([]Bits, len(c.Schema.Items()))
	for _, t := range c.Schema.Items() {
		a.places = append(a.places, newPlace(t))
	}
	a.defaults, a.model, a.models[0] = k.defaults, k.defaults, k.defaults
	a.modelSet = newTableSet(a.types)
	a.learner, a.deaf = newLearner(a.types, c.Hz), newLearner(a.types, c.Hz)
	a.learner.serve(a.model)
	if c.Interest != nil {
		size := c.Interest.Reach(0) / 2
		if g, ok := c.Interest.(Grid); ok {
			size = g.Enter / 2
		}
		if !(size > 0) {
			return nil, fmt.Errorf("rpl: Interest reaches %v for peer 0; a positive distance sizes the grid", c.Interest.Reach(0))
		}
		a.grid = newGrid(size, c.Interest)
	}
	if _, err := a.Spawn(Spawn{Streaming: Streaming{Relevance: Always}}); err != nil {
		return nil, err
	}
	return a, nil
}

// newNodeStore makes one without nodes.
func newNodeStore(c *Schema, k *coding) nodeStore {
	items := c.Items()
	s := nodeStore{
		types: k.types, typesOf: k.byItem, layouts: make(map[string]*nodeLayout),
		freeItems: make([][]Item, len(items)), shadows: make([][]byte, len(items)),
	}
	words, vars, width := 0, 0, 0
	for _, t := range items {
		words, vars = max(words, len(t.Words)), max(vars, len(t.Vars))
	}
	for _, t := range s.types {
		s.slabs = append(s.slabs, newSlab(t))
		width = max(width, t.width)
	}
	s.scratch, s.scratchVars = make([]int32, words), make([]any, vars)
	s.course, s.told = make([]int32, width), make([]int32, width)
	return s
}

// Connect starts to stream to a peer whose world is built.
func (a *Authority) Connect(id Peer) error {
	if id == 0 || a.byID.find(id) != nil {
		return fmt.Errorf("rpl: peer %d is nobody or connected already", id)
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
			wants = a.ownsAny // what is near it looks for itself
		}
		if wants(p, uint32(slot)) {
			a.decide(p, uint32(slot), true)
		}
	}
	return nil
}

// Suspend ends the stream to a peer, and keeps its nodes: they are its own when
// Connect begins another stream, with handles and versions that start anew.
// Calls that wait for it are dropped and counted. Groups are to be set again.
func (a *Authority) Suspend(id Peer) {
	p := a.byID.find(id)
	if p == nil {
		return
	}
	a.count(p)
	p.endWatch(a)
	for slot := range a.nodes {
		n := &a.nodes[slot]
		if !n.used {
			continue
		}
		for i := range n.holders {
			if n.holders[i].peer == p.index {
				n.holders[i] = n.holders[len(n.holders)-1]
				n.holders = n.holders[:len(n.holders)-1]
				a.unheld(n)
				break
			}
		}
	}
	early := len(a.early)
	a.early = slices.DeleteFunc(a.early, func(c earlyCall) bool { return c.to == id })
	a.counters.CallsDropped += uint64(early - len(a.early) + len(p.rpc.waiting) + len(p.rpc.unreliable) + len(p.rpc.later))
	for _, m := range p.rpc.ready {
		if m[0] == msgCall {
			a.counters.CallsDropped++
		}
	}
	a.peers[p.index] = nil
	a.byID.remove(p)
}

// Disconnect forgets a peer, connected or suspended. Its nodes die, or are kept
// as nobody's, as they say.
func (a *Authority) Disconnect(id Peer) {
	if id == 0 || id == a.cfg.Local {
		return
	}
	a.Suspend(id)
	for slot := range a.nodes {
		if n := &a.nodes[slot]; n.used && n.owner == id {
			if n.spawn.Keep {
				a.handOver(uint32(slot), 0) // those below say for themselves
			} else {
				a.Remove(n.id)
			}
		}
	}
}

// Peers are the connected peers, in no order, appended to dst.
func (a *Authority) Peers(dst []Peer) []Peer {
	for _, p := range a.peers {
		if p != nil {
			dst = append(dst, p.id)
		}
	}
	return dst
}

// Step begins a tick. Ticks ascend with time, Hz a second but for what is made up for
// after a pause, from any one on: peers refuse what leaps by more than 10 s. After
// MaxTick there is none, which is an error that wraps ErrLimit, and nothing has begun.
func (a *Authority) Step(t Tick) error {
	if t > lateInLife {
		if t > MaxTick {
			return fmt.Errorf("rpl: tick %d: %w: a session has %d; end it and begin another", t, ErrLimit, MaxTick)
		}
		a.warnOfAge(t)
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

// warnOfAge says once that the session's ticks come to their end.
func (a *Authority) warnOfAge(t Tick) {
	if a.aged {
		return
	}
	a.aged = true
	a.cfg.Log.Warn("the session is old: it ends when its ticks do", "tick", t, "last", MaxTick,
		"in", time.Duration(MaxTick-t)*time.Second/time.Duration(a.cfg.Hz), "remedy", "end it and begin another before")
}

// Holders are the peers to which a node has been sent and not taken away,
// appended to dst: its audience.
func (a *Authority) Holders(n Node, dst []Peer) []Peer {
	slot, ok := a.slot(n)
	if !ok {
		return dst
	}
	for _, h := range a.nodes[slot].holders {
		if h.handle != noHandle {
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

// PeerStats are the figures of one peer's datagrams.
type PeerStats struct {
	RTT, Jitter time.Duration
	Loss        float64 // share of packets judged lost, smoothed over some 200
	Bytes       uint64  // of datagrams sent, the seal's 29 a packet included
	Packets     uint64
	Held        int // nodes that it holds or is being told of
}

// PeerStats are zero for a peer that is not connected.
func (a *Authority) PeerStats(id Peer) PeerStats {
	p := a.byID.find(id)
	if p == nil {
		return PeerStats{}
	}
	s := PeerStats{RTT: p.link.rtt, Jitter: p.link.jitter, Loss: p.link.loss, Bytes: p.sentBytes, Packets: p.sentPackets}
	for i := range p.entries {
		if st := p.entries[i].state; st == entryComing || st == entryIn {
			s.Held++
		}
	}
	return s
}

// Counters are the core's counts since it began.
func (a *Authority) Counters() Counters { return a.counters }
