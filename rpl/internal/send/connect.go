package send

import (
	"fmt"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/figures"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Peers come and go.

// Connect is Authority.Connect.
func (s *Sender) Connect(id ids.Peer) error {
	if id == 0 || id == s.Setup.Local || s.ByID.Find(id) != nil {
		return fmt.Errorf("rpl: peer %d is nobody, this machine's own player or connected already; give each client a number of its own", id)
	}
	if len(s.All) > store.MaxPeerIndex && !slices.Contains(s.All, nil) {
		return fmt.Errorf("rpl: peer %d: %w: there are %d peers, and no session holds more", id, ids.ErrLimit, len(s.All))
	}
	p := &Peer{ID: id, rows: rowPool{free: make(map[int][]uint32)}}
	p.Model = s.Tables.Defaults
	p.enc.Reset(make([]byte, 0, wire.PacketRoom+16))
	p.prepare()
	p.Link.LastReceived = s.store.Now
	p.Index = int32(len(s.All))
	for i, old := range slices.Backward(s.All) {
		if old == nil {
			p.Index = int32(i)
			break
		}
	}
	if int(p.Index) == len(s.All) {
		s.All = append(s.All, p)
	} else {
		s.All[p.Index] = p
	}
	s.ByID.Add(id, p)
	p.view = s.interest.Admit(id, p.Index)
	s.Apply()
	return nil
}

// Carries is Authority.Carries.
func (s *Sender) Carries(id ids.Peer, rate int) {
	if p := s.ByID.Find(id); p != nil {
		p.Link.Line.Expect(s.store.Now, rate)
	}
}

// Suspend is Authority.Suspend. It reports whether there was such a peer.
func (s *Sender) Suspend(id ids.Peer) bool {
	p := s.ByID.Find(id)
	if p == nil {
		return false
	}
	s.count(p)
	s.interest.Leave(p.view)
	for slot := range p.view.Wanted.All {
		if h := s.store.Unhold(slot, p.Index); h != wire.NoHandle {
			s.dropHandle(&s.store.Nodes[slot], p, h)
		}
	}
	early := len(s.Calls.early)
	s.Calls.early = slices.DeleteFunc(s.Calls.early, func(c earlyCall) bool { return c.to == id })
	s.Accounts.Counters.CallsDropped += uint64(early - len(s.Calls.early) + len(p.RPC.Waiting) + len(p.RPC.Unreliable) + len(p.RPC.later))
	s.Accounts.Counters.CallsDropped += uint64(p.RPC.Ready.Calls())
	s.All[p.Index] = nil
	s.ByID.Remove(id)
	return true
}

// Peers is Authority.Peers.
func (s *Sender) Peers(dst []ids.Peer) []ids.Peer {
	for _, p := range s.All {
		if p != nil {
			dst = append(dst, p.ID)
		}
	}
	return dst
}

// NoteSilent notes which peers have been silent for long.
func (s *Sender) NoteSilent(now time.Duration) {
	for _, p := range s.All {
		if p != nil {
			p.view.Silent = p.Link.Frozen(now)
		}
	}
}

// Repeat is Authority.Repeat.
func (s *Sender) Repeat(id ids.Peer) {
	if p := s.ByID.Find(id); p != nil {
		s.Receiver.thaw(p, false)
	}
}

// Waits is Authority.Waits.
func (s *Sender) Waits(id ids.Peer, now time.Duration) (acks, messages time.Duration) {
	if p := s.ByID.Find(id); p != nil {
		return p.Link.Waits(now, p.RPC.Ready.Given())
	}
	return 0, 0
}

// PeerStats is Authority.PeerStats.
func (s *Sender) PeerStats(id ids.Peer) (stats figures.PeerStats) {
	p := s.ByID.Find(id)
	if p == nil {
		return stats
	}
	stats = figures.PeerStats{RTT: p.Link.Trip.Time(), Jitter: p.Link.Trip.Spread(), Loss: p.Link.Loss, Bytes: p.traffic.bytes, Packets: p.traffic.packets, Calls: p.traffic.calls}
	stats.SendLimit = s.Setup.Budget
	if limit := p.Link.Line.Limit(); limit > 0 {
		stats.SendLimit = min(stats.SendLimit, int(limit))
	}
	stats.Held, stats.Waiting = int(p.kept.nodes), int(p.RPC.Ready.Bytes)
	for i := range p.RPC.Waiting {
		stats.Waiting += len(p.RPC.Waiting[i].args)
	}
	return stats
}

// Filling is Authority.Filling.
func (s *Sender) Filling(id ids.Peer) (has, wanted, waiting int) {
	if p := s.ByID.Find(id); p != nil {
		waiting = len(p.arrivals.queue) + s.interest.Undecided(p.view)
		return int(p.kept.nodes) - len(p.coming), int(p.kept.nodes) + waiting, waiting
	}
	return 0, 0, 0
}

// Filled is Authority.Filled.
func (s *Sender) Filled(id ids.Peer, by ids.Tick) bool {
	p := s.ByID.Find(id)
	return p != nil && !p.awaits(by)
}
