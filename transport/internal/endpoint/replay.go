package endpoint

import (
	"math/bits"

	"github.com/tendonengine/tendon/transport"
)

// A replayWindow detects duplicate packets by their sequence numbers: it has one bit
// for each of the last transport.ReplayWindow numbers.
type replayWindow struct {
	highest uint64
	seen    [transport.ReplayWindow/64 + 1]uint64 // one word more than the window, as the newest word is partly used
}

// accept reports whether seq is new, and marks it seen. Numbers that have left
// the window count as seen.
func (w *replayWindow) accept(seq uint64) bool {
	const words = uint64(len(w.seen))
	switch {
	case seq > w.highest:
		// Words between the old and the new highest hold old numbers: clear them.
		from, to := w.highest/64, seq/64
		for i := from + 1; i <= to && i <= from+words; i++ {
			w.seen[i%words] = 0
		}
		w.highest = seq
	case w.highest-seq >= transport.ReplayWindow:
		return false
	}
	word, bit := &w.seen[seq/64%words], uint64(1)<<(seq%64)
	if *word&bit != 0 {
		return false
	}
	*word |= bit
	return true
}

// loss returns the share of sequence numbers that were not seen. It looks at no more
// than transport.LossWindow numbers and leaves out the newest transport.LossSkip.
func (w *replayWindow) loss() float64 {
	if w.highest <= transport.LossSkip {
		return 0
	}
	newest := w.highest - transport.LossSkip
	n := min(newest, transport.LossWindow) // the first number is 1
	seen := 0
	for at, left := newest-n+1, n; left > 0; { // word by word; at may wrap after the highest uint64
		part := min(left, 64-at%64)
		word := w.seen[at/64%uint64(len(w.seen))] >> (at % 64)
		seen += bits.OnesCount64(word << (64 - part))
		at, left = at+part, left-part
	}
	return float64(int(n)-seen) / float64(n)
}
