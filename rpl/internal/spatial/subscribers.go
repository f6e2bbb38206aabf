package spatial

import (
	"math/bits"
	"slices"
)

// How the grid reports nodes that move to neighbour lists (neighbourlist.go): which of them cover a bucket,
// which moves are news to which, and the list of news for the next Stream. A list has a
// number; a peer has a list for each of its observers.

// A Sight is what the grid knows of a peer's list: where the observer was at the last
// scan, and two squares of distances from there. A node that stays nearer than inner,
// or farther than outer, is no news to the peer.
type Sight struct {
	X, Y         float32
	Inner, Outer Far
}

// Sees is 1 if a node that moved from one place in the grid to another is news to the
// peer, else 0. It is the sign of two differences, without a branch.
func (s *Sight) Sees(from, to Placed) uint32 {
	before, now := FarBetween(s.X-from.X, s.Y-from.Y), FarBetween(s.X-to.X, s.Y-to.Y)
	return uint32((s.Inner-max(before, now))&^(s.Outer-min(before, now))) >> 31
}

// subscribers holds the set of lists that cover each bucket of the grid.
type subscribers struct {
	Words int
	Bits  []uint64
}

type subscriberSet []uint64

func (s subscriberSet) Set(peer int32) { s[peer>>6] |= 1 << (peer & 63) }

func (s subscriberSet) Has(peer int32) bool { return s[peer>>6]>>(peer&63)&1 != 0 }

func (s subscriberSet) Clear(peer int32) { s[peer>>6] &^= 1 << (peer & 63) }

func (w *subscribers) Of(bucket int32) subscriberSet {
	at := int(bucket) * w.Words
	return subscriberSet(w.Bits[at : at+w.Words])
}

func (g *grid) SightOf(peer int32) *Sight { return &g.sights[peer>>6][peer&63] }

// Reach makes room for a peer, by its index.
func (g *grid) Reach(peer int32) {
	g.Subscribers.reach(peer)
	for int(peer>>6) >= len(g.sights) {
		g.sights = append(g.sights, [64]Sight{})
	}
}

// reach makes the sets wide enough for a peer.
func (w *subscribers) reach(peer int32) {
	words := int(peer)>>6 + 1
	if words <= w.Words {
		return
	}
	wider := subscribers{Words: words, Bits: make([]uint64, words*GridSide*GridSide)}
	for i := range int32(GridSide * GridSide) {
		if w.Words > 0 {
			copy(wider.Of(i), w.Of(i))
		}
	}
	*w = wider
}

// News is a node that a peer's list must ask at the next Stream.
type News struct {
	List int32
	Slot uint32
}

// ReportMove reports a node that has moved in the grid. subscribers is one word of the
// set of lists that cover its bucket; those to which the move is news hear of it. No
// branch depends on which they are.
func (g *grid) ReportMove(word int, subscribers uint64, from, to Placed) {
	if cap(g.News)-len(g.News) < 64 {
		g.News = slices.Grow(g.News, 64)
	}
	room, n := (*[64]News)(g.News[len(g.News):][:64]), 0
	first, sights := int32(word<<6), &g.sights[word]
	for ; subscribers != 0; subscribers &= subscribers - 1 {
		i := bits.TrailingZeros64(subscribers)
		room[n&63] = News{first + int32(i), to.Slot}
		n += int(sights[i&63].Sees(from, to))
	}
	g.News = g.News[:len(g.News)+n]
}

// SortNews puts the news of each peer together.
func (g *grid) SortNews() {
	ends := append(g.sortedEnds[:0], make([]uint32, 64*len(g.sights)+1)...)
	for _, n := range g.News {
		ends[n.List+1]++
	}
	for i := 1; i < len(ends); i++ {
		ends[i] += ends[i-1]
	}
	g.sorted = slices.Grow(g.sorted[:0], len(g.News))[:len(g.News)]
	for _, n := range g.News {
		g.sorted[ends[n.List]] = n.Slot
		ends[n.List]++
	}
	g.sortedEnds = ends
}

// NewsOf returns the slots that were reported to a peer's list, as of SortNews.
func (g *grid) NewsOf(peer int32) []uint32 {
	from := uint32(0)
	if peer > 0 {
		from = g.sortedEnds[peer-1]
	}
	return g.sorted[from:g.sortedEnds[peer]]
}
