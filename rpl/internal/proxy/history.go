package proxy

import (
	"math/bits"
	"time"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A receivedHistory records which of the authority's newest RecordLen packets a proxy has applied.
// The acks are made from it, and it has the ticks of packets that are named as bases.
type receivedHistory struct {
	any    bool
	newest uint64        // number of the newest packet applied
	at     time.Duration // when the socket received that

	packets [wire.RecordLen / 64]uint64 // a bit per packet, by number: set if it was applied
	ticks   [wire.RecordLen]ids.Tick    // the packets' ticks

	// base is the newest packet that the authority is known to know as applied, since it
	// has named that packet as a base. So it has received an ack that was sent after the
	// packet came, with all that such an ack says about the packets before.
	base uint64
	late []latePacket // came after newer ones, and the authority may not know of them yet
}

// A latePacket is a packet that came when newest had come already. It is acked until
// base is newer than newest: before that, the authority may have named base because of an
// ack sent before the late packet came.
type latePacket struct{ seq, newest uint64 }

// has is whether a packet was applied.
func (r *receivedHistory) has(seq uint64) bool {
	return seq <= r.newest && r.newest-seq < wire.RecordLen && r.packets[seq/64%uint64(len(r.packets))]>>(seq%64)&1 != 0
}

// stale is whether a packet must not be applied: it was applied already, or is so old
// that the authority might not remember it when its ack arrives.
func (r *receivedHistory) stale(seq uint64) bool {
	return r.has(seq) || seq <= r.newest && r.newest-seq >= wire.MaxLate
}

// overtaken is whether a newer packet was applied already.
func (r *receivedHistory) overtaken(seq uint64) bool { return r.any && seq < r.newest }

// tick is the tick of a packet that was applied.
func (r *receivedHistory) tick(seq uint64) ids.Tick { return r.ticks[seq%wire.RecordLen] }

// window is the lines' window of a packet whose base packet was applied: the newest sends below
// the base packet's. All of their packets were applied: the authority says so. (Not every
// number is a state packet's.) It returns false if there are not so many.
func (r *receivedHistory) window(base uint64, sends int) (w lineWindow, ok bool) {
	from := r.tick(base)
	at := from
	for seq := base - 1; sends > 0 && seq > 0 && base-seq < wire.RecordLen; seq-- {
		if !r.has(seq) || r.tick(seq) >= at {
			continue
		}
		if at = r.tick(seq); !w.on {
			w.on, w.step = true, uint32(from-at)
		}
		w.since = at
		sends--
	}
	return w, sends == 0
}

// certain is the tick up to which no packet is missing whose news have not come in another way: the
// authority does not know yet that it is lost, nor has the copy come that it sends where packets are
// lost. missing is ProxyConfig.Missing.
func (r *receivedHistory) certain(missing func(from, to uint64) int) ids.Tick {
	tick := r.tick(r.newest)
	if r.base == 0 || missing == nil || missing(r.base, r.newest) == 0 {
		return tick
	}
	behind, gap, open := 0, 0, false
	for seq := r.newest; seq >= r.base && r.newest-seq < wire.RecordLen; seq-- {
		switch {
		case r.has(seq):
			if gap, behind = 0, behind+1; open {
				tick, open = r.tick(seq), false
			}
		case missing(seq-1, seq) > 0: // else it says nothing of the state
			gap++
			open = open || gap > 1 || behind < copiesCome
		}
	}
	if open { // nobody remembers what came before
		return 0
	}
	return tick
}

// copiesCome is behind how many packets the copy of what a lost one has told has come.
const copiesCome = 3

// note records that a packet, which was not stale, was applied.
func (r *receivedHistory) note(seq uint64, t ids.Tick, at time.Duration) {
	if !r.any || seq > r.newest {
		for between := r.newest + 1; between < seq && between-r.newest <= wire.RecordLen; between++ {
			r.packets[between/64%uint64(len(r.packets))] &^= 1 << (between % 64)
		}
		r.any, r.newest, r.at = true, seq, at
	} else {
		r.late = append(r.late, latePacket{seq, r.newest})
	}
	r.packets[seq/64%uint64(len(r.packets))] |= 1 << (seq % 64)
	r.ticks[seq%wire.RecordLen] = t
}

// floor is the oldest packet that acks must still cover.
func (r *receivedHistory) floor() uint64 {
	floor, kept := max(r.base, 1), r.late[:0]
	for _, l := range r.late {
		if r.base <= l.newest && r.newest-l.seq < wire.RecordLen {
			kept = append(kept, l)
			floor = min(floor, l.seq)
		}
	}
	r.late = kept
	if r.newest >= wire.RecordLen {
		floor = max(floor, r.newest-(wire.RecordLen-1))
	}
	return floor
}

// run counts the consecutive packets, from seq downwards, that were applied (or that were
// not), up to most. All of these must be among the newest RecordLen.
func (r *receivedHistory) run(seq uint64, most uint32, applied bool) uint32 {
	n := uint32(0)
	for n < most {
		at := seq - uint64(n)
		w, left := r.packets[at/64%uint64(len(r.packets))], uint32(at%64)+1 // of the word, from at down
		if applied {
			w = ^w
		}
		k := min(uint32(bits.LeadingZeros64(w<<(64-left))), left)
		if n += k; k < left {
			break
		}
	}
	return min(n, most)
}
