package rpl

// A block is what exceeds a packet: one arrival or one update, as the body of
// a packet of its own, on the reliable lane. It is acked by the count of
// reliable messages that the peer has applied.
//
//	type 1, model 2 bits, tick 32, base tick 32, form, then the sections of a packet

// block sends the first piece that no packet can hold as a block.
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
	e.Reset(append(p.blockBuf[:0], msgBlock))
	e.PutBits(uint32(m.number), 2)
	e.PutBits(uint32(a.tick), 32)
	e.PutBits(uint32(p.link.baseTick), 32)
	if arrival {
		e.Put(m.entry.form.sym(formArrived))
		pc.codes.put(e, a.syms)
		e.Put(m.entry.arrive.sym(0))
	} else {
		e.Put(m.entry.form.sym(0))
		e.PutOne(m.entry.name(pc.special, pc.handle+1))
		pc.bare().put(e, a.syms)
	}
	e.Put(m.entry.gap.sym(gapEnd))
	msg := e.Finish()
	p.blockBuf = msg[:0]
	recs := a.recsOf(pc)
	p.link.sent++
	p.link.blocks = append(p.link.blocks, blockRecord{number: p.link.sent, tick: a.tick, entries: append([]recEntry(nil), recs...)})
	if arrival {
		p.sent(recs, a.tick, k.now)
	}
	p.inBlock(recs, p.link.sent)
	p.rpc.ready, p.busy = append(p.rpc.ready, append([]byte(nil), msg...)), true
	p.tally.blocks++
}

// holdLong puts off the updates that may become blocks, of nodes of which a message
// waits for the lane: where the lane takes less than changes there would be more and
// more of them.
func (a *Authority) holdLong(p *peer) {
	if len(p.rpc.ready) == 0 {
		return
	}
	given := p.link.sent - uint64(len(p.rpc.ready))
	updates := p.plan.updates.in(a.pieces.updates)
	for i := range updates {
		if u := &updates[i]; u.bits > smallBits && p.visits[u.handle].fence > given {
			u.skip = true
			p.plan.updateBits -= int32(u.bits)
		}
	}
}

// smallBits is what surely fits a packet, also one that the lane shares.
const smallBits = PacketRoom/2*8 - headerBits
