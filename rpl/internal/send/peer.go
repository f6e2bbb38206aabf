package send

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/bases"
	"github.com/tendonengine/tendon/rpl/internal/budget"
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/interest"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A Peer is what the authority keeps of one client: the nodes that it should hold, what
// it is known to hold by its acks, and what is on the way. Fields that every send reads
// stand side by side: a peer with nothing to be sent costs seven cache lines.
type Peer struct {
	ID     ids.Peer
	Index  int32
	movers int32 // nodes that move by themselves at the peer
	kept   kept
	view   *interest.Viewer
	Model  *coder.Model // codes the packets to the peer

	// Receive, Schedule and Encode
	Link    link.Link
	Marks   marks.Set
	busy    bool  // one of the lists that are mostly empty may have something (isBusy)
	came    bool  // an arrival may be due, or one in coming is acked
	went    bool  // the same for going
	trails  uint8 // bit i: in i sends a packet is due, to tell by its silence, or by its ack, what became of others; after more sends there is one anyway
	anew    int32 // handles whose node comes again, with other items
	tally   tally
	checked time.Duration // when the newest checksum was sent
	plan    plan
	bucket  budget.Bucket
	tables  peerTables

	// read only where there is something to say
	coming []coming      // handles whose arrival is not acked
	going  []uint32      // handles whose removal is not acked
	States []handleState // by handle
	lives  lives

	enc     prefix.Encoder
	traffic traffic

	// streaming in and out
	Handles  wire.Bitset // in use, including those whose removal is not acked
	Shares   wire.Bitset // those by which nodes are shared that are this peer's too (sharedhandles.go)
	rows     rowPool     // of nodes of several rows
	trimming trimming

	// lists that are read only while the peer is busy
	arrivals   waiting
	ownerships ownerships
	RPC        peerCalls
	checks     checks
	resync     resync
	again      again

	predicted predicted

	sparse   sparse
	copies   []rowCopy // of changes, that are due soon; empty while hardly anything is lost
	overload overload
	bases    bases.Set
	block    blockCoder
}

// kept is how much is kept of some kinds.
type kept struct {
	nodes int32 // handles whose node is coming or there
	lives int32 // handles that have a lifecycle
	bases int32 // 0: there are none
}

// waiting is what a peer wants and does not have yet.
type waiting struct {
	queue  []uint32 // slots whose arrival was not sent yet
	before int32    // how many there were after the last send
	calm   int32    // how many of those that are coming, from the first, planAgain need not look at …
	lost   bool     // … unless this is set: some of them are to be sent again
}

// ownerships are the nodes of a peer of which owner and parent repeat.
type ownerships struct {
	handles  []uint32 // of nodes whose owner and parent the peer is not known to have heard of
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
	enc  prefix.Encoder
	buf  []byte
	syms []prefix.Sym // scratch
}

// peerTables are the learned tables that a peer has, or is to have.
type peerTables struct {
	newest  uint8         // number of the newest tables shipped to the peer, 0 none
	coded   uint64        // bits of updates sent while learned tables exist that it was not offered
	offer   uint64        // at which value of coded to check next whether the tables would pay
	shipped uint64        // number of the reliable message with the newest tables
	inUse   uint64        // first packet coded with the tables in use
	at      time.Duration // when tables were last shipped to the peer, or taken into use
	layouts wire.Bitset   // numbers of the layouts that the peer is known to have
}

// isBusy reports whether any of the lists that are mostly empty has something.
func (p *Peer) isBusy() bool {
	return len(p.arrivals.queue)+len(p.ownerships.handles)+len(p.checks.asked)+len(p.checks.plan)+
		p.RPC.Ready.Len()+len(p.RPC.Waiting)+len(p.RPC.Unreliable) > 0 || p.resync.tick != 0 || p.resync.asked
}

// prepare allocates what a peer's steady stream needs, some 6 KiB, so that it is not
// allocated piece by piece later.
func (p *Peer) prepare() {
	p.arrivals.queue = make([]uint32, 0, leastList)
	p.coming, p.going = make([]coming, 0, leastList), make([]uint32, 0, leastList)
	p.checks.plan = make([]wire.Check, 0, wire.MaxChecks)
	p.Link.Prepare(leastList / 4)
	p.lives.prepare()
}

// hasHandle reports whether there is a free handle.
func (p *Peer) hasHandle() bool {
	return len(p.States) < wire.MaxHandles || p.Handles.FirstClear() < wire.MaxHandles
}

// noteHandlesOut counts that nodes wait for handles, and logs the first time.
func (s *Sender) noteHandlesOut(p *Peer) {
	if s.Accounts.Counters.HandlesOut++; s.Accounts.Counters.HandlesOut == 1 {
		s.store.Log.Warn("a peer is to have more nodes than it can hold: the rest waits until some of those are gone",
			"peer", p.ID, "most", wire.MaxHandles, "remedy", "show peers what is near them, or keep what nobody needs as local entities")
	}
}

// admit gives a node a handle and its rows. The caller codes the arrival.
func (p *Peer) admit(s *Sender, slot uint32) uint32 {
	h := p.Handles.FirstClear()
	p.Handles.Set(h)
	for h >= uint32(len(p.States)) {
		p.addEntry()
	}
	n := &s.store.Nodes[slot]
	e := &p.States[h]
	*e = handleState{slot: slot, State: HandleComing, gen: e.gen + 1}
	if h < uint32(len(p.sparse.every)) {
		p.sparse.every[h] = 0
	}
	if h < uint32(len(p.overload.priorities)) {
		p.overload.priorities[h] = priority{}
	}
	p.allot(s.store, e, n)
	p.coming, p.came = append(p.coming, coming{h, p.nextTick(s.store.Tick)}), true
	p.kept.nodes++
	n.Holder(p.Index).SetHandle(h)
	s.noteHandle(n, p, h)
	return h
}

// addEntry makes room for one more handle. Entries are long lists, of which a join knows how
// long: to double them would leave much of them unused.
func (p *Peer) addEntry() {
	if n := len(p.States); n == cap(p.States) {
		more := max(16, n/8, min(len(p.arrivals.queue), wire.MaxHandles-n))
		p.States = append(make([]handleState, 0, n+more), p.States...)
	}
	p.States = append(p.States, handleState{gen: p.trimming.firstGen})
}

// allot gives a handle the rows that its node has now.
func (p *Peer) allot(st *store.Store, e *handleState, n *store.Node) {
	k := len(n.Rows())
	e.nrows = uint8(k)
	e.judge(p, st, n)
	if k == 1 {
		e.row = n.Rows()[0]
	} else if free := p.rows.free[k]; len(free) > 0 {
		e.row = free[len(free)-1]
		p.rows.free[k] = free[:len(free)-1]
	} else {
		e.row = uint32(len(p.rows.all))
		p.rows.all = append(p.rows.all, make([]peerRow, k)...)
	}
	for i, ri := range n.Rows() {
		r := &st.Rows[ri]
		pr := p.row(e, i)
		*pr = peerRow{}
		pr.hide(!p.Sees(n, r.Type.Audience))
		if r.Touched {
			st.Commit(ri) // nobody held the node, so its rows were not committed
		}
	}
}

func (p *Peer) release(e *handleState) {
	if k := int(e.nrows); k != 1 {
		p.rows.free[k] = append(p.rows.free[k], e.row)
	}
	e.nrows = 0
	e.note(statePlain, false)
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
	return p.isIn(who)
}

// isIn reports whether a peer is in a group.
func (p *Peer) isIn(group ids.Audience) bool { return p.view.Groups>>(group-ids.FirstGroup)&1 != 0 }

// startRemoval starts the removal of the node of a handle, which still exists. What the peer has of
// it is right up to the tick end.
func (p *Peer) startRemoval(n *store.Node, h uint32, end ids.Tick, destroyed bool) {
	e := &p.States[h]
	p.release(e)
	p.kept.nodes--
	e.State, e.row = HandleGoing, n.ID.Tenant()
	e.note(stateDestroyed, destroyed)
	e.transit, e.one = transit{}, peerRow{newest: uint32(end)}
	p.Marks.Clear(marks.Dirty, h)
	p.Marks.Clear(marks.Loose, h)
	p.setMoves(e, false)
	p.setRelayout(p.lifeOf(e), false)
	p.going, p.came, p.went = append(p.going, h), true, true
}

// refresh has the whole state of a node sent again as an arrival, with its set of
// items.
func (p *Peer) refresh(s *Sender, h uint32) {
	e := &p.States[h]
	if !e.isHere() {
		return
	}
	v := p.life(h)
	p.release(e)
	p.bases.Forget(h)
	p.allot(s.store, e, &s.store.Nodes[e.slot])
	v.from = v.from[:0]
	p.setRelayout(v, true)
	if e.State == HandleIn {
		e.State = HandleComing
		p.coming = append(p.coming, coming{h, p.nextTick(s.store.Tick)})
	}
	p.came, p.arrivals.lost = true, true
	e.transit, v.block = transit{}, 0
	v.laid = p.nextTick(s.store.Tick)
	v.outlast(&p.Link)
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
	if e.life != 0 {
		p.heldNoMore(p.lifeOf(e))
		p.endLife(e)
	}
	p.bases.Forget(h)
	*e = handleState{gen: e.gen}
	p.Handles.Clear(h)
	p.went = true
}
