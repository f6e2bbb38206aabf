package rpl

import (
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Counters count what the authority has done since it was made, and why. The net graph
// and the bench read them.
type Counters struct {
	DistanceChecks uint64 // comparisons of a node's distance with a peer's observers
	FarOut         uint64 // times a node came to a place too far out for the Grid's float32s; while any is there each peer checks all in its reach in every send
	Records        uint64 // updates of rows sent
	Repeats        uint64 // of Records, Arrivals and Removals: those sent again
	Shared         uint64 // of Records: those coded before for another peer
	Alike          uint64 // of Shared: those planned before for another peer, too
	Keyframes      uint64 // of Records: those without a base
	ExplicitBases  uint64 // of Records: those that had to name their base
	Starved        uint64 // updates put off because the budget was spent
	Arrivals       uint64
	Removals       uint64
	Blocks         uint64 // pieces too large for a packet, sent on the reliable lane
	TooLong        uint64 // nodes not sent because no block can hold them, and values longer than their codec's bound; logged
	Tables         uint64 // sets of code tables learned and shipped
	Checks         uint64 // checksums of versions sent
	PacketsLost    uint64 // judged lost
	LateAcks       uint64 // of PacketsLost: those acked after all
	HandlesOut     uint64 // sends in which nodes waited because the peer had no free handle
	BadPackets     uint64 // packets from peers that were refused
	Resyncs        uint64 // times a peer that could not read its packets was sent everything anew
	CallsIn        uint64 // RPCs that ran here
	CallsDropped   uint64 // calls from peers that may not make them, on nodes that are gone, or without room to wait
	CallsOut       uint64
}

// tally counts for one peer while its Encode runs: other peers' may run at the same
// time.
type tally struct {
	blocks, checks, lost uint32
	tooLong              Node // a node that no block can hold
}

// count adds a peer's tally to the counters and clears it.
func (a *Authority) count(p *peer) {
	t := p.tally
	if t == (tally{}) {
		return
	}
	c := &a.counters
	c.Blocks, c.Checks, c.PacketsLost = c.Blocks+uint64(t.blocks), c.Checks+uint64(t.checks), c.PacketsLost+uint64(t.lost)
	if t.tooLong != 0 {
		a.noteTooLong(t.tooLong)
	}
	p.tally = tally{}
}

// noteTooLong counts a node that no block can hold, and logs it unless it was the last
// one logged.
func (a *Authority) noteTooLong(n Node) {
	a.counters.TooLong++
	if n != a.tooLong {
		a.tooLong = n
		a.cfg.Log.Warn("a node is not told: it is too long; spread its values over several nodes", "node", n, "most bytes", wire.MaxLong)
	}
}

// isBounded is whether a new value of a row's variable-length prop takes no more than its
// type allows: a game's own codec may write any number of bytes. A longer value is counted,
// and the first one of each field is logged.
func (a *Authority) isBounded(r *row, k int, v any) bool {
	prop := &r.t.Vars[k]
	if prop.Codec().Sized() {
		return true
	}
	a.bytes = prop.Type.Append(a.bytes[:0], v)
	n, most := len(a.bytes), prop.MaxBytes()
	if n <= most {
		return true
	}
	a.counters.TooLong++
	if !a.overlong[prop] {
		if a.overlong == nil {
			a.overlong = make(map[*Var]bool)
		}
		a.overlong[prop] = true
		a.cfg.Log.Warn("a value is not told: its codec writes more than its MaxBytes; raise that, or spread the value over several fields",
			"node", a.nodes[r.node].id, "component", r.t.Item.Name, "field", r.t.Item.Props[prop.Prop].Name, "bytes", n, "most bytes", most)
	}
	return false
}

// hasLongDelta is whether a game's own codec writes more of a row, as a difference from what
// the peer has, than a whole value may take. The row is then told whole: peers refuse what
// is longer than any value.
func (a *Authority) hasLongDelta(p *peer, h uint32, i int, r *row, pr *peerRow) bool {
	_, base := a.base(p, h, i, r, pr)
	for _, k := range r.t.Unsized {
		v := &r.t.Vars[k]
		if v.Type.Equal(base[k], r.vars.now[k]) || r.t.OnceV != nil && r.t.OnceV[k] {
			continue
		}
		if a.bytes = v.Type.AppendDelta(a.bytes[:0], base[k], r.vars.now[k]); len(a.bytes) > v.MaxBytes() {
			return true
		}
	}
	return false
}
