package rpl

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/rangecode"
)

// The Encode stage packs what Schedule planned for one peer into packets.
//
// A state packet is one range-coded message (docs/SPEC.md has the layout):
// header, removals, arrivals, updates by ascending handle, calls, guesses. Any
// number of packets make a send; each can be read without the others.

// Encode writes one peer's packets of this send. Different peers may be
// encoded at the same time, between Schedule and whatever comes next.
func (a *Authority) Encode(id Peer, now time.Duration, s Sink) {
	p := a.byID[id]
	if p == nil {
		return
	}
	a.sendMessages(p, s)
	k := packer{a: a, p: p, s: s, now: now}
	pl := &p.plan
	if pl.empty() && len(p.rpc.unreliable) == 0 {
		if p.sends(now) {
			k.begin()
			k.fill()
			k.end()
		}
		return
	}
	for !k.done() {
		k.begin()
		k.fill()
		k.end()
	}
	p.rpc.unreliable = p.rpc.unreliable[:0]
}

// sends is whether a peer gets a packet at all, now that all is planned.
func (p *peer) sends(now time.Duration) bool {
	return !p.plan.empty() || len(p.rpc.unreliable) > 0 || p.plan.probe ||
		p.streaming && !p.frozen(now) && now-p.link.lastSent >= heartbeat
}

// sendMessages gives the reliable lane what the room pays for: its share, and
// what the packets of this send leave. The rest waits, in order.
func (a *Authority) sendMessages(p *peer, s Sink) {
	n, room := 0, p.plan.lane+max(p.plan.left, 0)/8
	for _, m := range p.rpc.ready {
		cost := laneCost(m)
		if a.cfg.Budget > 0 && room < cost {
			break
		}
		if s.Reliable(m) != nil {
			break // the lane is full: later
		}
		room -= cost
		p.link.tokens -= cost
		n++
	}
	rest := copy(p.rpc.ready, p.rpc.ready[n:])
	clear(p.rpc.ready[rest:])
	p.rpc.ready = p.rpc.ready[:rest]
}

// packer fills one peer's packets.
type packer struct {
	a   *Authority
	p   *peer
	s   Sink
	now time.Duration

	removal, arrival, update, guess, call int // next of each

	rec  *record
	room int // bits left
}

func (k *packer) done() bool {
	pl := &k.p.plan
	return k.removal == len(pl.removals) && k.arrival == len(pl.arrivals) &&
		k.update == len(pl.updates) && k.guess == len(pl.guesses) && k.call == len(k.p.rpc.unreliable)
}

// endBits is kept free for the ends of the sections and the coder's last bytes.
const endBits = 80

func (k *packer) begin() {
	p, a := k.p, k.a
	seq, room := k.s.Next()
	room = min(room, PacketRoom)
	l := &p.link
	k.rec = l.open(a, p, seq, a.tick, k.now)
	p.enc.Reset(p.buf[:0])
	m := l.model
	e := &p.enc
	e.PutBits(uint32(m.number), 2)
	// A base must be nearer than the peer remembers packets.
	if l.baseTick == 0 || seq-l.base >= recordLen {
		e.Put(m.entry.based.sym(0))
		e.PutBits(uint32(a.tick), 32)
		l.baseTick = 0
	} else {
		e.Put(m.entry.based.sym(1))
		var tmp [8]rangecode.Sym
		s := appendUnsigned(tmp[:0], &m.entry.baseSeq, uint32(seq-l.base))
		s = appendUnsigned(s, &m.entry.baseDelta, uint32(a.tick-l.baseTick))
		e.Put(s...)
	}
	echo := l.inSeen && k.now-l.echoed >= heartbeat
	e.Put(m.entry.flag.sym(flag(echo)))
	if echo {
		l.echoed = k.now
		e.PutBits(uint32(l.inNewest), 16)
		e.PutBits(uint32(min((k.now-l.inAt)/time.Millisecond, 255)), 8)
	}
	p.putChecks(&m.entry, k.rec, k.now)
	k.room = room*8 - e.Len()*8 - endBits
}

func (k *packer) fill() {
	p, pl := k.p, &k.p.plan
	m := p.link.model
	start := k.removal + k.arrival + k.update + k.guess + k.call
	p.touchRows(pl.recs)
	for k.removal < len(pl.removals) && k.fits(&pl.removals[k.removal]) {
		k.put(m.entry.more.sym(1), &pl.removals[k.removal])
		k.removal++
	}
	p.enc.Put(m.entry.more.sym(0))
	for k.arrival < len(pl.arrivals) && k.fits(&pl.arrivals[k.arrival]) {
		k.put(m.entry.more.sym(1), &pl.arrivals[k.arrival])
		k.arrival++
	}
	p.enc.Put(m.entry.more.sym(0))
	k.update = k.section(pl.updates, k.update)
	for k.call < len(p.rpc.unreliable) && k.room > len(p.rpc.unreliable[k.call])*8+nameBits {
		b := p.rpc.unreliable[k.call]
		p.enc.Put(m.entry.more.sym(1))
		p.tmp = appendBytes(p.tmp[:0], &m.entry.length, b)
		p.enc.Put(p.tmp...)
		k.room -= len(b)*8 + nameBits
		k.call++
	}
	p.enc.Put(m.entry.more.sym(0))
	k.guess = k.section(pl.guesses, k.guess)
	if start == k.removal+k.arrival+k.update+k.guess+k.call && !k.done() {
		k.block() // the next piece is larger than any packet
	}
}

// section writes pieces by their gaps until one does not fit; 0 ends it.
func (k *packer) section(pieces []piece, at int) int {
	t := &k.p.link.model.entry.gap
	last := uint32(0)
	for ; at < len(pieces); at++ {
		pc := &pieces[at]
		if pc.skip {
			continue
		}
		if !k.fits(pc) {
			break
		}
		var tmp [4]rangecode.Sym
		k.p.enc.Put(appendUnsigned(tmp[:0], t, pc.handle+1-last)...)
		last = pc.handle + 1
		k.room -= nameBits / 2
		k.pack(pc)
	}
	k.p.enc.Put(t.sym(0))
	return at
}

func (k *packer) fits(pc *piece) bool { return pc.bits+nameBits <= k.room }

func (k *packer) put(more rangecode.Sym, pc *piece) {
	k.p.enc.Put(more)
	k.pack(pc)
}

// pack writes a piece and notes what it carries.
func (k *packer) pack(pc *piece) {
	k.p.enc.Put(k.a.syms[pc.at : pc.at+pc.n]...)
	k.room = min(k.room-pc.bits, k.room)
	recs := k.p.plan.recs[pc.recAt : pc.recAt+pc.recN]
	k.rec.entries = append(k.rec.entries, recs...)
	k.a.sent(k.p, recs, k.rec.tick, k.now, 0)
}

// sent notes that records have left in a packet or block of a tick.
func (a *Authority) sent(p *peer, recs []recEntry, tick Tick, now time.Duration, block uint32) {
	for i := range recs {
		re := &recs[i]
		if re.kind == recLayout {
			continue
		}
		e := &p.entries[re.handle]
		if block != 0 && block > e.fence {
			e.fence = block
		}
		switch re.kind {
		case recRow, recGuess:
			pr := &p.rows[e.row0+uint32(re.row)]
			pr.flight, pr.flightTick, e.told = re.ver, uint32(tick), tick
			pr.carry(uint32(tick))
			pr.since = 0 // urgency begins anew; a loss restores it
			if !e.meta {
				p.dirty.clear(re.handle)
			}
			if e.state == entryComing && re.kind == recRow && !pr.known && (e.copies == 0 || pr.acked == 0) {
				pr.acked, pr.ackedTick = re.ver, uint32(tick) // what guesses build on
			}
		case recArrival, recRemoval:
			if e.copies == 0 {
				e.round = now
			}
			e.copies++
			e.inflight++
			if re.kind == recArrival {
				e.block = block
			}
		case recForget:
			p.rows[e.row0+uint32(re.row)] = peerRow{hidden: true, from: uint32(tick)}
			if !e.meta {
				p.dirty.clear(re.handle)
			}
		case recMeta:
			e.meta, e.metaTick = false, tick
		}
	}
}

// carry notes that a packet of a tick carried the row.
func (pr *peerRow) carry(tick uint32) {
	if d := tick - pr.newest; d < 64 {
		pr.carried = pr.carried<<d | 1
	} else {
		pr.carried = 1
	}
	pr.newest = tick
}

func (k *packer) end() {
	p := k.p
	b := p.enc.Finish()
	p.buf = b[:0]
	k.s.Datagram(b)
	k.a.spend(p, len(b)+PacketOverhead)
}

func (a *Authority) spend(p *peer, n int) {
	p.link.tokens -= float64(n)
	p.sentBytes += uint64(n)
	p.sentPackets++
}
