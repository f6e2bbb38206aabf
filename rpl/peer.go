package rpl

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A peer is what the authority keeps of one client: the nodes that it should hold, what
// it is known to hold by its acks, and what is on the way. Fields that every send reads
// stand side by side: a peer with nothing to be told costs seven cache lines.
type peer struct {
	id        Peer
	index     int32
	movers    int32 // nodes that move by themselves at the peer
	streaming bool
	tables    uint8 // number of the newest tables shipped to the peer, 0 none

	// Stream
	lookAgain bool // Stream must look at everything in reach
	looked    bool // Stream has looked since an observer last moved
	points    [][2]float64
	point     [1][2]float64 // memory of points if there is only one
	watch     watch

	// Receive, Schedule and Encode
	link    peerLink
	marks   marks
	busy    bool // one of the lists that are mostly empty may have something (isBusy)
	came    bool // an arrival may be due, or one in coming is acked
	went    bool // the same for going
	trails  bool // the packet before had updates
	tally   tally
	checked time.Duration // when the newest checksum was sent
	plan    plan
	purse   purse

	// read only where there is something to say
	coming  []uint32 // handles whose arrival is not acked
	going   []uint32 // handles whose removal is not acked
	entries []entry  // by handle
	visits  []visit
	wanted  wire.Bitset // slots of the nodes that the peer should hold
	edging  wire.Bitset // slots of watch.edge

	enc                    prefix.Encoder
	sentBytes, sentPackets uint64
	coded                  uint64        // bits of updates sent while learned tables exist that it was not offered
	offer                  uint64        // at which value of coded to check next whether the tables would pay
	shipped                uint64        // number of the reliable message with the newest tables
	turned                 uint64        // first packet coded with the tables in use
	tablesAt               time.Duration // when tables were last shipped to the peer, or taken into use

	// streaming in and out
	watched   cells // the cells of the grid whose news the peer gets, while it keeps watch
	groups    uint64
	handles   wire.Bitset // in use, including those whose removal is not acked
	shares    wire.Bitset // those by which nodes are shared that are this peer's too (common.go)
	near      nearby      // wanted slots that stand in the grid
	lingering []uint32    // slots that are out of sight but stay until their minStay is over
	lingered  []uint32
	rows      []peerRow        // of nodes of several rows
	freeRow   map[int][]uint32 // unused ranges of rows, by length
	goingOf   map[Node]uint32  // handles whose removal is not acked, by node
	layouts   wire.Bitset      // numbers of the layouts that the peer is known to have

	// lists that are read only while the peer is busy
	queue      []uint32 // wanted slots whose arrival was not sent yet
	newParents []uint32 // handles of nodes whose new parent the peer is not known to have heard of
	rpc        peerCalls
	checks     checks
	resync     resync

	copies   []rowCopy // of changes, that are due soon; empty while hardly anything is lost
	turns    []turn    // by handle, while more is marked than the room pays for
	stripe   uint32    // of the marked handles: the one that was looked at last (turns.go)
	bases    bases
	heldBack []uint32     // handles of nodes with new parents that are held back in this send
	tmp      []prefix.Sym // scratch
	blockEnc prefix.Encoder
	blockBuf []byte
}

// isBusy reports whether any of the lists that are mostly empty has something.
func (p *peer) isBusy() bool {
	return len(p.queue)+len(p.newParents)+len(p.checks.asked)+len(p.checks.plan)+
		len(p.rpc.ready)+len(p.rpc.waiting)+len(p.rpc.unreliable) > 0 || p.resync.tick != 0 || p.resync.asked
}

// entry is what one handle means to a peer (protocol §6), as far as every update and
// every ack needs it: 64 bytes, one cache line. The rest is in its visit.
type entry struct {
	node  Node
	row   uint32 // the node's row if it has one; else where its rows begin in peer.rows
	laid  Tick   // acks of packets before this tick are of another set of items, or of another node
	state uint8
	gen   uint8
	nrows uint8
	plain bool // one row that everyone sees; the node is neither transient nor has a rate of its own
	meta  bool // owner or parent must be told
	moves bool // the node moves by itself at the peer
	one   peerRow
}

// visit is how the node of a handle comes to a peer and leaves it: arrival, removal,
// and the messages that wait for either.
type visit struct {
	round     time.Duration // when the first copy of this round was sent
	planned   uint32        // the send for which a copy is planned
	block     uint64        // number of the reliable message with the arrival, 0 for none
	fence     uint64        // number of the last reliable message that names the handle
	metaTick  Tick          // tick of the newest packet that told owner and parent; 0 once that is acked
	newParent Tick          // only acks from this tick on show that the peer knows the new parent; 0: it does
	told      Tick          // of the newest update sent
	calls     uint16        // reliable calls that the peer may be holding until the arrival
	copies    uint8         // sent in this round
	inflight  uint8

	again     bool // the new parent was told: tell it again, with the next row that is told
	waits     bool // further calls wait at the authority for a place among calls
	relayout  bool // the set of items must be told
	destroyed bool
	removed   bool // the removal is acked; only reliable messages still need the handle
}

const (
	entryFree = iota
	entryComing
	entryIn
	entryGoing
)

// peerRow is what a peer has of one row. A version is named by the tick of the packet
// that carried it, at most one version a tick.
type peerRow struct {
	carried            uint64 // bit i: a packet of tick newest-i carried it
	newest             uint32 // tick of the newest packet that carried the row
	acked, ackedTick   uint32 // the newest version that the peer is known to have; 0 none
	flight, flightTick uint32 // the newest version sent and not judged lost, else the acked one
	from               uint32 // acks of packets before this tick are ignored: the peer has lost what they carried
	since              Tick   // first tick at which the row was pending, 0 if it is not
	known              bool   // an ack has confirmed acked; else acked is only what guesses build on
	hidden             bool   // the peer does not belong to the row's audience
}

// row returns what the peer has of row i of an entry's node.
func (p *peer) row(e *entry, i int) *peerRow {
	if e.nrows == 1 {
		return &e.one
	}
	return &p.rows[e.row+uint32(i)]
}

// holder returns what a node notes of a peer, by the peer's index; nil if the node is not
// relevant to it.
func (n *node) holder(peer int32) *holder {
	for i := range n.holders {
		if n.holders[i].peer == peer {
			return &n.holders[i]
		}
	}
	return nil
}

// dropHolder takes a peer off a node's holders. It returns the handle that the node has at
// the peer, noHandle for none.
func (a *Authority) dropHolder(n *node, peer int32) (handle uint32) {
	h, last := n.holder(peer), len(n.holders)-1
	if h == nil {
		return wire.NoHandle
	}
	handle = h.handle
	*h = n.holders[last]
	n.holders = n.holders[:last]
	if handle != wire.NoHandle {
		a.dropHandle(n, a.peers[peer], handle)
	}
	a.noteUnheld(n)
	return handle
}

// prepare allocates what a peer's steady stream needs, some 16 KiB, so that it is not
// allocated piece by piece later.
func (p *peer) prepare() {
	const some, many = 64, 256
	p.lingering, p.lingered = make([]uint32, 0, some), make([]uint32, 0, some)
	p.near.slots, p.queue = make([]uint32, 0, many), make([]uint32, 0, some)
	p.watch.edge = make([]edgeNode, 0, some)
	p.coming, p.going = make([]uint32, 0, some), make([]uint32, 0, some)
	p.checks.plan = make([]wire.Check, 0, wire.MaxChecks)
	p.link.prepare(some)
}

// want makes a node wanted by the peer: it joins the queue for its arrival.
func (p *peer) want(a *Authority, slot uint32) {
	n := &a.nodes[slot]
	p.wanted.Set(slot)
	a.catchUp(n)
	n.holders = append(n.holders, holder{p.index, wire.NoHandle, a.now})
	a.noteHeld(n)
	p.queue, p.busy = append(p.queue, slot), true
	if a.spots[slot].cell >= 0 {
		p.near.add(slot)
		a.tell(p.index, slot)
	}
	if a.onDecide != nil {
		a.onDecide(p.id, n.id, true)
	}
}

// unwant is the reverse: it takes the node away from the peer.
func (p *peer) unwant(a *Authority, slot uint32) {
	n := &a.nodes[slot]
	p.drop(a, slot)
	a.tell(p.index, slot)
	if h := a.dropHolder(n, p.index); h != wire.NoHandle {
		p.startRemoval(a, h, false)
	}
	if a.onDecide != nil {
		a.onDecide(p.id, n.id, false)
	}
}

// drop forgets that a slot is wanted.
func (p *peer) drop(a *Authority, slot uint32) {
	p.wanted.Clear(slot)
	if a.spots[slot].cell >= 0 {
		p.near.cut(slot)
	}
}

// hasHandle reports whether there is a free handle.
func (p *peer) hasHandle() bool {
	return len(p.entries) < wire.MaxHandles || p.handles.FirstClear() < wire.MaxHandles
}

// noteHandlesOut counts that nodes wait for handles, and logs the first time.
func (a *Authority) noteHandlesOut(p *peer) {
	if a.counters.HandlesOut++; a.counters.HandlesOut == 1 {
		a.cfg.Log.Warn("a peer is to have more nodes than it can hold: the rest waits until some of those are gone",
			"peer", p.id, "most", wire.MaxHandles, "remedy", "show peers what is near them, or keep what nobody needs as local entities")
	}
}

// admit gives a node a handle and its rows. The caller codes the arrival.
func (p *peer) admit(a *Authority, slot uint32) uint32 {
	h := p.handles.FirstClear()
	p.handles.Set(h)
	for h >= uint32(len(p.entries)) {
		p.entries, p.visits = append(p.entries, entry{}), append(p.visits, visit{})
	}
	n := &a.nodes[slot]
	e := &p.entries[h]
	*e, p.visits[h] = entry{node: n.id, laid: p.nextTick(a.tick), state: entryComing, gen: e.gen + 1}, visit{}
	if h < uint32(len(p.turns)) {
		p.turns[h] = turn{}
	}
	p.allot(a, e, n)
	p.coming, p.came = append(p.coming, h), true
	n.holder(p.index).handle = h
	a.noteHandle(n, p, h)
	return h
}

// allot gives an entry the rows that its node has now.
func (p *peer) allot(a *Authority, e *entry, n *node) {
	k := len(n.rows)
	e.nrows, e.plain = uint8(k), a.isPlain(n)
	switch free := p.freeRow[k]; {
	case k == 1:
		e.row = n.rows[0]
	case len(free) > 0:
		e.row = free[len(free)-1]
		p.freeRow[k] = free[:len(free)-1]
	default:
		e.row = uint32(len(p.rows))
		p.rows = append(p.rows, make([]peerRow, k)...)
	}
	for i, ri := range n.rows {
		r := &a.rows[ri]
		*p.row(e, i) = peerRow{hidden: !a.sees(p, n, r.t.Audience)}
		if r.touched {
			a.settle(ri) // nobody held the node, so its rows were not settled
		}
	}
}

// isPlain reports whether a node is of the usual kind, of which a peer reads only its
// row: one row that everyone sees, not transient, without a rate of its own.
func (a *Authority) isPlain(n *node) bool {
	return len(n.rows) == 1 && a.rows[n.rows[0]].t.Audience == Everyone && !n.transient && n.spawn.Hz == 0
}

func (p *peer) release(e *entry) {
	if k := int(e.nrows); k != 1 {
		p.freeRow[k] = append(p.freeRow[k], e.row)
	}
	e.nrows, e.plain = 0, false
}

// sees reports whether a peer belongs to an audience of a node.
func (a *Authority) sees(p *peer, n *node, who Audience) bool {
	switch who {
	case Everyone:
		return true
	case OwnerSees:
		return n.owner == p.id
	case OthersSee:
		return n.owner != p.id
	}
	return p.groups>>(who-FirstGroup)&1 != 0
}

// startRemoval starts the removal of the node of a handle.
func (p *peer) startRemoval(a *Authority, h uint32, destroyed bool) {
	e, v := &p.entries[h], &p.visits[h]
	p.release(e)
	e.state, v.destroyed, v.copies, v.inflight = entryGoing, destroyed, 0, 0
	p.marks.clear(markDirty, h)
	p.marks.clear(markLoose, h)
	p.setMoves(e, false)
	p.going, p.came, p.went = append(p.going, h), true, true
	p.goingOf[e.node] = h
}

// refresh has the whole state of a node sent again as an arrival, with its set of
// items.
func (p *peer) refresh(a *Authority, h uint32) {
	e, v := &p.entries[h], &p.visits[h]
	if e.state != entryComing && e.state != entryIn {
		return
	}
	s, ok := a.slot(e.node)
	if !ok {
		return
	}
	p.release(e)
	p.bases.forget(h)
	p.allot(a, e, &a.nodes[s])
	v.relayout = true
	if e.state == entryIn {
		e.state = entryComing
		p.coming = append(p.coming, h)
	}
	p.came = true
	v.copies, v.inflight, v.block = 0, 0, 0
	e.laid = p.nextTick(a.tick)
}

// nextTick is the tick of the peer's next packet: now, or the one after if a packet of
// this tick was already sent.
func (p *peer) nextTick(now Tick) Tick {
	if l := &p.link; l.next > 0 && l.record(l.next-1).tick == now {
		return now + 1
	}
	return now
}

// freeHandle frees a handle whose removal is acked.
func (p *peer) freeHandle(h uint32) {
	e := &p.entries[h]
	delete(p.goingOf, e.node)
	p.heldNoMore(&p.visits[h])
	p.bases.forget(h)
	*e, p.visits[h] = entry{gen: e.gen}, visit{}
	p.handles.Clear(h)
	p.went = true
}
