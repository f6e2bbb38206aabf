package send

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The Encode stage packs what Schedule planned for one peer into packets.
//
// A state packet is one message of prefix codes (docs/SPEC.md has the layout): header,
// removals, arrivals, calls, updates by ascending handle, speculative updates. A send may take any
// number of packets; each can be read without the others.

// Encode is Authority.Encode.
func (s *Sender) Encode(id ids.Peer, now time.Duration, out wire.Sink) {
	p := s.ByID.Find(id)
	if p == nil {
		return
	}
	if p.busy {
		s.sendMessages(p, out)
	}
	if !s.sends(p, now) {
		p.trails = p.trails>>1 | p.trails&1 // what was to leave now is held
		return
	}
	p.trails = p.trails>>1 | uint8(flag(!p.plan.updates.empty())) | uint8(0b101*flag(!p.plan.empty() && p.Link.Unheard()))
	k := packer{sender: s, p: p, s: out, now: now}
	k.ahead = p.Link.TouchNext() + p.enc.Touch() + p.again.touch(&p.Link) + uint32(p.bucket.Tokens) // all at once
	k.scanPredicted()
	for {
		k.begin()
		k.fill()
		if k.end(); k.done() {
			break
		}
		k.named = wire.SentSet{}
	}
	if p.busy {
		p.RPC.spares.Put(p.RPC.Unreliable[:p.RPC.paid])
		rest := copy(p.RPC.Unreliable, p.RPC.Unreliable[p.RPC.paid:])
		clear(p.RPC.Unreliable[rest:])
		p.RPC.Unreliable, p.RPC.paid = p.RPC.Unreliable[:rest], 0
	}
}

// sends is whether a peer gets any packet in this send, once everything is planned. After
// one with updates it always gets another: only that shows it at once that what it saw
// moving has come to rest. So it does when an update of what has a rate of its own is due again,
// and in the next send and the third while no ack tells how long acks take: only that of a later packet
// shows a loss then.
func (s *Sender) sends(p *Peer, now time.Duration) bool {
	return !p.plan.empty() || p.busy && p.RPC.paid > 0 || p.plan.probe ||
		!p.plan.held && (p.trails&1 != 0 || now-p.Link.LastSent >= s.beat(p))
}

// beat is the longest time that a peer goes without a packet. If something moves by
// itself there and packets are lost, every send has a packet, unless the bucket is half
// empty: what is drawn lags two sends behind, so the loss of one packet does not show.
func (s *Sender) beat(p *Peer) time.Duration {
	switch {
	case p.movers == 0:
		return wire.Heartbeat
	case p.Link.Lossy() && (s.Planner.budget.Rate == 0 || p.bucket.Room > p.bucket.Size/2):
		return 0
	}
	return wire.MovingBeat
}

// setMoves notes whether a handle's node moves by itself at the peer.
func (p *Peer) setMoves(e *handleState, does bool) {
	if e.has(stateMoves) != does {
		e.note(stateMoves, does)
		p.movers += int32(2*flag(does) - 1)
	}
}

// sendMessages gives the reliable lane what the room pays for: the lane's share, and
// what the packets of this send leave over. The rest waits, in order.
func (s *Sender) sendMessages(p *Peer, out wire.Sink) {
	room := p.bucket.Lane + max(p.bucket.Left, 0)/8
	p.RPC.Ready.Give(func(part []byte) bool {
		cost := p.laneCost(len(part))
		if s.Planner.budget.Rate > 0 && (room < cost || !p.bucket.LaneTakes(0, cost, part[0] != wire.MsgCall)) || out.Reliable(part) != nil {
			return false // what the lane has no room for goes later
		}
		room -= cost
		p.bucket.Charge(cost)
		return true
	})
}

// Flush is Authority.Flush.
func (s *Sender) Flush(id ids.Peer, out wire.Sink) {
	p := s.ByID.Find(id)
	if p == nil {
		return
	}
	p.RPC.Ready.Give(func(part []byte) bool { return out.Reliable(part) == nil })
	s.Accounts.Counters.CallsDropped += uint64(p.RPC.Ready.Len() + len(p.RPC.Waiting))
	p.RPC.Ready.Clear()
	clear(p.RPC.Waiting)
	p.RPC.Waiting = p.RPC.Waiting[:0]
}

// packer fills the packets of one peer's send.
type packer struct {
	sender *Sender
	p      *Peer
	s      wire.Sink
	now    time.Duration

	removal, arrival, update, speculative, call int // indices of the next ones to pack

	folded int // how many of the updates that the next bundle stands for are packed (cohort.go)

	last uint32 // one past the handle of the last update, in whichever packet: the recorded name of the next one counts from it

	complete link.Parts

	rec   *link.Record
	form  int
	named wire.SentSet // by the packet
	room  int          // bits left in the packet
	ahead uint32       // sum of what was read ahead, so that the compiler keeps the reads
}

func (k *packer) done() bool {
	pl := &k.p.plan
	return k.removal == pl.removals.len() && k.arrival == pl.arrivals.len() &&
		k.update == pl.updates.len() && k.speculative == pl.speculative.len() && !k.hasCalls()
}

// progress grows with everything that is packed.
func (k *packer) progress() int {
	return (k.removal+k.arrival+k.update+k.speculative+k.call)<<6 + k.folded // a bundle stands for fewer than 64 updates
}

func (k *packer) hasCalls() bool { return k.p.busy && k.call < k.p.RPC.paid }

// begin opens a packet and writes its header.
func (k *packer) begin() {
	p, s := k.p, k.sender
	seq, room := k.s.Next()
	room = min(room, wire.PacketRoom)
	l := &p.Link
	tick := s.store.Tick
	if p.plan.held {
		tick = l.LastTick // a probe says nothing of the time since: what moves by itself at the peer waits there
	}
	if old := l.Displaced(seq); old != nil {
		s.Receiver.lost(p, old)
	}
	k.rec = l.Begin(seq, tick, k.now)
	p.enc.Again()
	m := p.Model
	e := &p.enc
	pl := &p.plan
	// The base must be among the last RecordLen packets: only those are remembered.
	full := l.BaseTick == 0 || seq-l.Base >= wire.RecordLen
	echo := l.InSeen && k.now-l.Echoed >= wire.Heartbeat
	k.form = coder.FormFull*flag(full) | coder.FormEcho*flag(echo) |
		coder.FormRemoved*flag(k.removal < pl.removals.len()) | coder.FormArrived*flag(k.arrival < pl.arrivals.len()) |
		coder.FormSpeculative*flag(k.speculative < pl.speculative.len())
	if p.busy {
		k.form |= coder.FormChecks*flag(len(p.checks.plan) > 0) | coder.FormCalls*flag(k.hasCalls())
	}
	if (p.predicted.on || k.complete.Left) && k.complete.Begin(seq, func() bool { return k.fitsWhole(room) }) {
		k.form |= coder.FormChecks
	}
	if k.hasRuns(seq) {
		k.form |= coder.FormAgain
	}
	head := prefix.Run{}.Raw(uint32(m.Number), 2).With(m.Entry.Form.Run(uint(k.form)))
	if full {
		e.PutOne(head.Raw(uint32(tick), 32).Sym())
		l.BaseTick = 0
	} else {
		back, delta := uint32(seq-l.Base), uint32(tick-l.BaseTick)
		e.PutOne(head.With(coder.Unsigned(&m.Entry.Back, back).Run()).Sym())
		e.PutOne(coder.Signed(&m.Entry.Delta, int32(delta-back)))
		if m.Lines() {
			n := l.Sends.InWindow(k.sender.store.Send)
			if e.PutBits(uint32(flag(n == wire.LineSends)), 1); n != wire.LineSends {
				e.PutBits(n, wire.LineBits)
			}
		}
	}
	if echo {
		l.Echoed = k.now
		e.PutBits(uint32(l.InNewest), wire.EchoBits)
		e.PutBits(uint32(min((k.now-l.InAt)/time.Millisecond, wire.MostHeld)), 8)
	}
	if k.form&coder.FormChecks != 0 {
		e.PutBits(uint32(flag(k.complete.Written)), 1)
		p.putChecks(&m.Entry, k.rec, k.now)
	}
	k.room = room*8 - e.Len()*8 - wire.EndBits
}

// fill writes the packet's sections, each as far as its bundles fit. If the next bundle would
// not fit an empty packet either, it becomes a block.
func (k *packer) fill() {
	p, pl := k.p, &k.p.plan
	m := p.Model
	start := k.progress()
	if k.form&coder.FormRemoved != 0 {
		k.removal += k.putRemovals(pl.removals.in(k.sender.Updates.bundles.removals)[k.removal:])
		p.enc.PutOne(m.Entry.Remove.Sym(0))
	}
	if k.form&coder.FormArrived != 0 {
		k.arrival += k.putArrivals(pl.arrivals.in(k.sender.Updates.bundles.arrivals)[k.arrival:])
		p.enc.PutOne(m.Entry.Arrive.Sym(0))
	}
	if k.form&coder.FormCalls != 0 {
		k.calls()
	}
	if k.form&coder.FormAgain != 0 {
		k.putRuns()
	}
	begun := start != k.progress()
	if k.update == 0 && pl.together && k.p.updatesMost() > k.room {
		k.ownershipFirst()
	}
	if !begun || k.update > 0 || int(p.plan.ownershipBits) <= k.room {
		k.updates()
	} // else those with a new parent or owner go together in the next packet
	p.enc.PutOne(m.Entry.Gap.Sym(coder.GapEnd))
	if k.form&coder.FormSpeculative != 0 {
		k.speculativeUpdates()
	}
	if start == k.progress() && !k.done() {
		k.block() // the next bundle fits no packet
	}
	k.putCompleteness()
}

// calls writes the unreliable calls that fit.
func (k *packer) calls() {
	p := k.p
	for k.call < p.RPC.paid && k.room > len(p.RPC.Unreliable[k.call])*8+wire.NameBits {
		b := p.RPC.Unreliable[k.call]
		p.enc.PutBits(1, 1)
		p.block.syms = coder.AppendBytes(p.block.syms[:0], &p.Model.Entry.Length, b)
		p.enc.Put(p.block.syms...)
		k.room -= len(b)*8 + wire.NameBits
		k.call++
	}
	p.enc.PutBits(0, 1)
}

// updating is how far the updates of a packet are written.
type updating struct {
	runs     prefix.Batch
	from, to uint32 // range of entries not yet noted in the packet's record
	last     uint32 // one past the handle of the update before, in this packet
}

// updates writes updates until one does not fit, or has a lower handle than the one
// before it. They are recorded already.
func (k *packer) updates() {
	u := updating{runs: prefix.Batch{E: &k.p.enc}}
	bundles := k.p.plan.updates.in(k.sender.Updates.bundles.updates)
	for k.update = k.putUpdates(&u, bundles, k.update); k.update < len(bundles) && k.cohort(&u, &bundles[k.update]); {
		k.update = k.putUpdates(&u, bundles, k.update+1)
	}
	k.carries(u.from, u.to)
	u.runs.Put()
}

// putUpdates writes updates from number i on, until one does not fit or is a bundle of
// planFromCohort, and returns the number of the next.
func (k *packer) putUpdates(u *updating, bundles []bundle, i int) int {
	m := &k.p.Model.Entry
	from, to, last, room := u.from, u.to, u.last, k.room
	for ; i < len(bundles); i++ {
		b := &bundles[i]
		if b.skip || b.name == againName {
			continue
		}
		if int(b.bits)+wire.NameBits > room || b.handle < last || b.name == cohortName {
			break
		}
		if b.name > 0 && k.last == last {
			u.runs.Add(prefix.Sym(b.codes))
			room -= prefix.Sym(b.codes).Bits()
		} else {
			name := m.Name(b.special, b.handle+1-last)
			u.runs.Add(name)
			if c := b.bare(); c.isRun() {
				u.runs.Add(prefix.Sym(c))
			} else {
				u.runs.Put()
				k.p.enc.Put(c.among(k.sender.Updates.syms)...)
			}
			room -= name.Bits() + int(b.bits)
		}
		k.named.Add(b.handle)
		last = b.handle + 1
		k.last = last
		if b.recAt != to {
			k.carries(from, to)
			from = b.recAt
		}
		to = b.recAt + b.recN
	}
	u.from, u.to, u.last, k.room = from, to, last, room
	return i
}

// speculativeUpdates writes speculative updates until one does not fit.
func (k *packer) speculativeUpdates() {
	m, bundles := &k.p.Model.Entry, k.p.plan.speculative.in(k.sender.Updates.bundles.speculative)
	last, lastGen := uint32(0), uint8(0)
	for ; k.speculative < len(bundles); k.speculative++ {
		b := &bundles[k.speculative]
		if b.skip {
			continue
		}
		if !k.fits(b) {
			break
		}
		gen := k.p.States[b.handle].gen
		name := coder.Unsigned(&m.Speculative, b.handle+1-last).With(coder.Signed(&m.Gen, int32(int8(gen-lastGen))))
		k.p.enc.PutOne(name)
		k.put(b)
		k.room -= name.Bits()
		k.carries(b.recAt, b.recAt+b.recN)
		k.sent(b)
		last, lastGen = b.handle+1, gen
	}
	k.p.enc.PutOne(m.Speculative.Sym(0))
}

func (k *packer) fits(b *bundle) bool { return int(b.bits)+wire.NameBits <= k.room }

// putRemovals writes removals until one does not fit, and returns how many it wrote.
func (k *packer) putRemovals(bundles []bundle) int {
	for i := range bundles {
		b := &bundles[i]
		if !k.fits(b) {
			return i
		}
		k.put(b)
		k.carries(b.recAt, b.recAt+b.recN)
	}
	return len(bundles)
}

// putArrivals is putRemovals for arrivals.
func (k *packer) putArrivals(bundles []bundle) int {
	p, at := k.p, arrivals{before: coder.NoArrival}
	for i := range bundles {
		b := &bundles[i]
		next := at
		var few [4]link.Entry
		syms, layouts := k.sender.Updates.appendArrivals(p, p.block.syms[:0], few[:0], b, &next)
		p.block.syms = syms
		n := prefix.Bits(syms)
		if n+wire.NameBits > k.room {
			return i
		}
		p.enc.Put(syms...)
		k.room -= n
		p.Link.Carries(k.rec, layouts)
		k.carries(b.recAt, b.recAt+b.recN)
		if !b.isShort() {
			k.sent(b)
		}
		at = next
	}
	return len(bundles)
}

func (k *packer) put(b *bundle) {
	b.codes.put(&k.p.enc, k.sender.Updates.syms)
	k.room -= int(b.bits)
}

// carries notes that the packet carries updates.recs[from:to].
func (k *packer) carries(from, to uint32) {
	if from < to {
		k.p.Link.Carries(k.rec, k.sender.Updates.recs[from:to])
	}
}

// sent records a bundle that was not recorded in Schedule.
func (k *packer) sent(b *bundle) {
	k.p.sent(k.sender.Updates.recsOf(b), k.sender.store.Tick, k.now)
}

func (k *packer) end() {
	p := k.p
	if g := &p.again; g.ring != nil && g.rest == 0 && p.plan.cohort == 0 { // a cohort's plan goes by no runs
		g.ring.Note(k.rec.Seq, &k.named)
	}
	b := p.enc.Finish()
	k.s.Datagram(b)
	k.sender.spend(p, len(b)+wire.PacketOverhead)
}

func (s *Sender) spend(p *Peer, n int) {
	p.bucket.Tokens -= float64(n)
	p.Link.Line.Sent(n)
	p.traffic.bytes += uint64(n)
	p.traffic.packets++
}
