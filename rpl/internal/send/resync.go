package send

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// resync is what a peer has asked for, and the answer that it gets.
type resync struct {
	nodes []uint32      // handles that the peer has refused
	tick  ids.Tick      // the answer is done once the arrivals laid up to this tick are acked; 0: none
	asked bool          // it wants everything anew
	lost  bool          // and it has taken no whole tick since, so that it cannot read the answer
	at    time.Duration // when the newest answer began, 0: never
}

// mend answers a peer that was misled. It runs in Schedule.
func (s *Sender) mend(p *Peer, now time.Duration) {
	rs := &p.resync
	if rs.asked && (rs.tick == 0 || rs.lost) && (rs.at == 0 || now-rs.at >= wire.MendEvery) {
		s.resync(p, now)
	}
	for _, h := range rs.nodes {
		if e := &p.States[h]; e.State == HandleIn { // else its arrival is on the way
			p.tables.layouts.Clear(s.store.Nodes[e.slot].Layout.Number)
			p.refresh(s, h)
		}
	}
	rs.asked, rs.lost, rs.nodes = false, false, rs.nodes[:0]
	if rs.tick != 0 {
		s.endResync(p)
	}
}

// resync has everything that a peer holds sent anew, as if nothing were known of what
// the peer has.
func (s *Sender) resync(p *Peer, now time.Duration) {
	p.resync.at, p.resync.tick = max(now, 1), p.nextTick(s.store.Tick)
	if s.Accounts.Counters.Resyncs++; wire.ToBeLogged(s.Accounts.Counters.Resyncs) {
		s.store.Log.Warn("a peer cannot read what it is sent: it is sent all anew", "peer", p.ID, "times", s.Accounts.Counters.Resyncs)
	}
	p.Link.Forget()
	p.tables.layouts = wire.Bitset{}
	p.dropTables(s.Tables.Defaults)
	for h := range p.States {
		switch p.States[h].State {
		case HandleComing, HandleIn:
			p.refresh(s, uint32(h))
		case HandleGoing:
			e := &p.States[h]
			e.transit, p.went = transit{}, true
		}
	}
}

// endResync lets the peer know that it has everything, once that is so.
func (s *Sender) endResync(p *Peer) {
	if p.awaits(p.resync.tick) {
		return
	}
	msg := binary.LittleEndian.AppendUint32([]byte{wire.MsgResynced}, uint32(p.resync.tick))
	p.resync.tick = 0
	p.queueMessage(msg)
}

// awaits reports whether the arrival of a node that has come, or come anew, by a tick is not acked yet.
func (p *Peer) awaits(by ids.Tick) bool {
	return slices.ContainsFunc(p.coming, func(c coming) bool {
		e := &p.States[c.handle]
		return e.State == HandleComing && max(c.since, p.lifeOf(e).laid) <= by
	})
}
