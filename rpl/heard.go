package rpl

import (
	"math/bits"
	"time"
)

// A heard is which packets of the authority a proxy has applied, of the newest
// recordLen: the acks that it sends, and the ticks that packets name as bases.
type heard struct {
	any    bool
	newest uint64        // its number
	at     time.Duration // when the socket had it

	packets [recordLen / 64]uint64 // by number, a bit each: those that were applied
	ticks   [recordLen]Tick        // of them

	// base is the newest packet that the authority is known to know of as applied: it
	// has had an ack that was sent when that packet was here, with all that such an ack
	// says of those before it.
	base uint64
	late []latePacket // came after newer ones, and the authority may not have heard of it
}

// A latePacket is acked until the base is newer than all that had come before it: of
// acks that are older than it the authority may hear first.
type latePacket struct{ seq, newest uint64 }

// has is whether a packet was applied.
func (r *heard) has(seq uint64) bool {
	return seq <= r.newest && r.newest-seq < recordLen && r.packets[seq/64%uint64(len(r.packets))]>>(seq%64)&1 != 0
}

// stale is whether a packet is not to be applied: it was already, or is so old that the
// authority might not remember it when it hears of it.
func (r *heard) stale(seq uint64) bool {
	return r.has(seq) || seq <= r.newest && r.newest-seq >= maxLate
}

// tick is that of a packet that was applied.
func (r *heard) tick(seq uint64) Tick { return r.ticks[seq%recordLen] }

// note notes that a packet was applied, which was not stale.
func (r *heard) note(seq uint64, t Tick, at time.Duration) {
	if !r.any || seq > r.newest {
		for between := r.newest + 1; between < seq && between-r.newest <= recordLen; between++ {
			r.packets[between/64%uint64(len(r.packets))] &^= 1 << (between % 64)
		}
		r.any, r.newest, r.at = true, seq, at
	} else {
		r.late = append(r.late, latePacket{seq, r.newest})
	}
	r.packets[seq/64%uint64(len(r.packets))] |= 1 << (seq % 64)
	r.ticks[seq%recordLen] = t
}

// floor is the oldest packet that acks are still to speak of.
func (r *heard) floor() uint64 {
	floor, kept := max(r.base, 1), r.late[:0]
	for _, l := range r.late {
		if r.base <= l.newest && r.newest-l.seq < recordLen {
			kept = append(kept, l)
			floor = min(floor, l.seq)
		}
	}
	r.late = kept
	if r.newest >= recordLen {
		floor = max(floor, r.newest-(recordLen-1))
	}
	return floor
}

// run is how many packets in a row were applied, or were not, from one on
// downwards; at most so many, all of them among those known of.
func (r *heard) run(seq uint64, most uint32, applied bool) uint32 {
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
