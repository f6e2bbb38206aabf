package rpl

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// A peer is what the authority keeps of one client: what it should hold, what
// it holds as far as its acks tell, and what is on the way. What is looked at in
// every send lies side by side; a peer of whom there is nothing to say costs seven
// lines of a cache.
type peer struct {
	id        Peer
	index     int32
	movers    int32 // nodes that move by themselves at the peer
	streaming bool
	tables    uint8 // number of the newest tables shipped to it, 0 none

	// Stream
	lookAgain bool // everything in reach must be looked at
	looked    bool // … or has been, since an observer has moved
	points    [][2]float64
	point     [1][2]float64 // where the points are, if it is one
	watch     watch

	// Receive, Schedule and Encode
	link    peerLink
	marks   marks
	busy    bool // any of the lists below may have something that mostly have nothing
	came    bool // of those that are coming one may be due, or has come …
	went    bool // … and of those that are going
	tally   tally
	checked time.Duration // when the newest checksum left
	plan    plan
	purse   purse

	// where there is something to say
	coming  []uint32 // handles whose arrival is not acked
	going   []uint32 // handles whose removal is not acked
	entries []entry  // by handle
	visits  []visit
	wanted  bitset // slots that the peer should hold
	edging  bitset // slots of the watch's edge

	enc                    prefix.Encoder
	sentBytes, sentPackets uint64
	coded                  uint64        // bits of updates, while tables are there that were not offered
	offer                  uint64        // of them, when to look whether the tables would pay; 0 as soon as they might
	shipped                uint64        // the reliable message that carried the newest tables
	turned                 uint64        // the first packet coded with those that it has
	tablesAt               time.Duration // when it was last sent some, or has turned to them

	// what comes and goes
	watched   cells // those that the grid tells the peer of, while the watch is on
	groups    uint64
	handles   bitset   // in use, quarantine included
	near      []uint32 // slots wanted that stand in the grid
	lingering []uint32 // slots out of sight whose least stay is not over
	lingered  []uint32
	rows      []peerRow        // of nodes of several
	freeRow   map[int][]uint32 // ranges of rows, by length
	goingOf   map[Node]uint32  // handles whose removal is not acked, by node
	layouts   bitset           // layouts that the peer is known to have

	// lists that are looked at where the peer is busy
	queue  []uint32 // slots wanted whose arrival was not sent yet
	moved  []uint32 // handles of nodes whose new parent the peer is not known to know
	rpc    peerCalls
	checks checks
	resync resync

	turns    []turn // by handle, while more is marked than the room pays for
	bases    bases
	held     []uint32     // of what moved what says nothing in this send
	tmp      []prefix.Sym // what is being written
	blockEnc prefix.Encoder
	blockBuf []byte
}

// isBusy is whether any of the lists has something that mostly have nothing.
func (p *peer) isBusy() bool {
	return len(p.queue)+len(p.moved)+len(p.checks.asked)+len(p.checks.plan)+
		len(p.rpc.ready)+len(p.rpc.waiting)+len(p.rpc.unreliable) > 0 || p.resync.tick != 0 || p.resync.asked
}

// entry is what one handle means to a peer (protocol §6), as far as every update
// and every ack needs it: 64 bytes, one line of a cache. The rest is its visit.
type entry struct {
	node  Node
	row   uint32 // of a node of one row that row; of another where its rows begin in peer.rows
	laid  Tick   // packets before it are of another set of items, or of another node
	state uint8
	gen   uint8
	nrows uint8
	plain bool // one row that everyone sees; the node is neither transient nor has a rate of its own
	meta  bool // owner or parent must be told
	moves bool // by itself, at the peer
	one   peerRow
}

// visit is how a handle's node comes to a peer and leaves it.
type visit struct {
	round    time.Duration // when the round's first copy left
	planned  uint32        // the send for which a copy is planned
	block    uint64        // number of the reliable message with the arrival, 0 none
	fence    uint64        // last reliable message that names the handle
	metaTick Tick          // newest record that told owner and parent, 0 once it has come
	moved    Tick          // since when the node has hung elsewhere than the peer is known to know, 0 if it knows
	told     Tick          // newest update sent
	calls    uint16        // reliable calls that the peer may hold for the arrival
	copies   uint8         // sent in this round
	inflight uint8

	waits     bool // others wait here for a place among those calls
	relayout  bool // the set of items must be told
	destroyed bool
	removed   bool // the removal is acked; only reliable messages keep the handle
}

const (
	entryFree = iota
	entryComing
	entryIn
	entryGoing
)

// peerRow is what a peer has of one row. Versions are named by the tick of the
// packet that carried them: at most one a tick.
type peerRow struct {
	carried            uint64 // bit i: a packet of tick newest-i carried it
	newest             uint32 // tick of the newest packet that carried the row
	acked, ackedTick   uint32 // the newest version known to be there; 0 none
	flight, flightTick uint32 // the newest sent and not judged lost, else the acked one
	from               uint32 // acks of older packets say nothing: the peer has lost what they carried
	since              Tick   // first tick at which something was pending, 0 none
	known              bool   // acked was acked, it is not only what guesses build on
	hidden             bool   // of an audience that the peer does not belong to
}

// row is what the peer has of row i of an entry's node.
func (p *peer) row(e *entry, i int) *peerRow {
	if e.nrows == 1 {
		return &e.one
	}
	return &p.rows[e.row+uint32(i)]
}

func (n *node) holder(peer int32) *holder {
	for i := range n.holders {
		if n.holders[i].peer == peer {
			return &n.holders[i]
		}
	}
	return nil
}

// prepare takes the memory that a peer's steady stream needs at once, so that
// it does not come in bits later: some 16 KiB.
func (p *peer) prepare() {
	const some, many = 64, 256
	p.lingering, p.lingered = make([]uint32, 0, some), make([]uint32, 0, some)
	p.near, p.queue = make([]uint32, 0, many), make([]uint32, 0, some)
	p.watch.edge = make([]edgeNode, 0, some)
	p.coming, p.going = make([]uint32, 0, some), make([]uint32, 0, some)
	p.checks.plan = make([]check, 0, maxChecks)
	p.link.prepare(some)
}

// want puts a node on the way to the peer.
func (p *peer) want(a *Authority, slot uint32) {
	n := &a.nodes[slot]
	p.wanted.set(slot)
	a.catchUp(n)
	n.holders = append(n.holders, holder{p.index, noHandle, a.now})
	a.held(n)
	p.queue, p.busy = append(p.queue, slot), true
	if a.spots[slot].cell >= 0 {
		p.near = append(p.near, slot)
		a.tell(p.index, slot)
	}
	if a.onDecide != nil {
		a.onDecide(p.id, n.id, true)
	}
}

// unwant takes it away again.
func (p *peer) unwant(a *Authority, slot uint32) {
	n := &a.nodes[slot]
	p.drop(slot)
	a.tell(p.index, slot)
	for i := range n.holders {
		if n.holders[i].peer != p.index {
			continue
		}
		h := n.holders[i].handle
		n.holders[i] = n.holders[len(n.holders)-1]
		n.holders = n.holders[:len(n.holders)-1]
		a.unheld(n)
		if h != noHandle {
			p.leave(a, h, false)
		}
		break
	}
	if a.onDecide != nil {
		a.onDecide(p.id, n.id, false)
	}
}

// drop forgets that a slot is wanted.
func (p *peer) drop(slot uint32) {
	p.wanted.clear(slot)
	p.farther(slot)
}

// farther forgets that a slot is held for its distance.
func (p *peer) farther(slot uint32) {
	for i, s := range p.near {
		if s == slot {
			p.near[i] = p.near[len(p.near)-1]
			p.near = p.near[:len(p.near)-1]
			break
		}
	}
}

// hasHandle is whether there is a handle for one more node.
func (p *peer) hasHandle() bool {
	return len(p.entries) < maxHandles || p.handles.firstClear() < maxHandles
}

// noteHandlesOut counts that nodes wait for handles, and says so once.
func (a *Authority) noteHandlesOut(p *peer) {
	if a.counters.HandlesOut++; a.counters.HandlesOut == 1 {
		a.cfg.Log.Warn("a peer is to have more nodes than it can hold: the rest waits until some of those are gone",
			"peer", p.id, "most", maxHandles, "remedy", "show peers what is near them, or keep what nobody needs as local entities")
	}
}

// admit gives a node a handle and its rows; the arrival follows.
func (p *peer) admit(a *Authority, slot uint32) uint32 {
	h := p.handles.firstClear()
	p.handles.set(h)
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
		*p.row(e, i) = peerRow{hidden: !a.sees(p, n, r.t.audience)}
		if r.touched {
			a.settle(ri) // nobody held it, so nobody had settled it
		}
	}
}

// isPlain is whether a node is what most are; the peer then asks for its row
// alone.
func (a *Authority) isPlain(n *node) bool {
	return len(n.rows) == 1 && a.rows[n.rows[0]].t.audience == Everyone && !n.transient && n.spawn.Hz == 0
}

func (p *peer) release(e *entry) {
	if k := int(e.nrows); k != 1 {
		p.freeRow[k] = append(p.freeRow[k], e.row)
	}
	e.nrows, e.plain = 0, false
}

// sees is whether a peer may see what an audience sees of a node.
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

// leave starts the removal of what a handle means.
func (p *peer) leave(a *Authority, h uint32, destroyed bool) {
	e, v := &p.entries[h], &p.visits[h]
	p.release(e)
	e.state, v.destroyed, v.copies, v.inflight = entryGoing, destroyed, 0, 0
	p.marks.clear(markDirty, h)
	p.marks.clear(markLoose, h)
	p.moves(e, false)
	p.going, p.came, p.went = append(p.going, h), true, true
	p.goingOf[e.node] = h
}

// refresh has a node's whole state told again, its set of items with it.
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

// nextTick is the tick of the next packet: the one after now where this tick's
// packets have left already.
func (p *peer) nextTick(now Tick) Tick {
	if l := &p.link; l.next > 0 && l.record(l.next-1).tick == now {
		return now + 1
	}
	return now
}

// gone frees a handle whose removal is acked.
func (p *peer) gone(h uint32) {
	e := &p.entries[h]
	delete(p.goingOf, e.node)
	p.heldNoMore(&p.visits[h])
	p.bases.forget(h)
	*e, p.visits[h] = entry{gen: e.gen}, visit{}
	p.handles.clear(h)
	p.went = true
}
