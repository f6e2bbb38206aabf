// Package replay detects packets that come twice, as RFC 6479 does, and finds the whole
// number of a packet that carries its low 16 bits only, as RFC 9000, A.3 does.
package replay

import "math/bits"

// Size is how many of the newest sequence numbers a window remembers, to tell a late
// packet from a duplicate; older ones count as seen.
const Size = 1024

// A Window has one bit for each of the last Size numbers. The zero value has seen none.
type Window struct {
	highest uint64
	seen    [Size/64 + 1]uint64 // one word more than the window, as the newest word is partly used
}

// Highest is the highest number that was marked, 0 at first.
func (w *Window) Highest() uint64 { return w.highest }

// Whole returns the number nearest to the one that is expected next whose low 16 bits are
// these.
func (w *Window) Whole(low uint16) uint64 {
	const half, span = 1 << 15, 1 << 16
	expected := w.highest
	if expected < ^uint64(0) {
		expected++
	}
	seq := expected&^(span-1) | uint64(low)
	switch {
	case seq+half <= expected && seq <= ^uint64(0)-span:
		return seq + span
	case seq > expected+half && expected+half > expected && seq >= span:
		return seq - span
	}
	return seq
}

// New reports whether a number has not been marked, and is not too old to know. It is asked
// before a packet is opened. Number 0 is never new.
func (w *Window) New(seq uint64) bool {
	switch {
	case seq == 0 || seq <= w.highest && w.highest-seq >= Size:
		return false
	case seq > w.highest:
		return true
	}
	return w.seen[seq/64%uint64(len(w.seen))]&(1<<(seq%64)) == 0
}

// Mark marks a number for which New is true, after its packet was found to be genuine.
func (w *Window) Mark(seq uint64) {
	const words = uint64(len(w.seen))
	if seq > w.highest {
		// Words between the old and the new highest hold old numbers: clear them.
		from, to := w.highest/64, seq/64
		for i := from + 1; i <= to && i <= from+words; i++ {
			w.seen[i%words] = 0
		}
		w.highest = seq
	}
	w.seen[seq/64%words] |= 1 << (seq % 64)
}

// Loss returns the share of numbers that were not seen, of at most the newest span ones
// (no more than Size) without the very newest skip, which reordering may still delay.
func (w *Window) Loss(span, skip uint64) float64 {
	if w.highest <= skip {
		return 0
	}
	newest := w.highest - skip
	n := min(newest, span) // the first number is 1
	return float64(int(n)-w.count(newest, n)) / float64(n)
}

// Missing returns how many of the numbers above from, up to to, were not marked; those that
// are too old to know count as marked.
func (w *Window) Missing(from, to uint64) int {
	if oldest := w.highest - min(w.highest, Size); from < oldest {
		from = oldest
	}
	if to <= from {
		return 0
	}
	beyond := 0
	if to > w.highest {
		beyond = int(to - max(from, w.highest))
		to = w.highest
	}
	if to <= from {
		return beyond
	}
	return beyond + int(to-from) - w.count(to, to-from)
}

// count returns how many of the n numbers up to newest are marked; they are no older than Size.
func (w *Window) count(newest, n uint64) (seen int) {
	for at, left := newest-n+1, n; left > 0; { // word by word; at may wrap after the highest uint64
		part := min(left, 64-at%64)
		word := w.seen[at/64%uint64(len(w.seen))] >> (at % 64)
		seen += bits.OnesCount64(word << (64 - part))
		at, left = at+part, left-part
	}
	return seen
}
