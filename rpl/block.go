package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A block is one arrival or one update that is too long for a packet, sent on the
// reliable lane with the layout of a packet's body. It is acked by the count of
// reliable messages that the peer has applied.
//
//	type 1 byte = 2, then bits: model 2, tick 32, base tick 32 (0: none), form, then the
//	sections of a packet

// block sends the next piece, which no packet can hold, as a block.
func (k *packer) block() {
	p, a, pl := k.p, k.a, &k.p.plan
	m := p.link.model
	var pc *piece
	arrival := false
	switch {
	case k.arrival < pl.arrivals.len():
		pc, arrival = &pl.arrivals.in(a.pieces.arrivals)[k.arrival], true
		k.arrival++
	case k.update < pl.updates.len():
		pc = &pl.updates.in(a.pieces.updates)[k.update]
		k.update++
		k.last = pc.handle + 1
	case k.guess < pl.guesses.len():
		k.guess++ // it can wait for the arrival's ack
		return
	default:
		return
	}
	e := &p.blockEnc
	e.Reset(append(p.blockBuf[:0], wire.MsgBlock))
	e.PutBits(uint32(m.Number), 2)
	e.PutBits(uint32(a.tick), 32)
	e.PutBits(uint32(p.link.baseTick), 32)
	if arrival {
		e.Put(m.Entry.Form.Sym(coder.FormArrived))
		pc.codes.put(e, a.syms)
		e.Put(m.Entry.Arrive.Sym(0))
	} else {
		e.Put(m.Entry.Form.Sym(0))
		e.PutOne(m.Entry.Name(pc.special, pc.handle+1))
		pc.bare().put(e, a.syms)
	}
	e.Put(m.Entry.Gap.Sym(coder.GapEnd))
	msg := e.Finish()
	p.blockBuf = msg[:0]
	if len(msg) > wire.MaxLong {
		p.tally.tooLong = p.entries[pc.handle].node
		return
	}
	recs := a.recsOf(pc)
	p.say(append([]byte(nil), msg...))
	p.link.blocks = append(p.link.blocks, blockRecord{number: p.link.sent, tick: a.tick, entries: append([]recEntry(nil), recs...)})
	if arrival {
		p.sent(recs, a.tick, k.now)
	}
	p.inBlock(recs, p.link.sent)
	p.tally.blocks++
}

// given is how many reliable messages the peer's lane has taken: a peer cannot
// truthfully claim to have applied more.
func (p *peer) given() uint64 { return p.link.sent - uint64(len(p.rpc.ready)) }

// judgeBlocks voids the blocks that still wait outside the lane and tell what their peer
// may not see any more. An empty message is sent in such a block's place, since messages
// are acked by count. What else the block told is sent again once the lane has taken that
// message, and not before: so one block of a node waits, however often rights change.
func (a *Authority) judgeBlocks(p *peer) {
	given := p.given()
	for i := range p.link.blocks {
		switch b := &p.link.blocks[i]; {
		case b.number <= given:
			if b.void {
				a.sayAnew(p, b)
			}
		case !b.void && !a.mayTell(p, b):
			b.void = true
			at := b.number - given - 1
			p.rpc.bytes -= len(p.rpc.ready[at])
			p.rpc.ready[at] = a.voidBlock()
			p.rpc.bytes += len(p.rpc.ready[at])
			if at == 0 && p.rpc.given > 0 {
				p.rpc.given = -1
			}
		}
	}
}

// mayTell is whether a peer may see every row that a block carries, and still has, or is
// to get, the node with those rows.
func (a *Authority) mayTell(p *peer, b *blockRecord) bool {
	for i := range b.entries {
		re := &b.entries[i]
		if re.kind != recRow {
			continue
		}
		e := &p.entries[re.handle]
		slot, ok := a.slot(e.node)
		if !ok || e.gen != re.gen || b.tick < e.laid || e.state == entryGoing {
			return false
		}
		n := &a.nodes[slot]
		if !a.sees(p, n, a.rows[n.rows[re.row]].t.Audience) {
			return false
		}
	}
	return true
}

// sayAnew has what a void block carried sent again, by whatever way it then fits.
func (a *Authority) sayAnew(p *peer, b *blockRecord) {
	for i := range b.entries {
		if re := &b.entries[i]; re.kind == recArrival && p.visits[re.handle].block == b.number {
			p.visits[re.handle].block = 0
		}
	}
	a.lostEntries(p, b.entries, b.tick)
	b.entries = nil
}

// voidBlock encodes a block that says nothing.
func (a *Authority) voidBlock() []byte {
	var e prefix.Encoder
	m := &a.defaults.Entry
	e.Reset([]byte{wire.MsgBlock})
	e.PutBits(0, 2)
	e.PutBits(0, 32)
	e.PutBits(0, 32)
	e.Put(m.Form.Sym(0), m.Gap.Sym(coder.GapEnd))
	return e.Finish()
}

// holdLong postpones each update that may become a block while a message about its node
// waits for the lane: a node that changes faster than the lane takes blocks would pile
// up more and more of them.
func (a *Authority) holdLong(p *peer) {
	if len(p.rpc.ready) == 0 {
		return
	}
	given := p.given()
	updates := p.plan.updates.in(a.pieces.updates)
	for i := range updates {
		if u := &updates[i]; u.bits > smallBits && u.name != alikeName && p.visits[u.handle].fence > given {
			u.skip = true
			p.plan.updateBits -= int32(u.bits)
		}
	}
}

// smallBits is how long an update may be that is sure to fit a packet, even one shared
// with the reliable lane.
const smallBits = PacketRoom/2*8 - wire.HeaderBits
