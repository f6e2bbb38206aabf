package endpoint

// What a listener does with questions while more packets come than it can read.

import (
	"hash/maphash"
	"time"
)

// A sieve tells the repeat of a question from a new one, and from one that comes all the time.
// A flood of false questions has a new one in each packet, or the same ones very often; a client
// repeats its own within half a second, and not before a twentieth of one has passed. So while
// packets wait in the socket, where what is too much is lost, only such repeats are answered: the
// answer is most of what a question costs. The clients inside are read the sooner for that, and
// who wants in waits for one repeat.
//
// It is a table by hash, in which a new question takes the place of an old one: of 60,000 a
// second a client's own is overwritten once in eleven before its repeat comes. Only the reader
// uses it.
type sieve struct {
	seed    maphash.Seed
	table   []asked // nil: nothing has pressed for a while
	pressed time.Duration
	on      bool
}

// An asked question was heard, or answered, at a time in ms of the endpoint's clock.
type asked struct{ hash, at uint32 }

const (
	sieveSize = 1 << 16
	// sieveLeast and sieveMost are the ages at which a repeat is answered: a client's are 100 to
	// 500 ms apart, or 50 of a SEEK, and one of them may be lost.
	sieveLeast = 40 * time.Millisecond
	sieveMost  = 1200 * time.Millisecond
	// sieveRest is how long the memory is kept once nothing presses any more.
	sieveRest = 2 * time.Second
)

// Press says whether packets wait in the socket for longer than the reader takes to read
// what it takes at once. Call it on the reader's goroutine, before Arrive.
func (e *Endpoint) Press(now time.Duration, on bool) {
	s := &e.sieve
	s.on = on
	switch {
	case on && s.table == nil:
		*s = sieve{seed: maphash.MakeSeed(), table: make([]asked, sieveSize), pressed: now, on: true}
	case on:
		s.pressed = now
	case s.table != nil && now-s.pressed >= sieveRest:
		*s = sieve{}
	}
}

// lets reports whether a question that has come now is to be answered.
func (s *sieve) lets(now time.Duration, q question) bool {
	if !s.on {
		return true
	}
	h := maphash.Comparable(s.seed, q)
	a, ms := &s.table[h%sieveSize], uint32(now/time.Millisecond)
	age := time.Duration(ms-a.at) * time.Millisecond
	known := a.hash == uint32(h>>32) && age <= sieveMost
	if known && age < sieveLeast {
		return false
	}
	*a = asked{uint32(h >> 32), ms}
	return known
}
