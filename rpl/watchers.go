package rpl

import "math/bits"

// A sight is what the grid knows of a peer's watch: where its observer was at its
// last look, and the squares of distances from there. What stays nearer than
// inner, or farther than outer, is no news to the peer.
type sight struct{ x, y, inner, outer float32 }

// misses is whether a node that has gone from one place in the grid to another is
// no news.
func (s *sight) misses(from, to gridNode) bool {
	x, y := from.x-s.x, from.y-s.y
	before := x*x + y*y
	x, y = to.x-s.x, to.y-s.y
	now := x*x + y*y
	return flag(before <= s.inner)&flag(now <= s.inner)|flag(before > s.outer)&flag(now > s.outer) != 0
}

// watchers are the peers that watch each bucket of the grid: so many words of
// bits a bucket.
type watchers struct {
	words int
	bits  []uint64
}

type watcherSet []uint64

func (s watcherSet) set(peer int32)      { s[peer>>6] |= 1 << (peer & 63) }
func (s watcherSet) has(peer int32) bool { return s[peer>>6]>>(peer&63)&1 != 0 }
func (s watcherSet) clear(peer int32)    { s[peer>>6] &^= 1 << (peer & 63) }

func (w *watchers) of(bucket int32) watcherSet {
	at := int(bucket) * w.words
	return watcherSet(w.bits[at : at+w.words])
}

// reach makes room for a peer.
func (g *grid) reach(peer int32) {
	g.watchers.reach(peer)
	for int(peer) >= len(g.sights) {
		g.sights = append(g.sights, sight{})
	}
}

func (w *watchers) reach(peer int32) {
	words := int(peer)>>6 + 1
	if words <= w.words {
		return
	}
	wider := watchers{words: words, bits: make([]uint64, words*gridSide*gridSide)}
	for i := range int32(gridSide * gridSide) {
		if w.words > 0 {
			copy(wider.of(i), w.of(i))
		}
	}
	*w = wider
}

// tellOfMove tells those that watch a bucket of a node that has come to a place
// there from another, if it is news to them.
func (a *Authority) tellOfMove(bucket int32, from, to gridNode) {
	g := a.grid
	for k, w := range g.watchers.of(bucket) {
		for ; w != 0; w &= w - 1 {
			if i := k<<6 + bits.TrailingZeros64(w); !g.sights[i].misses(from, to) {
				a.peers[i].watch.tell(to.slot)
			}
		}
	}
}

// tellWatchers tells those that watch a bucket of a node whose rules have changed.
func (a *Authority) tellWatchers(bucket int32, slot uint32) {
	for k, w := range a.grid.watchers.of(bucket) {
		for ; w != 0; w &= w - 1 {
			a.peers[k<<6+bits.TrailingZeros64(w)].watch.tell(slot)
		}
	}
}
