package endpoint

// What a listener does with questions while more packets come than it can read.

import (
	"hash/maphash"
	"time"
)

// A sieve tells the repeat of a question from a new one. A flood of false questions has a new
// one in each packet; a client repeats its own within a quarter of a second. So while packets
// wait in the socket, where what is too much is lost, only repeats are answered: the answer
// is most of what a question costs. The clients inside are read the sooner for that, and who
// wants in waits for one repeat. A flood of repeats is answered as before.
//
// It is a Bloom filter of two generations, at most 2.5 % full at 60,000 questions a second.
// Only the reader uses it.
type sieve struct {
	seed  maphash.Seed
	young *generation // nil: nothing has pressed for a while
	old   *generation
	born  time.Duration // of the young one
	on    bool
}

// A generation is the questions of sieveTime.
type generation [1 << 13]uint64

const sieveTime = 500 * time.Millisecond

// Press says whether packets wait in the socket for longer than the reader takes to read
// what it takes at once. Call it on the reader's goroutine, before Arrive.
func (e *Endpoint) Press(now time.Duration, on bool) {
	s := &e.sieve
	s.on = on
	switch {
	case on && s.young == nil:
		*s = sieve{seed: maphash.MakeSeed(), young: &generation{}, old: &generation{}, born: now, on: true}
	case s.young != nil && now-s.born >= sieveTime:
		if !on && now-s.born >= 4*sieveTime {
			*s = sieve{} // the memory is not needed any more
			return
		}
		if on {
			s.young, s.old, s.born = s.old, s.young, now
			clear(s.young[:])
		}
	}
}

// lets reports whether a question is to be answered.
func (s *sieve) lets(q question) bool {
	if !s.on {
		return true
	}
	h := maphash.Comparable(s.seed, q)
	one, two := h%(1<<19), h>>32%(1<<19)
	has := func(g *generation, bit uint64) bool { return g[bit/64]>>(bit%64)&1 != 0 }
	seen := has(s.young, one) && has(s.young, two) || has(s.old, one) && has(s.old, two)
	s.young[one/64] |= 1 << (one % 64)
	s.young[two/64] |= 1 << (two % 64)
	return seen
}
