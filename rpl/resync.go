package rpl

import (
	"encoding/binary"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// resync is what a peer has asked for, and the answer that it gets.
type resync struct {
	nodes []uint32      // handles that the peer has refused
	asked bool          // it wants everything anew
	lost  bool          // and it has taken no whole tick since, so that it cannot read the answer
	at    time.Duration // when the newest answer began, 0: never
	tick  Tick          // the answer is done once the arrivals laid up to this tick are acked; 0: none
}

// mend answers a peer that was misled. It runs in Schedule.
func (a *Authority) mend(p *peer, now time.Duration) {
	s := &p.resync
	if s.asked && (s.tick == 0 || s.lost) && (s.at == 0 || now-s.at >= wire.MendEvery) {
		a.resync(p, now)
	}
	for _, h := range s.nodes {
		if e := &p.entries[h]; e.state == entryIn { // else its arrival is on the way
			p.layouts.Clear(a.nodes[e.node.Slot()].layout.Number)
			p.refresh(a, h)
		}
	}
	s.asked, s.lost, s.nodes = false, false, s.nodes[:0]
	if s.tick != 0 {
		a.endResync(p)
	}
}

// resync has everything that a peer holds sent anew, as if nothing were known of what
// the peer has.
func (a *Authority) resync(p *peer, now time.Duration) {
	p.resync.at, p.resync.tick = max(now, 1), p.nextTick(a.tick)
	if a.counters.Resyncs++; wire.ToBeLogged(a.counters.Resyncs) {
		a.cfg.Log.Warn("a peer cannot read what it is sent: it is told all anew", "peer", p.id, "times", a.counters.Resyncs)
	}
	p.link.forget()
	p.layouts = wire.Bitset{}
	p.dropTables(a.defaults)
	for h := range p.entries {
		switch p.entries[h].state {
		case entryComing, entryIn:
			p.refresh(a, uint32(h))
		case entryGoing:
			v := &p.visits[h]
			v.copies, v.inflight, p.went = 0, 0, true
		}
	}
}

// forget forgets what packets carried: their acks are not believed, and the next
// packets do not build on them.
func (l *peerLink) forget() {
	for i := range l.records {
		l.recycle(&l.records[i])
		l.records[i].state = recFree
	}
	for _, r := range l.late {
		l.recycle(r)
	}
	l.idle, l.late = append(l.idle, l.late...), l.late[:0]
	l.base, l.baseTick = l.next-1, 0
}

// endResync tells the peer that it has everything, once that is so.
func (a *Authority) endResync(p *peer) {
	for _, h := range p.coming {
		if e := &p.entries[h]; e.state == entryComing && e.laid <= p.resync.tick {
			return
		}
	}
	msg := binary.LittleEndian.AppendUint32([]byte{wire.MsgResynced}, uint32(p.resync.tick))
	p.resync.tick = 0
	p.say(msg)
}
