package store

import (
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Tolerances (`tol=`). While a value is within its tolerance of what peers predict, the row is
// as they predict it: its current words are the predicted ones, and all later stages know
// nothing of it. The exact words are kept beside. A value that has not changed for a second and
// is not what peers have is sent exactly, so that what is at rest is equal everywhere.

// exacts are the words of a slab's rows as the game has them; nil for types without a
// tolerance.
type exacts struct {
	width int
	words []int32  // by block
	since []uint32 // the tick in which each last changed
	waits []bool   // by block: the row is on the list of those that are off
	anew  []bool   // by block: a reckoned row is told anew, wherever it is
}

// newExacts returns what a type needs, nil if no word has a tolerance.
func newExacts(t *rowtype.Type) *exacts {
	for i := range t.Words {
		if t.Words[i].Tol > 0 || t.IsReckoned() {
			return &exacts{width: len(t.Words)}
		}
	}
	return nil
}

// begin makes room for a row, whose words are now those given.
func (x *exacts) begin(block uint32, now []int32, tick uint32) {
	for len(x.waits) <= int(block) {
		x.waits, x.anew = append(x.waits, false), append(x.anew, false)
		x.words = append(x.words, make([]int32, x.width)...)
		x.since = append(x.since, make([]uint32, x.width)...)
	}
	x.anew[block] = false
	words, since := x.of(block)
	copy(words, now)
	for i := range since {
		since[i] = tick
	}
}

func (x *exacts) of(block uint32) (words []int32, since []uint32) {
	at := int(block) * x.width
	return x.words[at:][:x.width], x.since[at:][:x.width]
}

// take makes an item's words the exact ones of a row, and reports whether that changed it.
func (x *exacts) take(t *rowtype.Type, block uint32, words []int32, tick uint32) (changed bool) {
	exact, since := x.of(block)
	for k, f := range t.From {
		if f >= 0 && exact[k] != words[f] && (t.When == nil || t.When[k] < 0 || words[t.When[k]] != 0) {
			exact[k], since[k], changed = words[f], tick, true
		}
	}
	return changed
}

// restore makes the exact words of a row its current ones.
func (x *exacts) restore(t *rowtype.Type, block uint32, now []int32) {
	words, _ := x.of(block)
	for i, f := range t.From {
		if f >= 0 {
			now[i] = words[i]
		}
	}
}

// tolerates makes a row what its newest version predicts, n ticks later, if it is near enough
// to that, and reports whether it is.
func (st *Store) tolerates(r *Row, last rowtype.Words, n uint32) bool {
	t, s := r.Type, &st.Slabs[r.Type.Index]
	if r.Vars != nil && !r.SameVars(r.Head) {
		return false
	}
	now, sent := st.Current(r), t.At(st.rooms.known)
	t.Advance(sent, last, n)
	_, since := s.exact.of(r.Block)
	for i := range t.Words {
		w := &t.Words[i]
		off := apart(t, i, now[i], *sent.Word(i))
		if off == 0 || t.IsOnce(i) || t.From[i] < 0 { // of an inferred velocity counts what it leads to
			continue
		}
		if off > int64(w.Tol) || uint32(st.Tick)-since[i] >= uint32(st.hz) {
			return false
		}
	}
	for i := range t.Width {
		if i >= len(t.Words) || !t.IsOnce(i) {
			now[i] = *sent.Word(i)
		}
	}
	return true
}

// wait has the next send look at a row again that is not what the game has.
func (st *Store) wait(i uint32) {
	r := &st.Rows[i]
	if waits := &st.Slabs[r.Type.Index].exact.waits[r.Block]; !*waits {
		*waits = true
		st.off = append(st.off, i)
	}
}

// commitOff has the rows that are off committed in this send.
func (st *Store) commitOff() {
	for _, i := range st.off {
		r := &st.Rows[i]
		st.Slabs[r.Type.Index].exact.waits[r.Block] = false
		if !r.gone {
			r.Touched = true
			st.activate(r.node)
		}
	}
	st.off = st.off[:0]
}
