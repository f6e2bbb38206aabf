package proxy

import (
	"time"

	"github.com/tendonengine/tendon/rpl/internal/coder"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// The Send stage of a client: acks, refusals and calls. receive.go, which reads them
// on the authority, shows the layout.

// Send writes what the authority must hear: acks of the packets received since the
// last Send, refusals, and calls. Call it every tick.
func (c *Proxy) Send(now time.Duration, s wire.Sink) {
	c.sendCalls(s)
	if !c.mustAck && len(c.calls) == 0 && !c.doubting(now) && !c.straying(now) && now-c.lastSent < wire.Heartbeat {
		return
	}
	at := 0
	for first := true; first || at < len(c.calls); first = false {
		at = c.sendPacket(now, s, at, first)
	}
	c.calls = c.calls[:0]
	c.mustAck = false
	c.lastSent = now
}

// sendCalls gives the reliable calls to their lane, in order; where the lane is full
// they wait. Unreliable calls travel in datagrams (sendPacket).
func (c *Proxy) sendCalls(s wire.Sink) {
	n := 0
	for _, b := range c.reliable {
		if s.Reliable(b) != nil {
			break
		}
		n++
	}
	c.reliable = append(c.reliable[:0], c.reliable[n:]...)
}

// sendPacket writes one packet and returns the index of the first call that is left.
// The first packet of a Send carries all acks, skipped guesses and refusals, then the
// calls from index at on that fit. Further packets carry calls alone, at least one each:
// the longest call fits a packet with nothing else in it.
func (c *Proxy) sendPacket(now time.Duration, s wire.Sink, at int, first bool) int {
	seq, room := s.Next()
	room = min(room, wire.PacketRoom)*8 - wire.EndBits
	m := &c.Defaults.Entry
	e := &c.enc
	e.Reset(c.buf[:0])
	acks := c.heard.any && first
	e.PutBits(uint32(flag(acks)), 1)
	if acks {
		e.PutBits(uint32(c.heard.newest), 16)
		e.PutBits(uint32(min(max(now-c.heard.at, 0)/time.Millisecond, 255)), 8)
		c.putAcks(e, m)
	}
	e.PutBits(c.Applied, 16)
	e.PutBits(uint32(c.tables), 2)
	if acks {
		c.putSkipped(e, m)
	}
	e.PutBits(0, 1)
	if first {
		c.putRefusals(e, m, now)
	}
	e.PutBits(0, 1)
	for n := 0; at < len(c.calls) && n < wire.MaxDue; n++ {
		b := c.calls[at]
		if e.Len()*8+len(b)*8+wire.NameBits > room && (first || n > 0) {
			break
		}
		e.PutBits(1, 1)
		c.tmp = coder.AppendBytes(c.tmp[:0], &m.Length, b)
		e.Put(c.tmp...)
		at++
	}
	e.PutBits(0, 1)
	b := e.Finish()
	c.buf = b[:0]
	c.sentAt[seq%wire.RecordLen] = seqTime{seq, now}
	s.Datagram(b)
	return at
}

// putAcks writes for each packet below the newest whether it was applied, down to the
// oldest that the authority may not have heard about: the lengths of runs, in turn of
// packets that were applied and packets that were not.
func (c *Proxy) putAcks(e *prefix.Encoder, m *coder.EntryModel) {
	floor := c.heard.floor()
	n := uint32(0)
	if c.heard.newest > floor {
		n = uint32(c.heard.newest - floor)
	}
	e.Put(coder.Unsigned(&m.Length, n))
	came := true
	for i := uint32(0); i < n; came = !came {
		run := c.heard.run(c.heard.newest-1-uint64(i), n-i, came)
		if i += run; i == n {
			e.Put(m.Run.Sym(0))
			return
		}
		e.Put(coder.Unsigned(&m.Run, run+1))
	}
}

// putSkipped names the packets whose guesses were skipped.
func (c *Proxy) putSkipped(e *prefix.Encoder, m *coder.EntryModel) {
	for _, seq := range c.skipped {
		if age := c.heard.newest - seq; age <= wire.AckWindow {
			e.Put(prefix.Raw(1, 1), coder.Unsigned(&m.Length, uint32(age)))
		}
	}
	c.forgetSkipped()
}

// forgetSkipped drops the skipped packets that are older than what acks still cover.
func (c *Proxy) forgetSkipped() {
	kept, floor := c.skipped[:0], c.heard.floor()
	for _, seq := range c.skipped {
		if seq >= floor {
			kept = append(kept, seq)
		}
	}
	c.skipped = kept
}

// echo takes a sample of the round trip: the authority has returned the low 16 bits of
// one of our packets' numbers, and how many milliseconds passed since it came.
func (c *Proxy) echo(low uint16, holdMS uint32) {
	if s := &c.sentAt[low%wire.RecordLen]; uint16(s.seq) == low && s.at > 0 {
		c.trip.Sample(c.readingAt - s.at - time.Duration(holdMS)*time.Millisecond)
		s.at = 0
	}
}
