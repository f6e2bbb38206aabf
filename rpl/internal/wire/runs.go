package wire

import "math/bits"

// Runs goes through a set of handles by runs: in turn how many of them are not told, and how
// many are.
type Runs struct {
	Len   int  // of the run, …
	Again bool // … of what is told again or not
	First bool // of all runs

	base, now *SentSet
	word      int    // that is gone through
	rest      uint64 // what is left of the word
	begun     bool   // there was a run before
}

// NewRuns makes the runs of a set, of which now is what is told again.
func NewRuns(base, now *SentSet) Runs {
	return Runs{base: base, now: now, rest: base[0], Again: true}
}

// Next goes to the next run, and reports whether there is one.
func (r *Runs) Next() bool {
	for r.rest == 0 {
		if r.word++; r.word >= len(r.base) {
			return false
		}
		r.rest = r.base[r.word]
	}
	r.First, r.begun = !r.begun, true
	r.Len, r.Again = 0, !r.Again
	for {
		of := r.now[r.word%len(r.now)]
		if !r.Again {
			of = ^of
		}
		run := r.rest // up to the first handle that is in another run
		if other := r.rest &^ of; other != 0 {
			run &= other&-other - 1
		}
		r.Len += bits.OnesCount64(run)
		if r.rest &^= run; r.rest != 0 || r.word+1 >= len(r.base) {
			return true
		}
		r.word++
		r.rest = r.base[r.word]
	}
}
