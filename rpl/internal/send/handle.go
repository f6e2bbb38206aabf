package send

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/store"
)

// handleState is what one handle means to a peer (protocol §6), as far as every update and
// every ack needs it, and the usual arrival and removal: 52 bytes, since a world has as many as nodes
// times the peers that hold each. The rest is in its lifecycle, which few nodes need.
type handleState struct {
	slot  uint32 // of the node; while that is on its way out it may be another's (leavingNode)
	row   uint32 // the node's row if it has one; else where its rows begin in peer.rows; of a node on its way out its tenant
	life  uint32 // number of its lifecycle, 0: it has none
	State uint8
	gen   uint8
	nrows uint8
	notes uint8
	one   peerRow
	transit
}

// A transit is how far the arrival of a handle's node is on its way, or its removal.
type transit struct {
	round    uint16 // ms, when the first copy of this round was sent, as far as there is room
	copies   uint8  // sent in this round
	inflight uint8
}

// begins begins a round of copies.
func (t *transit) begins(now time.Duration) { t.round = uint16(now / time.Millisecond) }

// since is how long ago this round of copies began; it comes round after 65 s.
func (t *transit) since(now time.Duration) time.Duration {
	return time.Duration(uint16(now/time.Millisecond)-t.round) * time.Millisecond
}

// coming is a handle whose arrival is not acked, and since which tick.
type coming struct {
	handle uint32
	since  ids.Tick
}

// leavingNode is the node of an entry that is on its way out.
func (e *handleState) leavingNode() ids.Node { return ids.MakeNode(e.slot, e.row) }

// What an entry's notes say.
const (
	statePlain     = 1 << iota // one row that everyone sees; the node is neither transient nor has a rate of its own
	stateOwnership             // owner or parent must be sent
	stateMoves                 // the node moves by itself at the peer
	stateRated                 // the node has a rate of its own
	stateDestroyed             // it is on its way out because it is there no more
	statePlanned               // a copy of its arrival is in the send that is being planned
	stateRemoved               // its removal is acked; only reliable messages still need the handle
)

const (
	handleFree = iota
	HandleComing
	HandleIn
	HandleGoing
)

func (e *handleState) has(note uint8) bool { return e.notes&note != 0 }

func (e *handleState) note(note uint8, on bool) {
	if e.notes &^= note; on {
		e.notes |= note
	}
}

func (e *handleState) owesOwnership() bool { return e.has(stateOwnership) }

// isPlain reports whether the peer holds a plain node and has no parent or owner to be
// sent.
func (e *handleState) isPlain() bool {
	return e.notes&(statePlain|stateOwnership) == statePlain && e.State == HandleIn
}

// isHere reports whether the peer holds the node or is sent it. Only then is the entry's slot
// the node's.
func (e *handleState) isHere() bool { return e.State == HandleIn || e.State == HandleComing }

// judge notes of what kind a node is.
func (e *handleState) judge(p *Peer, st *store.Store, n *store.Node) {
	e.note(statePlain, st.IsPlain(n) && !p.predicts(n))
	e.note(stateRated, n.Spawn.Hz > 0)
}

// peerRow is what a peer has of one row. A version is named by the tick of the packet
// that carried it, at most one version a tick.
type peerRow struct {
	newest             uint32    // tick of the newest packet that carried the row; of a node on its way out the tick that its removal tells
	carried            [2]uint32 // bit i, the low half first: a packet of tick newest-i carried it
	acked, ackedTick   uint32    // the newest version that the peer is known to have; 0 none
	flight, flightTick uint32    // the newest version sent and not judged lost, else the acked one; of a hidden row 0 and, while a forget is under way, its tick

	// The version before acked that the peer is known to have, and its tick: how much older
	// than acked they are. Without an age no line starts from it; without a number the
	// authority has it no more (line.go).
	secondVer, secondAgo uint8

	notes uint16 // since when the row has been pending, and:
}

const (
	rowKnown   = 1 << 15 // an ack has confirmed acked; else acked is only what speculative updates build on
	rowHidden  = 1 << 14 // the peer does not belong to the row's audience
	rowPending = 1 << 13 // since the tick of which the notes have the bits below this one
	rowSince   = rowPending - 1
)

func (pr *peerRow) known() bool     { return pr.notes&rowKnown != 0 }
func (pr *peerRow) hidden() bool    { return pr.notes&rowHidden != 0 }
func (pr *peerRow) isPending() bool { return pr.notes&rowPending != 0 }

func (pr *peerRow) hide(hidden bool) {
	if pr.notes &^= rowHidden; hidden {
		pr.notes |= rowHidden
	}
}

// pendSince notes that the row has been pending since a tick.
func (pr *peerRow) pendSince(tick ids.Tick) {
	pr.notes = pr.notes&(rowKnown|rowHidden) | rowPending | uint16(tick)&rowSince
}

// pend notes that the row is pending, and returns for how many ticks it has been, this one
// included. The count comes round after two minutes at 60 Hz.
func (pr *peerRow) pend(now ids.Tick) uint32 {
	if !pr.isPending() {
		pr.pendSince(now)
		return 1
	}
	return pr.waited(now) + 1
}

// waited is for how many ticks the row has been pending.
func (pr *peerRow) waited(now ids.Tick) uint32 {
	if !pr.isPending() {
		return 0
	}
	return uint32(uint16(now)-pr.notes) & rowSince
}

// rest notes that the row is not pending.
func (pr *peerRow) rest() { pr.notes &= rowKnown | rowHidden }

// row returns what the peer has of row i of an entry's node.
func (p *Peer) row(e *handleState, i int) *peerRow {
	if e.nrows == 1 {
		return &e.one
	}
	return &p.rows.all[e.row+uint32(i)]
}

// carriers are the bits of carried.
func (pr *peerRow) carriers() uint64 { return uint64(pr.carried[1])<<32 | uint64(pr.carried[0]) }

// begin has a row known anew. Acks of packets before a tick say nothing of it: the peer has
// lost what they carried. What later packets carry, it may have, or get yet.
func (p *Peer) begin(h uint32, i int, tick ids.Tick, hidden bool) {
	pr := p.row(&p.States[h], i)
	was := *pr
	*pr = peerRow{}
	if was.newest >= uint32(tick) {
		pr.newest, pr.carried = was.newest, was.carried
	}
	pr.hide(hidden)
	p.life(h).setFrom(i, tick, &p.Link)
}

// lack has a row known anew that a copy of an arrival lacks, and one before it may have shown: until
// it is known which of them the peer has, nothing builds on what came before this one.
func (p *Peer) lack(h uint32, i int, tick ids.Tick) {
	if pr := p.row(&p.States[h], i); pr.newest > 0 {
		*pr = peerRow{newest: pr.newest, carried: pr.carried, notes: rowHidden}
		p.life(h).setFrom(i, tick+1, &p.Link)
	}
}

// setFrom has acks of packets before a tick say nothing of row i of an entry's node.
func (v *lifecycle) setFrom(i int, tick ids.Tick, l *link.Link) {
	for len(v.from) <= i {
		v.from = append(v.from, 0)
	}
	v.from[i] = max(v.from[i], tick)
	v.outlast(l)
}

// fromOf is the tick from which on acks say something of row i of an entry's node.
func (p *Peer) fromOf(e *handleState, i int) ids.Tick {
	v := p.lifeOf(e)
	if i < len(v.from) {
		return max(v.from[i], v.laid)
	}
	return v.laid
}
