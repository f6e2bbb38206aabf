package send

import (
	"fmt"
	"slices"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Peers come and go.

// Connect is Authority.Connect.
func (a *Sender) Connect(id ids.Peer) error {
	if id == 0 || id == a.Setup.Local || a.ByID.Find(id) != nil {
		return fmt.Errorf("rpl: peer %d is nobody, this machine's own player or connected already; give each client a number of its own", id)
	}
	if len(a.All) > store.MaxPeerIndex && !slices.Contains(a.All, nil) {
		return fmt.Errorf("rpl: peer %d: %w: there are %d peers, and no session holds more", id, ids.ErrLimit, len(a.All))
	}
	p := &Peer{
		ID:   id,
		rows: rowPool{free: make(map[int][]uint32)}, goingOf: make(map[ids.Node]uint32),
	}
	p.Model = a.Tables.Defaults
	p.enc.Reset(make([]byte, 0, wire.PacketRoom+16))
	p.prepare()
	p.Link.LastReceived = a.store.Now
	p.Index = int32(len(a.All))
	for i, old := range slices.Backward(a.All) {
		if old == nil {
			p.Index = int32(i)
			break
		}
	}
	if int(p.Index) == len(a.All) {
		a.All = append(a.All, p)
	} else {
		a.All[p.Index] = p
	}
	a.ByID.Add(id, p)
	p.view = a.interest.Admit(id, p.Index)
	a.Apply()
	return nil
}

// Suspend is Authority.Suspend. It reports whether there was such a peer.
func (a *Sender) Suspend(id ids.Peer) bool {
	p := a.ByID.Find(id)
	if p == nil {
		return false
	}
	a.count(p)
	a.interest.Leave(p.view)
	for slot := range p.view.Wanted.All {
		if h := a.store.Unhold(slot, p.Index); h != wire.NoHandle {
			a.dropHandle(&a.store.Nodes[slot], p, h)
		}
	}
	early := len(a.Calls.early)
	a.Calls.early = slices.DeleteFunc(a.Calls.early, func(c earlyCall) bool { return c.to == id })
	a.Accounts.Counters.CallsDropped += uint64(early - len(a.Calls.early) + len(p.RPC.Waiting) + len(p.RPC.Unreliable) + len(p.RPC.later))
	for _, m := range p.RPC.Ready {
		if m[0] == wire.MsgCall {
			a.Accounts.Counters.CallsDropped++
		}
	}
	a.All[p.Index] = nil
	a.ByID.Remove(id)
	return true
}

// Peers is Authority.Peers.
func (a *Sender) Peers(dst []ids.Peer) []ids.Peer {
	for _, p := range a.All {
		if p != nil {
			dst = append(dst, p.ID)
		}
	}
	return dst
}

// NoteSilent notes which peers have been silent for long.
func (a *Sender) NoteSilent(now time.Duration) {
	for _, p := range a.All {
		if p != nil {
			p.view.Silent = p.Link.Frozen(now)
		}
	}
}

// Repeat is Authority.Repeat.
func (a *Sender) Repeat(id ids.Peer) {
	if p := a.ByID.Find(id); p != nil {
		a.Receiver.thaw(p)
	}
}

// PeerStats are figures about the datagrams to one peer.
type PeerStats struct {
	RTT, Jitter time.Duration
	Loss        float64 // share of packets judged lost, smoothed over some 200 packets
	SendLimit   int     // bytes a second that it is sent at most: AuthorityConfig.Budget, or what its line carries if that is less; 0: no limit
	Bytes       uint64  // of datagrams sent, each with the seal's 29 bytes
	Packets     uint64
	Calls       uint64 // that it has made
	Held        int    // nodes that the peer holds or is being sent
}

// Waits is Authority.Waits.
func (a *Sender) Waits(id ids.Peer, now time.Duration) (acks, messages time.Duration) {
	if p := a.ByID.Find(id); p != nil {
		return p.Link.Waits(now, p.given())
	}
	return 0, 0
}

// PeerStats is Authority.PeerStats.
func (a *Sender) PeerStats(id ids.Peer) PeerStats {
	p := a.ByID.Find(id)
	if p == nil {
		return PeerStats{}
	}
	s := PeerStats{RTT: p.Link.Trip.Time(), Jitter: p.Link.Trip.Spread(), Loss: p.Link.Loss, Bytes: p.traffic.bytes, Packets: p.traffic.packets, Calls: p.traffic.calls}
	s.SendLimit = a.Setup.Budget
	if limit := p.Link.Line.Limit(); limit > 0 {
		s.SendLimit = min(s.SendLimit, int(limit))
	}
	s.Held = int(p.kept.nodes)
	return s
}

// Filling is Authority.Filling.
func (a *Sender) Filling(id ids.Peer) (has, wanted, waiting int) {
	if p := a.ByID.Find(id); p != nil {
		waiting = len(p.arrivals.queue) + a.interest.Undecided(p.view)
		return int(p.kept.nodes) - len(p.coming), int(p.kept.nodes) + waiting, waiting
	}
	return 0, 0, 0
}

// Filled is Authority.Filled.
func (a *Sender) Filled(id ids.Peer, by ids.Tick) bool {
	p := a.ByID.Find(id)
	return p != nil && !p.awaits(by)
}
