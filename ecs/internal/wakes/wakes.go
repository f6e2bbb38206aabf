// Package wakes keeps what is to be woken at which tick. A step costs what is due in it, not
// what waits: a heap has the earliest first.
package wakes

import (
	"cmp"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/rpl"
)

// A Woken is an entity that is woken, and the node that it was when that was asked for; 0: none. An
// entity that is another node by then is not meant.
type Woken struct {
	Entity donburi.Entity
	Node   rpl.Node
}

// A wake is one of them at one tick.
type wake struct {
	at rpl.Tick
	Woken
}

// before is the order in which wakes run: by tick; those of one tick side by side by entity, so
// that an entity that was given one tick twice is woken once.
func (w wake) before(o wake) bool {
	return cmp.Or(cmp.Compare(w.at, o.at), cmp.Compare(w.Entity, o.Entity), cmp.Compare(w.Node, o.Node)) < 0
}

// A Set is what waits. The zero Set is ready.
type Set struct {
	heap  []wake
	swept int // how many were left by the last sweep
	due   []Woken
}

// Len returns how many wait, some of which may have ended.
func (s *Set) Len() int { return len(s.heap) }

// Clear forgets all.
func (s *Set) Clear() { *s = Set{} }

// minSwept is from how many on a sweep pays.
const minSwept = 64

// Add has an entity woken at a tick. valid says of an entity whether it is there: when those that
// wait have doubled in number, those whose entity has gone are dropped.
func (s *Set) Add(e Woken, at rpl.Tick, valid func(donburi.Entity) bool) {
	if len(s.heap) >= max(minSwept, 2*s.swept) {
		kept := s.heap[:0]
		for _, w := range s.heap {
			if valid(w.Entity) {
				kept = append(kept, w)
			}
		}
		s.heap, s.swept = kept, len(kept)
		for i := len(kept)/2 - 1; i >= 0; i-- {
			s.down(i)
		}
	}
	s.heap = append(s.heap, wake{at, e})
	for i := len(s.heap) - 1; i > 0; {
		up := (i - 1) / 2
		if !s.heap[i].before(s.heap[up]) {
			break
		}
		s.heap[i], s.heap[up] = s.heap[up], s.heap[i]
		i = up
	}
}

// Due removes what is due at a tick and returns it; valid until the next call.
func (s *Set) Due(t rpl.Tick) []Woken {
	s.due = s.due[:0]
	last := wake{}
	for len(s.heap) > 0 && s.heap[0].at <= t {
		w := s.heap[0]
		n := len(s.heap) - 1
		s.heap[0] = s.heap[n]
		s.heap = s.heap[:n]
		s.down(0)
		if w != last {
			s.due = append(s.due, w.Woken)
		}
		last = w
	}
	return s.due
}

func (s *Set) down(i int) {
	for {
		least := i
		for k := 2*i + 1; k <= 2*i+2 && k < len(s.heap); k++ {
			if s.heap[k].before(s.heap[least]) {
				least = k
			}
		}
		if least == i {
			return
		}
		s.heap[i], s.heap[least] = s.heap[least], s.heap[i]
		i = least
	}
}
