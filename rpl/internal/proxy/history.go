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

	last, before send   // the newest send of which anything has come, and the one before
	refused      uint64 // the newest packet that could not be read
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

// A send is what is known of one send of the authority.
type send struct {
	tick ids.Tick
	base uint64 // the packet that its packets name as a base
	part bool   // it has left something out, as it says
}

// certain is a tick up to which nothing is missing of the state, and the base that was named then; 0 if
// that is not known of a newer tick than before. It is that of the send before the newest one, of which no
// packet can be missing that is not seen to be. What was lost before the packet that it names as a base
// was judged lost, and sent again, by the time of that send; late is how many ticks that may take.
// missing is ProxyConfig.Missing.
func (r *receivedHistory) certain(late ids.Tick, missing func(from, to uint64) int) (tick ids.Tick, base uint64) {
	s := r.before
	if missing == nil {
		return r.tick(r.newest), r.base
	}
	if s.base == 0 || s.part {
		return 0, 0
	}
	from := s.base
	for at := r.tick(from); !r.has(from) || r.tick(from)+late > at; from-- {
		if from == 1 || r.newest-from >= wire.RecordLen-1 {
			return 0, 0
		}
	}
	if r.refused > from || missing(from, r.newest) > 0 && !r.copied(from, missing) {
		return 0, 0
	}
	return s.tick, s.base
}

// noteCertain notes up to which tick nothing is missing.
func (c *Proxy) noteCertain() {
	late := ids.Tick((wire.ReorderTime*time.Duration(c.cfg.Hz) + time.Second - 1) / time.Second)
	if t, base := c.in.history.certain(late, c.cfg.Missing); t > c.held.rows.certain {
		c.held.rows.certain, c.held.rows.certainBy = t, base
	}
}

// copied is whether copies have come of what all packets told that are missing behind one: because so much
// was lost before that the authority sends what has changed twice, in two sends. Where sends take several
// packets, a missing one may be of the send before it or of that behind it.
func (r *receivedHistory) copied(from uint64, missing func(from, to uint64) int) bool {
	if from < lossWithin+lossKnown || r.newest-from > wire.RecordLen/2 || missing(from-lossWithin-lossKnown, from-lossKnown) < mostlyLossy {
		return false
	}
	sends, gap, at := 0, 0, r.last.tick // whole ones behind, the newest one is not known to be whole
	least, several := lossWithin, false
	for seq := r.newest; seq > from; seq-- {
		switch {
		case r.has(seq):
			several = several || r.tick(seq) == at && seq < r.newest
			if gap = 0; r.tick(seq) < at {
				at = r.tick(seq)
				sends++
			}
		case missing(seq-1, seq) > 0: // else it says nothing of the state
			least, sends = min(least, sends), 0
			if gap++; gap > 1 {
				return false
			}
		}
	}
	return least > flag(several)
}

const (
	// A line is known to lose packets, so that copies are sent, where mostlyLossy of lossWithin packets
	// were lost, and the authority knew so lossKnown packets later: it takes a share of 0.5 %, smoothed over
	// some 200, for lossy.
	mostlyLossy, lossWithin, lossKnown = 4, 128, 32
)

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

// noteSend notes of which send a packet is, what it names as a base, and whether that send has left
// something out.
func (r *receivedHistory) noteSend(t ids.Tick, base uint64, part bool) {
	switch {
	case t > r.last.tick:
		r.before, r.last = r.last, send{t, base, part}
	case t == r.last.tick:
		r.last.base, r.last.part = min(r.last.base, base), r.last.part || part
	}
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
