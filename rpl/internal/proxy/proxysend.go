package proxy

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The Send stage of a client: acks, nacks and calls. receive.go, which reads them
// on the authority, shows the layout.

// Send writes what the authority must hear: acks of the packets received since the
// last Send, nacks, and calls. Call it every tick.
func (c *Proxy) Send(now time.Duration, s wire.Sink) {
	c.out.sendCalls(s)
	c.mend.dropAnswered(&c.held)
	if !c.out.mustAck && len(c.out.calls) == 0 && !c.mend.requestDue(&c.out, now) && !c.desyncDue(now) && now-c.out.lastSent < wire.Heartbeat {
		return
	}
	at := 0
	for first := true; first || at < len(c.out.calls); first = false {
		at = c.sendPacket(now, s, at, first)
	}
	c.out.spares.Put(c.out.calls)
	c.out.calls = c.out.calls[:0]
	c.out.mustAck = false
	c.out.lastSent = now
}

// sendCalls gives the reliable calls to their lane, in order; where the lane is full
// they wait. Unreliable calls travel in datagrams (sendPacket).
func (o *outgoing) sendCalls(s wire.Sink) {
	n := 0
	for _, b := range o.reliable {
		if s.Reliable(b) != nil {
			break
		}
		n++
	}
	o.reliable = append(o.reliable[:0], o.reliable[n:]...)
}

// sendPacket writes one packet and returns the index of the first call that is left.
// The first packet of a Send carries all acks, skipped speculative updates and nacks, then the
// calls from index at on that fit. Further packets carry calls alone, at least one each:
// the longest call fits a packet with nothing else in it.
func (c *Proxy) sendPacket(now time.Duration, s wire.Sink, at int, first bool) int {
	seq, room := s.Next()
	room = min(room, wire.PacketRoom)*8 - wire.EndBits
	m := &c.dec.defaults.Entry
	e := &c.out.enc
	e.Reset(c.out.buf[:0])
	acks := c.in.history.any && first
	e.PutBits(uint32(flag(acks)), 1)
	if acks {
		e.PutBits(uint32(c.in.history.newest), 16)
		e.PutBits(uint32(min(max(now-c.in.history.at, 0)/time.Millisecond, 255)), 8)
		c.in.putAcks(e, m)
	}
	e.PutBits(c.in.applied, 16)
	e.PutBits(uint32(c.dec.tables), 2)
	if acks {
		c.putSkipped(e, m)
	}
	e.PutBits(0, 1)
	if first {
		c.putNacks(e, m, now)
	}
	e.PutBits(0, 1)
	for n := 0; at < len(c.out.calls) && n < wire.MaxCallsUp; n++ {
		b := c.out.calls[at]
		if e.Len()*8+len(b)*8+wire.NameBits > room && (first || n > 0) {
			break
		}
		e.PutBits(1, 1)
		c.out.tmp = coder.AppendBytes(c.out.tmp[:0], &m.Length, b)
		e.Put(c.out.tmp...)
		at++
	}
	e.PutBits(0, 1)
	b := e.Finish()
	c.out.buf = b[:0]
	c.out.sentAt[seq%wire.RecordLen] = seqTime{seq, now}
	s.Datagram(b)
	return at
}

// putAcks writes for each packet below the newest whether it was applied, down to the
// oldest that the authority may not have heard about: the lengths of runs, in turn of
// packets that were applied and packets that were not.
func (q *incoming) putAcks(e *prefix.Encoder, m *coder.EntryModel) {
	floor := q.history.floor()
	n := uint32(0)
	if q.history.newest > floor {
		n = uint32(q.history.newest - floor)
	}
	e.Put(coder.Unsigned(&m.Length, n))
	came := true
	for i := uint32(0); i < n; came = !came {
		run := q.history.run(q.history.newest-1-uint64(i), n-i, came)
		if i += run; i == n {
			e.Put(m.Run.Sym(0))
			return
		}
		e.Put(coder.Unsigned(&m.Run, run+1))
	}
}

// putSkipped names the packets whose speculative updates were skipped, and drops those that are older than what
// acks still cover.
func (c *Proxy) putSkipped(e *prefix.Encoder, m *coder.EntryModel) {
	for _, seq := range c.mend.skipped {
		if age := c.in.history.newest - seq; age <= wire.AckWindow {
			e.Put(prefix.Raw(1, 1), coder.Unsigned(&m.Length, uint32(age)))
		}
	}
	kept, floor := c.mend.skipped[:0], c.in.history.floor()
	for _, seq := range c.mend.skipped {
		if seq >= floor {
			kept = append(kept, seq)
		}
	}
	c.mend.skipped = kept
}

// echo takes a sample of the round trip: the authority has returned the low EchoBits of
// one of our packets' numbers, and how many milliseconds passed since it came: wire.MostHeld may be
// more, as after an outage, so that it is a sample only as long as there is no better. late is whether a
// newer packet came before the one that says so. If that took longer than any does, the line had lost it, and it
// was kept somewhere: that says nothing of the others.
func (c *Proxy) echo(low, holdMS uint32, late bool) {
	s, rough := &c.out.sentAt[low%wire.RecordLen], holdMS == wire.MostHeld
	if uint32(s.seq)&(1<<wire.EchoBits-1) != low || s.at == 0 || rough && c.out.trip.Mean > 0 {
		return
	}
	trip := c.dec.readingAt - s.at - time.Duration(holdMS)*time.Millisecond
	if late && trip > c.out.trip.Most() {
		return
	}
	if c.out.rough {
		c.out.trip = wire.Estimate{}
	}
	c.out.rough = rough
	c.out.trip.Sample(trip)
	s.at = 0
}

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}

// Counters are the core's counts since it began.
func (c *Proxy) Counters() ProxyCounters {
	n := c.counters
	for _, call := range c.out.reliable {
		n.Waiting += len(call)
	}
	return n
}
