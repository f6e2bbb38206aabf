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
func (a *Sender) mend(p *Peer, now time.Duration) {
	s := &p.resync
	if s.asked && (s.tick == 0 || s.lost) && (s.at == 0 || now-s.at >= wire.MendEvery) {
		a.resync(p, now)
	}
	for _, h := range s.nodes {
		if e := &p.States[h]; e.State == HandleIn { // else its arrival is on the way
			p.tables.layouts.Clear(a.store.Nodes[e.slot].Layout.Number)
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
func (a *Sender) resync(p *Peer, now time.Duration) {
	p.resync.at, p.resync.tick = max(now, 1), p.nextTick(a.store.Tick)
	if a.Accounts.Counters.Resyncs++; wire.ToBeLogged(a.Accounts.Counters.Resyncs) {
		a.store.Log.Warn("a peer cannot read what it is sent: it is sent all anew", "peer", p.ID, "times", a.Accounts.Counters.Resyncs)
	}
	p.Link.Forget()
	p.tables.layouts = wire.Bitset{}
	p.dropTables(a.Tables.Defaults)
	for h := range p.States {
		switch p.States[h].State {
		case HandleComing, HandleIn:
			p.refresh(a, uint32(h))
		case HandleGoing:
			v := p.lifeAt(uint32(h))
			v.copies, v.inflight, p.went = 0, 0, true
		}
	}
}

// endResync lets the peer know that it has everything, once that is so.
func (a *Sender) endResync(p *Peer) {
	if p.awaits(p.resync.tick) {
		return
	}
	msg := binary.LittleEndian.AppendUint32([]byte{wire.MsgResynced}, uint32(p.resync.tick))
	p.resync.tick = 0
	p.queueMessage(msg)
}

// awaits reports whether the arrival of a node that was laid up to a tick is not acked yet.
func (p *Peer) awaits(by ids.Tick) bool {
	return slices.ContainsFunc(p.coming, func(h uint32) bool {
		e := &p.States[h]
		return e.State == HandleComing && p.lifeOf(e).laid <= by
	})
}
