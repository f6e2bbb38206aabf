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
	p, s, pl := k.p, k.sender, &k.p.plan
	m := p.Model
	var b *bundle
	arrival := false
	switch {
	case k.arrival < pl.arrivals.len():
		b, arrival = &pl.arrivals.in(s.Updates.bundles.arrivals)[k.arrival], true
		k.arrival++
	case k.update < pl.updates.len():
		b = &pl.updates.in(s.Updates.bundles.updates)[k.update]
		k.update++
		k.last = b.handle + 1
		k.complete.Left = k.complete.Left || p.predicts(&s.store.Nodes[p.States[b.handle].slot]) // no packet waits for a block
	case k.speculative < pl.speculative.len():
		k.speculative++ // it can wait for the arrival's ack
		return
	default:
		return
	}
	e := &p.block.enc
	e.Reset(append(p.block.buf[:0], wire.MsgBlock))
	e.PutBits(uint32(m.Number), 2)
	e.PutBits(uint32(s.store.Tick), 32)
	e.PutBits(uint32(p.Link.BaseTick), 32)
	if m.Lines() {
		w := &p.Link.Sends.Window
		e.PutBits(uint32(flag(w.Sends > 0)), 1)
		if w.Sends > 0 {
			e.PutBits(uint32(p.Link.BaseTick)-w.Since, 8)
			e.PutBits(uint32(w.Step), 8)
		}
	}
	recs := s.Updates.recsOf(b)
	var layouts []link.Entry
	if arrival {
		e.Put(m.Entry.Form.Sym(coder.FormArrived))
		p.block.syms, layouts = s.Updates.appendArrivals(p, p.block.syms[:0], nil, b, &arrivals{before: coder.NoArrival})
		e.Put(p.block.syms...)
		e.Put(m.Entry.Arrive.Sym(0))
	} else {
		e.Put(m.Entry.Form.Sym(0))
		e.PutOne(m.Entry.Name(b.special, b.handle+1))
		b.bare().put(e, s.Updates.syms)
	}
	e.Put(m.Entry.Gap.Sym(coder.GapEnd))
	msg := e.Finish()
	p.block.buf = msg[:0]
	if len(msg) > wire.MaxLong {
		p.tally.tooLong = s.store.Nodes[p.States[b.handle].slot].ID
		return
	}
	p.queueMessage(append([]byte(nil), msg...))
	p.Link.Blocks = append(p.Link.Blocks, link.Block{Number: p.RPC.Ready.Sent, Tick: s.store.Tick, Entries: append(layouts, recs...)})
	if arrival && !b.isShort() {
		p.sent(recs, s.store.Tick, k.now)
	}
	p.inBlock(recs, p.RPC.Ready.Sent)
	p.tally.blocks++
}

// judgeBlocks voids the blocks that still wait outside the lane and carry what their peer
// may not see any more. An empty message is sent in such a block's place, since messages
// are acked by count. What else the block carried is sent again once the lane has taken that
// message, and not before: so one block of a node waits, however often rights change.
func (rc *receiver) judgeBlocks(p *Peer) {
	given := p.RPC.Ready.Given()
	for i := range p.Link.Blocks {
		switch b := &p.Link.Blocks[i]; {
		case b.Number <= given:
			if b.Void {
				rc.sendAnew(p, b)
			}
		case !b.Void && !rc.maySee(p, b):
			b.Void = true
			p.RPC.Ready.Replace(b.Number, rc.voidBlock())
		}
	}
}

// maySee is whether a peer may see every row that a block carries, and still has, or is
// to get, the node with those rows.
func (rc *receiver) maySee(p *Peer, b *link.Block) bool {
	for i := range b.Entries {
		re := &b.Entries[i]
		if re.Kind != recRow {
			continue
		}
		e := &p.States[re.Handle]
		if !e.isHere() || e.gen != re.Gen || b.Tick < p.lifeOf(e).laid {
			return false
		}
		n := &rc.store.Nodes[e.slot]
		if !p.Sees(n, rc.store.Rows[n.Rows()[re.Row]].Type.Audience) {
			return false
		}
	}
	return true
}

// sendAnew has what a void block carried sent again, by whatever way it then fits.
func (rc *receiver) sendAnew(p *Peer, b *link.Block) {
	for i := range b.Entries {
		if re := &b.Entries[i]; re.Kind == recArrival && p.lifeAt(re.Handle).block == b.Number {
			p.life(re.Handle).block = 0
			p.came, p.arrivals.lost = true, true
		}
	}
	rc.lostEntries(p, b.Entries, b.Tick)
	b.Entries = nil
}

// voidBlock encodes a block that says nothing.
func (rc *receiver) voidBlock() []byte {
	var e prefix.Encoder
	m := &rc.sender.Tables.Defaults.Entry
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
func (s *Sender) holdLong(p *Peer) {
	if p.RPC.Ready.Len() == 0 {
		return
	}
	given := p.RPC.Ready.Given()
	updates := p.plan.updates.in(s.Updates.bundles.updates)
	for i := range updates {
		if b := &updates[i]; b.bits > smallBits && b.name != cohortName && p.lifeAt(b.handle).fence > given {
			b.skip = true
			p.plan.updateBits -= int32(b.bits)
		}
	}
}

// smallBits is how long an update may be that is sure to fit a packet, even one shared
// with the reliable lane.
const smallBits = wire.PacketRoom/2*8 - wire.HeaderBits
