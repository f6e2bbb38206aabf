package rpl

// Bases of what a peer is told of seldom (docs/adr/0013-bases.md). A row remembers its
// versions of half a second of changes. Who waits longer for its turn, because the
// budget pays for little, would be told of it by keyframes, which take twice to three
// times the bits of a difference: an overload would feed itself. So what a peer is told
// of after a wait is remembered for this peer, until it is told something newer.

const (
	// longWait is after how many ticks: what waits so long, together with a round trip
	// of 400 ms, may outlast the versions of a row that changes in every tick at 60 Hz.
	longWait = 8

	// longQueue is how many nodes wait to be told of where what has come will not be
	// told of soon either.
	longQueue = 64

	// basesChunk is the words that are taken at once, for some 200 rows.
	basesChunk = 4096
)

// A peerBase is a row as two packets told it: the one that the peer is known to have, and
// one that is on its way or was lost.
type peerBase struct {
	t     *rowType
	row   uint32    // of its node
	next  uint32    // one more than the next of the same handle, or the next free one; 0: none
	ticks [2]uint32 // of the packets, 0: none
	words []int32   // of both
	vars  *[2][]any // nil where the type has none
}

func (b *peerBase) at(k int) rowWords { return b.t.at(b.words[k*b.t.width:]) }

// bases are those of one peer: at most one for each row that it holds.
type bases struct {
	first []uint32 // by handle: one more than the first one, 0: none
	all   []peerBase
	free  map[*rowType]uint32 // as next; they have their words
	chunk []int32             // words that nobody has yet
}

// row is what is remembered of row i of a handle's node, nil for nothing.
func (b *bases) row(h uint32, i int) *peerBase {
	if h >= uint32(len(b.first)) {
		return nil
	}
	for at := b.first[h]; at > 0; at = b.all[at-1].next {
		if of := &b.all[at-1]; of.row == uint32(i) {
			return of
		}
	}
	return nil
}

// find is how a packet of a tick told row i of a handle's node; false where that is
// not remembered.
func (b *bases) find(h uint32, i int, tick uint32) (of *peerBase, k int, ok bool) {
	if of = b.row(h, i); of == nil || tick == 0 {
		return nil, 0, false
	}
	if of.ticks[0] != tick {
		k = 1
	}
	return of, k, of.ticks[k] == tick
}

// place is where a packet that leaves is remembered: not where the one is that the
// peer is known to have, of tick acked.
func (b *bases) place(h uint32, i int, t *rowType, acked uint32) (of *peerBase, k int) {
	if of = b.row(h, i); of == nil {
		of = b.add(h, i, t)
	}
	older := flag(of.ticks[0] > of.ticks[1])
	if acked != 0 && of.ticks[older] == acked {
		return of, 1 - older
	}
	return of, older
}

// add begins to remember a row.
func (b *bases) add(h uint32, i int, t *rowType) *peerBase {
	for h >= uint32(len(b.first)) {
		b.first = append(b.first, 0)
	}
	at := b.free[t]
	if at == 0 {
		b.all = append(b.all, peerBase{t: t, words: b.take(2 * t.width)})
		if at = uint32(len(b.all)); len(t.vars) > 0 {
			b.all[at-1].vars = new([2][]any)
		}
	}
	of := &b.all[at-1]
	if b.free == nil {
		b.free = make(map[*rowType]uint32)
	}
	b.free[t] = of.next
	of.row, of.next, b.first[h] = uint32(i), b.first[h], at
	return of
}

// take is words that nobody has.
func (b *bases) take(n int) []int32 {
	if len(b.chunk) < n {
		b.chunk = make([]int32, max(n, basesChunk))
	}
	w := b.chunk[:n:n]
	b.chunk = b.chunk[n:]
	return w
}

// forget forgets what was told of a handle's node; its memory serves others.
func (b *bases) forget(h uint32) {
	if h >= uint32(len(b.first)) {
		return
	}
	at := b.first[h]
	b.first[h] = 0
	for at > 0 {
		of, next := &b.all[at-1], b.all[at-1].next
		if of.ticks = [2]uint32{}; of.vars != nil {
			*of.vars = [2][]any{} // let the values go
		}
		of.next, b.free[of.t] = b.free[of.t], at
		at = next
	}
}

// remember notes what an update or an arrival of this tick tells of rows.
func (a *Authority) remember(p *peer, recs []recEntry) {
	for i := range recs {
		re := &recs[i]
		if re.kind != recRow {
			continue
		}
		e := &p.entries[re.handle]
		r := &a.rows[a.nodes[e.node.Slot()].rows[re.row]]
		of, k := p.bases.place(re.handle, int(re.row), r.t, p.row(e, int(re.row)).ackedTick)
		of.ticks[k] = uint32(a.tick)
		a.versionAt(r, re.ver, uint32(a.tick)).copyTo(of.at(k), r.t.width)
		if of.vars != nil {
			of.vars[k] = r.varsOf(re.ver)
		}
	}
}

// isBase is whether what a peer is known to have of row i of a handle's node can still
// be what an update differs from.
func (a *Authority) isBase(p *peer, h uint32, i int, r *row, pr *peerRow) bool {
	if pr.acked == 0 || r.kept(pr.acked) {
		return pr.acked != 0
	}
	_, _, ok := p.bases.find(h, i, pr.ackedTick)
	return ok
}

// base is what isBase has found; valid until the next call.
func (a *Authority) base(p *peer, h uint32, i int, r *row, pr *peerRow) (words rowWords, vars []any) {
	if r.kept(pr.acked) {
		return a.versionAt(r, pr.acked, pr.ackedTick), r.varsOf(pr.acked)
	}
	of, k, _ := p.bases.find(h, i, pr.ackedTick)
	if of.vars != nil {
		vars = of.vars[k]
	}
	return of.at(k), vars
}
