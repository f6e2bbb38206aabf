package send

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/budget"
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/interest"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A Peer is what the authority keeps of one client: the nodes that it should hold, what
// it is known to hold by its acks, and what is on the way. Fields that every send reads
// stand side by side: a peer with nothing to be told costs seven cache lines.
type Peer struct {
	ID     ids.Peer
	Index  int32
	movers int32 // nodes that move by themselves at the peer
	held   int   // handles whose node is coming or there
	view   *interest.Viewer
	Model  *coder.Model // codes the packets to the peer

	// Receive, Schedule and Encode
	Link       link.Link
	Marks      marks
	busy       bool // one of the lists that are mostly empty may have something (isBusy)
	came       bool // an arrival may be due, or one in coming is acked
	went       bool // the same for going
	trails     bool // the packet before had updates
	predicting bool // it predicts the nodes that it owns
	tally      tally
	checked    time.Duration // when the newest checksum was sent
	plan       plan
	bucket     budget.Bucket
	tables     peerTables

	// read only where there is something to say
	coming []uint32      // handles whose arrival is not acked
	going  []uint32      // handles whose removal is not acked
	States []handleState // by handle
	lives  []lifecycle

	enc     prefix.Encoder
	traffic traffic

	// streaming in and out
	Handles wire.Bitset         // in use, including those whose removal is not acked
	Shares  wire.Bitset         // those by which nodes are shared that are this peer's too (sharedhandles.go)
	rows    rowPool             // of nodes of several rows
	goingOf map[ids.Node]uint32 // handles whose removal is not acked, by node
	layouts wire.Bitset         // numbers of the layouts that the peer is known to have

	// lists that are read only while the peer is busy
	queue   []uint32 // wanted slots whose arrival was not sent yet
	queued  int      // how long it was after the last send
	parents newParents
	RPC     peerCalls
	checks  checks
	resync  resync

	copies   []rowCopy // of changes, that are due soon; empty while hardly anything is lost
	overload overload
	bases    bases
	tmp      []prefix.Sym // scratch
	block    blockCoder
}

// newParents are the nodes of a peer that have a new parent.
type newParents struct {
	handles  []uint32 // of nodes whose new parent the peer is not known to have heard of
	heldBack []uint32 // of those that are held back in this send
}

// overload is what a peer keeps while more of its handles are marked than the room pays for.
type overload struct {
	priorities []priority // by handle
	slice      uint32     // of the marked handles: the one that was looked at last
}

// rowPool is what a peer has of the rows of nodes of several rows.
type rowPool struct {
	all  []peerRow
	free map[int][]uint32 // unused ranges of all, by length
}

// traffic is what was sent to a peer in datagrams, and how many calls have come from it.
type traffic struct{ bytes, packets, calls uint64 }

// blockCoder is what blocks are coded with.
type blockCoder struct {
	enc prefix.Encoder
	buf []byte
}

// peerTables are the learned tables that a peer has, or is to have.
type peerTables struct {
	newest  uint8         // number of the newest tables shipped to the peer, 0 none
	coded   uint64        // bits of updates sent while learned tables exist that it was not offered
	offer   uint64        // at which value of coded to check next whether the tables would pay
	shipped uint64        // number of the reliable message with the newest tables
	inUse   uint64        // first packet coded with the tables in use
	at      time.Duration // when tables were last shipped to the peer, or taken into use
}

// isBusy reports whether any of the lists that are mostly empty has something.
func (p *Peer) isBusy() bool {
	return len(p.queue)+len(p.parents.handles)+len(p.checks.asked)+len(p.checks.plan)+
		len(p.RPC.Ready)+len(p.RPC.Waiting)+len(p.RPC.Unreliable) > 0 || p.resync.tick != 0 || p.resync.asked
}

// handleState is what one handle means to a peer (protocol §6), as far as every update and
// every ack needs it: 64 bytes, one cache line. The rest is in its lifecycle.
type handleState struct {
	node      ids.Node
	row       uint32   // the node's row if it has one; else where its rows begin in peer.rows
	laid      ids.Tick // acks of packets before this tick are of another set of items, or of another node
	State     uint8
	gen       uint8
	nrows     uint8
	plain     bool // one row that everyone sees; the node is neither transient nor has a rate of its own
	ownership bool // owner or parent must be told
	moves     bool // the node moves by itself at the peer
	one       peerRow
}

// lifecycle is how the node of a handle comes to a peer and leaves it: arrival, removal,
// and the messages that wait for either.
type lifecycle struct {
	round         time.Duration // when the first copy of this round was sent
	planned       uint32        // the send for which a copy is planned
	block         uint64        // number of the reliable message with the arrival, 0 for none
	fence         uint64        // number of the last reliable message that names the handle
	ownershipTick ids.Tick      // tick of the newest packet that told owner and parent; 0 once that is acked
	newParent     ids.Tick      // only acks from this tick on show that the peer knows the new parent; 0: it does
	lastSent      ids.Tick      // of the newest update sent
	calls         uint16        // reliable calls that the peer may be holding until the arrival
	copies        uint8         // sent in this round
	inflight      uint8

	again     bool // the new parent was told: tell it again, with the next row that is told
	waits     bool // further calls wait at the authority for a place among calls
	relayout  bool // the set of items must be told
	destroyed bool
	reason    uint8      // of the game, for the removal; 0: none
	rows      uint8      // how many the node had in the end …
	last      []*lastRow // … and which of them the removal tells
	removed   bool       // the removal is acked; only reliable messages still need the handle
}

const (
	handleFree = iota
	HandleComing
	HandleIn
	HandleGoing
)

// peerRow is what a peer has of one row. A version is named by the tick of the packet
// that carried it, at most one version a tick.
type peerRow struct {
	carried            uint64   // bit i: a packet of tick newest-i carried it
	newest             uint32   // tick of the newest packet that carried the row
	acked, ackedTick   uint32   // the newest version that the peer is known to have; 0 none
	flight, flightTick uint32   // the newest version sent and not judged lost, else the acked one
	from               uint32   // acks of packets before this tick are ignored: the peer has lost what they carried
	since              ids.Tick // first tick at which the row was pending, 0 if it is not
	known              bool     // an ack has confirmed acked; else acked is only what speculative updates build on
	hidden             bool     // the peer does not belong to the row's audience

	// The version before acked that the peer is known to have, and its tick: how much older
	// than acked they are. Without an age no line starts from it; without a number the
	// authority has it no more (line.go).
	secondVer, secondAgo uint8
}

// row returns what the peer has of row i of a handle's node.
func (p *Peer) row(e *handleState, i int) *peerRow {
	if e.nrows == 1 {
		return &e.one
	}
	return &p.rows.all[e.row+uint32(i)]
}

// prepare allocates what a peer's steady stream needs, some 16 KiB, so that it is not
// allocated bit by bit later.
func (p *Peer) prepare() {
	const some = 64
	p.queue = make([]uint32, 0, some)
	p.coming, p.going = make([]uint32, 0, some), make([]uint32, 0, some)
	p.checks.plan = make([]wire.Check, 0, wire.MaxChecks)
	p.Link.Prepare(some)
}

// hasHandle reports whether there is a free handle.
func (p *Peer) hasHandle() bool {
	return len(p.States) < wire.MaxHandles || p.Handles.FirstClear() < wire.MaxHandles
}

// noteHandlesOut counts that nodes wait for handles, and logs the first time.
func (a *Sender) noteHandlesOut(p *Peer) {
	if a.Accounts.Counters.HandlesOut++; a.Accounts.Counters.HandlesOut == 1 {
		a.store.Log.Warn("a peer is to have more nodes than it can hold: the rest waits until some of those are gone",
			"peer", p.ID, "most", wire.MaxHandles, "remedy", "show peers what is near them, or keep what nobody needs as local entities")
	}
}

// admit gives a node a handle and its rows. The caller codes the arrival.
func (p *Peer) admit(a *Sender, slot uint32) uint32 {
	h := p.Handles.FirstClear()
	p.Handles.Set(h)
	for h >= uint32(len(p.States)) {
		p.States, p.lives = append(p.States, handleState{}), append(p.lives, lifecycle{})
	}
	n := &a.store.Nodes[slot]
	e := &p.States[h]
	*e, p.lives[h] = handleState{node: n.ID, laid: p.nextTick(a.store.Tick), State: HandleComing, gen: e.gen + 1}, lifecycle{last: p.lives[h].last[:0]}
	if h < uint32(len(p.overload.priorities)) {
		p.overload.priorities[h] = priority{}
	}
	p.allot(a.store, e, n)
	p.coming, p.came = append(p.coming, h), true
	p.held++
	n.Holder(p.Index).Handle = h
	a.noteHandle(n, p, h)
	return h
}

// allot gives a handle the rows that its node has now.
func (p *Peer) allot(a *store.Store, e *handleState, n *store.Node) {
	k := len(n.Rows)
	e.nrows, e.plain = uint8(k), a.IsPlain(n) && !p.predicts(n)
	switch free := p.rows.free[k]; {
	case k == 1:
		e.row = n.Rows[0]
	case len(free) > 0:
		e.row = free[len(free)-1]
		p.rows.free[k] = free[:len(free)-1]
	default:
		e.row = uint32(len(p.rows.all))
		p.rows.all = append(p.rows.all, make([]peerRow, k)...)
	}
	for i, ri := range n.Rows {
		r := &a.Rows[ri]
		*p.row(e, i) = peerRow{hidden: !p.Sees(n, r.Type.Audience)}
		if r.Touched {
			a.Commit(ri) // nobody held the node, so its rows were not committed
		}
	}
}

func (p *Peer) release(e *handleState) {
	if k := int(e.nrows); k != 1 {
		p.rows.free[k] = append(p.rows.free[k], e.row)
	}
	e.nrows, e.plain = 0, false
}

// Sees reports whether a peer belongs to an audience of a node.
func (p *Peer) Sees(n *store.Node, who ids.Audience) bool {
	switch who {
	case ids.Everyone:
		return true
	case ids.OwnerSees:
		return n.Owner == p.ID
	case ids.OthersSee:
		return n.Owner != p.ID
	}
	return p.view.Groups>>(who-ids.FirstGroup)&1 != 0
}

// startRemoval starts the removal of the node of a handle.
func (p *Peer) startRemoval(h uint32, destroyed bool) {
	e, v := &p.States[h], &p.lives[h]
	p.release(e)
	p.held--
	e.State, v.destroyed, v.copies, v.inflight = HandleGoing, destroyed, 0, 0
	p.Marks.clear(MarkDirty, h)
	p.Marks.clear(MarkLoose, h)
	p.setMoves(e, false)
	p.going, p.came, p.went = append(p.going, h), true, true
	p.goingOf[e.node] = h
}

// refresh has the whole state of a node sent again as an arrival, with its set of
// items.
func (p *Peer) refresh(a *Sender, h uint32) {
	e, v := &p.States[h], &p.lives[h]
	if e.State != HandleComing && e.State != HandleIn {
		return
	}
	s, ok := a.store.Slot(e.node)
	if !ok {
		return
	}
	p.release(e)
	p.bases.forget(h)
	p.allot(a.store, e, &a.store.Nodes[s])
	v.relayout = true
	if e.State == HandleIn {
		e.State = HandleComing
		p.coming = append(p.coming, h)
	}
	p.came = true
	v.copies, v.inflight, v.block = 0, 0, 0
	e.laid = p.nextTick(a.store.Tick)
}

// nextTick is the tick of the peer's next packet: now, or the one after if a packet of
// this tick was already sent.
func (p *Peer) nextTick(now ids.Tick) ids.Tick {
	if l := &p.Link; l.Next > 0 && l.Record(l.Next-1).Tick == now {
		return now + 1
	}
	return now
}

// freeHandle frees a handle whose removal is acked.
func (p *Peer) freeHandle(h uint32) {
	e := &p.States[h]
	delete(p.goingOf, e.node)
	p.heldNoMore(&p.lives[h])
	p.bases.forget(h)
	last := p.lives[h].last
	clear(last)
	*e, p.lives[h] = handleState{gen: e.gen}, lifecycle{last: last[:0]}
	p.Handles.Clear(h)
	p.went = true
}
