package rpl

import (
	"math/bits"
	"slices"
)

// How the grid tells the watches of peers (watch.go) of nodes that move: which peers
// watch a bucket, which moves are news to which of them, and the list of news for the
// next Stream.

// A sight is what the grid knows of a peer's watch: where the observer was at the last
// look, and two squares of distances from there. A node that stays nearer than inner,
// or farther than outer, is no news to the peer.
type sight struct {
	x, y         float32
	inner, outer far
}

// sees is 1 if a node that moved from one place in the grid to another is news to the
// peer, else 0. It is the sign of two differences, without a branch.
func (s *sight) sees(from, to gridNode) uint32 {
	before, now := farBetween(s.x-from.x, s.y-from.y), farBetween(s.x-to.x, s.y-to.y)
	return uint32((s.inner-max(before, now))&^(s.outer-min(before, now))) >> 31
}

// watchers holds the set of peers that watch each bucket of the grid.
type watchers struct {
	words int
	bits  []uint64
}

type watcherSet []uint64

func (s watcherSet) set(peer int32) { s[peer>>6] |= 1 << (peer & 63) }

func (s watcherSet) has(peer int32) bool { return s[peer>>6]>>(peer&63)&1 != 0 }

func (s watcherSet) clear(peer int32) { s[peer>>6] &^= 1 << (peer & 63) }

func (w *watchers) of(bucket int32) watcherSet {
	at := int(bucket) * w.words
	return watcherSet(w.bits[at : at+w.words])
}

func (g *grid) sightOf(peer int32) *sight { return &g.sights[peer>>6][peer&63] }

// reach makes room for a peer, by its index.
func (g *grid) reach(peer int32) {
	g.watchers.reach(peer)
	for int(peer>>6) >= len(g.sights) {
		g.sights = append(g.sights, [64]sight{})
	}
}

// reach makes the sets wide enough for a peer.
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

// news is a node that a peer's watch must ask at the next Stream.
type news struct {
	peer int32
	slot uint32
}

// tell has a peer's watch ask a node at the next Stream. There is one list for all
// peers, because a list per peer would cost a cache miss for each.
func (a *Authority) tell(peer int32, slot uint32) {
	if g := a.grid; g != nil && g.plain {
		g.news = append(g.news, news{peer, slot})
	}
}

// tellOfMove tells of a node that has moved in the grid. watchers is one word of the
// set of peers that watch its bucket; those to which the move is news are told. No
// branch depends on which they are.
func (g *grid) tellOfMove(word int, watchers uint64, from, to gridNode) {
	if cap(g.news)-len(g.news) < 64 {
		g.news = slices.Grow(g.news, 64)
	}
	room, n := (*[64]news)(g.news[len(g.news):][:64]), 0
	first, sights := int32(word<<6), &g.sights[word]
	for ; watchers != 0; watchers &= watchers - 1 {
		i := bits.TrailingZeros64(watchers)
		room[n&63] = news{first + int32(i), to.slot}
		n += int(sights[i&63].sees(from, to))
	}
	g.news = g.news[:len(g.news)+n]
}

// tellWatchers tells all peers that watch a bucket of a node that has come into the
// grid or whose rules have changed.
func (a *Authority) tellWatchers(bucket int32, slot uint32) {
	for k, w := range a.grid.watchers.of(bucket) {
		for ; w != 0; w &= w - 1 {
			a.tell(int32(k<<6+bits.TrailingZeros64(w)), slot)
		}
	}
}

// sortNews puts the news of each peer together.
func (g *grid) sortNews() {
	ends := append(g.toldEnds[:0], make([]uint32, 64*len(g.sights)+1)...)
	for _, n := range g.news {
		ends[n.peer+1]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	g.told = slices.Grow(g.told[:0], len(g.news))[:len(g.news)]
	for _, n := range g.news {
		g.told[ends[n.peer]] = n.slot
		ends[n.peer]++
	}
	g.toldEnds = ends
}

// toldOf returns the slots of which a peer's watch was told, as of sortNews.
func (g *grid) toldOf(peer int32) []uint32 {
	from := uint32(0)
	if peer > 0 {
		from = g.toldEnds[peer-1]
	}
	return g.told[from:g.toldEnds[peer]]
}
