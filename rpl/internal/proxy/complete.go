package proxy

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// completeness is up to which tick a proxy has all that the authority has to say of the nodes
// that this peer predicts (protocol rule 34).
type completeness struct {
	tick  ids.Tick // the newest such tick
	parts []part   // packets of later ticks that are complete only together with others

	from  uint64   // between this packet and the newest none is missing …
	since ids.Tick // … and this is its tick
}

// A part is a packet that is complete together with so many others before it.
type part struct {
	seq    uint64
	others uint32
	tick   ids.Tick
}

// note notes a packet that was applied. together is what it says of itself: 0 that it is not
// complete, else that it is together with the packets before it, so many in all.
func (cs *completeness) note(h *receivedHistory, seq uint64, tick ids.Tick, together uint32) {
	if together > 1 && together <= wire.MaxParts && tick > cs.tick && len(cs.parts) < wire.MaxParts {
		cs.parts = append(cs.parts, part{seq, together - 1, tick})
	}
	if together == 1 {
		cs.tick = max(cs.tick, tick)
	}
	if len(cs.parts) == 0 {
		return
	}
	for _, p := range cs.parts {
		if uint64(p.others) < p.seq && h.run(p.seq-1, p.others, true) == p.others {
			cs.tick = max(cs.tick, p.tick)
		}
	}
	cs.parts = slices.DeleteFunc(cs.parts, func(p part) bool { return p.tick <= cs.tick || p.tick+wire.RecordLen < tick })
}

// noteRow notes from which packet on none is missing, once a packet was applied. before is the newest one
// before it, 0 for none; missing is ProxyConfig.Missing.
func (cs *completeness) noteRow(h *receivedHistory, seq, before uint64, missing func(from, to uint64) int) {
	gap := func(from, to uint64) bool { return h.refused > from || missing != nil && missing(from, to) > 0 }
	if seq > before {
		if cs.from == 0 || gap(before, seq) {
			cs.from, cs.since = seq, h.tick(seq)
		}
		return
	}
	for at := cs.from - 1; at > 0 && h.newest-at < wire.MaxLate; at-- { // it may have been the one that was missing
		if !h.has(at) {
			continue
		}
		if gap(at, cs.from) {
			return
		}
		cs.from, cs.since = at, h.tick(at)
	}
}
