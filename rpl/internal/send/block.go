package send

import (
	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A block is one arrival or one update that is too long for a packet, sent on the
// reliable lane with the layout of a packet's body. It is acked by the count of
// reliable messages that the peer has applied.
//
//	type 1 byte = 2, then bits: model 2, tick 32, base tick 32 (0: none), with lines the
//	window (1 bit, 1: the ticks that its oldest and its newest send are older than the
//	base, 8 each), form, then the sections of a packet

// block sends the next bundle, which no packet can hold, as a block.
func (k *packer) block() {
	p, a, pl := k.p, k.a, &k.p.plan
	m := p.Model
	var pc *bundle
	arrival := false
	switch {
	case k.arrival < pl.arrivals.len():
		pc, arrival = &pl.arrivals.in(a.Updates.bundles.arrivals)[k.arrival], true
		k.arrival++
	case k.update < pl.updates.len():
		pc = &pl.updates.in(a.Updates.bundles.updates)[k.update]
		k.update++
		k.last = pc.handle + 1
		k.complete.Left = k.complete.Left || p.predicts(&a.store.Nodes[p.States[pc.handle].slot]) // no packet waits for a block
	case k.speculative < pl.speculative.len():
		k.speculative++ // it can wait for the arrival's ack
		return
	default:
		return
	}
	e := &p.block.enc
	e.Reset(append(p.block.buf[:0], wire.MsgBlock))
	e.PutBits(uint32(m.Number), 2)
	e.PutBits(uint32(a.store.Tick), 32)
	e.PutBits(uint32(p.Link.BaseTick), 32)
	if m.Lines() {
		w := &p.Link.Sends.Window
		e.PutBits(uint32(flag(w.Sends > 0)), 1)
		if w.Sends > 0 {
			e.PutBits(uint32(p.Link.BaseTick)-w.Since, 8)
			e.PutBits(uint32(w.Step), 8)
		}
	}
	recs := a.Updates.recsOf(pc)
	var layouts []link.Entry
	if arrival {
		e.Put(m.Entry.Form.Sym(coder.FormArrived))
		p.block.syms, layouts = a.Updates.appendArrivals(p, p.block.syms[:0], nil, pc, &arrivals{before: coder.NoArrival})
		e.Put(p.block.syms...)
		e.Put(m.Entry.Arrive.Sym(0))
	} else {
		e.Put(m.Entry.Form.Sym(0))
		e.PutOne(m.Entry.Name(pc.special, pc.handle+1))
		pc.bare().put(e, a.Updates.syms)
	}
	e.Put(m.Entry.Gap.Sym(coder.GapEnd))
	msg := e.Finish()
	p.block.buf = msg[:0]
	if len(msg) > wire.MaxLong {
		p.tally.tooLong = a.store.Nodes[p.States[pc.handle].slot].ID
		return
	}
	p.queueMessage(append([]byte(nil), msg...))
	p.Link.Blocks = append(p.Link.Blocks, link.Block{Number: p.Link.Sent, Tick: a.store.Tick, Entries: append(layouts, recs...)})
	if arrival {
		p.sent(recs, a.store.Tick, k.now)
	}
	p.inBlock(recs, p.Link.Sent)
	p.tally.blocks++
}

// given is how many reliable messages the peer's lane has taken: a peer cannot
// truthfully claim to have applied more.
func (p *Peer) given() uint64 { return p.Link.Sent - uint64(len(p.RPC.Ready)) }

// judgeBlocks voids the blocks that still wait outside the lane and carry what their peer
// may not see any more. An empty message is sent in such a block's place, since messages
// are acked by count. What else the block carried is sent again once the lane has taken that
// message, and not before: so one block of a node waits, however often rights change.
func (a *receiver) judgeBlocks(p *Peer) {
	given := p.given()
	for i := range p.Link.Blocks {
		switch b := &p.Link.Blocks[i]; {
		case b.Number <= given:
			if b.Void {
				a.sendAnew(p, b)
			}
		case !b.Void && !a.maySee(p, b):
			b.Void = true
			at := b.Number - given - 1
			p.RPC.Bytes -= len(p.RPC.Ready[at])
			p.RPC.Ready[at] = a.voidBlock()
			p.RPC.Bytes += len(p.RPC.Ready[at])
			if at == 0 && p.RPC.given > 0 {
				p.RPC.given = -1
			}
		}
	}
}

// maySee is whether a peer may see every row that a block carries, and still has, or is
// to get, the node with those rows.
func (a *receiver) maySee(p *Peer, b *link.Block) bool {
	for i := range b.Entries {
		re := &b.Entries[i]
		if re.Kind != recRow {
			continue
		}
		e := &p.States[re.Handle]
		if !e.isHere() || e.gen != re.Gen || b.Tick < p.lifeOf(e).laid {
			return false
		}
		n := &a.store.Nodes[e.slot]
		if !p.Sees(n, a.store.Rows[n.Rows()[re.Row]].Type.Audience) {
			return false
		}
	}
	return true
}

// sendAnew has what a void block carried sent again, by whatever way it then fits.
func (a *receiver) sendAnew(p *Peer, b *link.Block) {
	for i := range b.Entries {
		if re := &b.Entries[i]; re.Kind == recArrival && p.lifeAt(re.Handle).block == b.Number {
			p.life(re.Handle).block = 0
			p.came, p.arrivals.lost = true, true
		}
	}
	a.lostEntries(p, b.Entries, b.Tick)
	b.Entries = nil
}

// voidBlock encodes a block that says nothing.
func (a *receiver) voidBlock() []byte {
	var e prefix.Encoder
	m := &a.sender.Tables.Defaults.Entry
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
func (a *Sender) holdLong(p *Peer) {
	if len(p.RPC.Ready) == 0 {
		return
	}
	given := p.given()
	updates := p.plan.updates.in(a.Updates.bundles.updates)
	for i := range updates {
		if u := &updates[i]; u.bits > smallBits && u.name != cohortName && p.lifeAt(u.handle).fence > given {
			u.skip = true
			p.plan.updateBits -= int32(u.bits)
		}
	}
}

// smallBits is how long an update may be that is sure to fit a packet, even one shared
// with the reliable lane.
const smallBits = wire.PacketRoom/2*8 - wire.HeaderBits
