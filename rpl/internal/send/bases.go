package send

import (
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/store"
)

// Bases for what a peer is seldom sent (docs/adr/0013-bases.md). A row keeps its
// versions of the last half second of changes. When a small budget makes a node wait
// longer than that, its base is gone, and only a keyframe could be sent: two to three
// times the bits of a delta, so an overload would feed itself. So what a peer is sent
// after a long wait is remembered for that peer until it is sent something newer.

const (
	// longWait is the ticks after which a wait is long: together with a round trip of
	// 400 ms it may outlast the versions of a row that changes in every tick at 60 Hz.
	longWait = 8

	// longQueue is the nodes waiting to arrive above which an arrival is remembered
	// too: the peer will not be sent updates of it soon.
	longQueue = 64

	// rested is the ticks after which a row that has not left its motion is not remembered with
	// its arrival: it is expected not to, and what it becomes is coded from a version that is kept.
	rested = 16

	// basesChunk is the words allocated at once, for some 200 rows, and fewBases how many rows'
	// at first.
	basesChunk, fewBases = 4096, 16
)

// A peerBase is a row as two packets sent it to a peer: one that the peer is known to
// have, and one that is in flight or was lost.
type peerBase struct {
	t     *rowtype.Type
	of    uint32    // the handle
	row   uint32    // number of the row in its node
	next  uint32    // index + 1 of the next base of the same handle, or of the next free one; 0: none
	ticks [2]uint32 // of the two packets, 0: none
	words []int32   // of both versions
	vars  *[2][]any // of both versions; nil if the type has none
}

func (b *peerBase) at(k int) rowtype.Words { return b.t.At(b.words[k*b.t.Width:]) }

// bases are the remembered bases of one peer: at most one peerBase for each row that it
// holds.
type bases struct {
	first []uint32 // by handle: index + 1 of its first base, 0: none
	all   []peerBase
	free  []uint32 // by rowtype.Type.Index: index + 1 of the first free base; free ones keep their words
	chunk []int32  // words not yet in use
	used  int32    // how many of all are not free
	next  int32    // where restSome goes on
	rests uint32   // how many sends it pauses yet
	freed bool     // it has freed some since the first
}

// row is the peerBase of row i of a handle's node, nil if there is none.
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

// find looks up row i of a handle's node as the packet of a tick sent it. It returns
// false if that is not remembered.
func (b *bases) find(h uint32, i int, tick uint32) (of *peerBase, k int, ok bool) {
	if of = b.row(h, i); of == nil || tick == 0 {
		return nil, 0, false
	}
	if of.ticks[0] != tick {
		k = 1
	}
	return of, k, of.ticks[k] == tick
}

// place is where to remember a packet that leaves now: not the place of the packet of
// tick acked, which the peer is known to have.
func (b *bases) place(h uint32, i int, t *rowtype.Type, acked uint32) (of *peerBase, k int) {
	if of = b.row(h, i); of == nil {
		of = b.add(h, i, t)
	}
	older := flag(of.ticks[0] > of.ticks[1])
	if acked != 0 && of.ticks[older] == acked {
		return of, 1 - older
	}
	return of, older
}

// add makes a peerBase for a row.
func (b *bases) add(h uint32, i int, t *rowtype.Type) *peerBase {
	for h >= uint32(len(b.first)) {
		b.first = append(b.first, 0)
	}
	for t.Index >= len(b.free) {
		b.free = append(b.free, 0)
	}
	at := b.free[t.Index]
	if at == 0 {
		b.all = append(b.all, peerBase{t: t, words: b.take(2 * t.Width)})
		if at = uint32(len(b.all)); len(t.Vars) > 0 {
			b.all[at-1].vars = new([2][]any)
		}
	}
	b.used++
	b.rests = 0
	of := &b.all[at-1]
	b.free[t.Index] = of.next
	of.of, of.row, of.next, b.first[h] = h, uint32(i), b.first[h], at
	return of
}

// take returns n unused words.
func (b *bases) take(n int) []int32 {
	if len(b.chunk) < n {
		b.chunk = make([]int32, max(n, min(basesChunk, n*max(fewBases, len(b.all)))))
	}
	w := b.chunk[:n:n]
	b.chunk = b.chunk[n:]
	return w
}

// forget drops the bases of a handle's node; others use their memory.
func (b *bases) forget(h uint32) {
	if h >= uint32(len(b.first)) {
		return
	}
	at := b.first[h]
	b.first[h] = 0
	for at > 0 {
		next := b.all[at-1].next
		b.release(at)
		at = next
	}
}

// release lets another row have a peerBase that stands in no list.
func (b *bases) release(at uint32) {
	of := &b.all[at-1]
	if of.ticks = [2]uint32{}; of.vars != nil {
		*of.vars = [2][]any{} // release the values
	}
	of.next, b.free[of.t.Index] = b.free[of.t.Index], at
	b.used--
}

// drop forgets one peerBase.
func (b *bases) drop(at uint32) {
	of := &b.all[at-1]
	if b.first[of.of] == at {
		b.first[of.of] = of.next
	} else {
		for before := b.first[of.of]; ; before = b.all[before-1].next {
			if b.all[before-1].next == at {
				b.all[before-1].next = of.next
				break
			}
		}
	}
	b.release(at)
}

// leastBases is up to how many bases nothing is given back while some become free.
const leastBases = 64

// shrink gives memory back where few of many bases are left.
func (b *bases) shrink() {
	if int(b.used) > len(b.all)/4 {
		return
	}
	old := b.all
	*b = bases{}
	for i := range old {
		if of := &old[i]; of.ticks != [2]uint32{} {
			to := b.add(of.of, int(of.row), of.t)
			to.ticks, to.vars = of.ticks, of.vars
			copy(to.words, of.words)
		}
	}
}

// restSome forgets some of the bases of rows that the peer is known to have as they are: what
// such a row becomes is coded from a version that the authority has, unless nodes have to wait
// for long, and then nothing is forgotten. It looks at a few in each send, of so many peers: a
// look takes three lines of memory, and after a join most rows that moved have a base.
func (p *Peer) restSome(st *store.Store, peers int) {
	const all, most, least, pause = 512, 32, 4, 64
	b, few := &p.bases, min(max(all/peers, least), most)
	if b.rests > 0 {
		b.rests--
		return
	}
	if len(p.overload.priorities) > 0 || len(p.arrivals.queue) > 0 {
		return
	}
	for range few {
		if int(b.next) >= len(b.all) {
			if b.next = 0; !b.freed {
				b.rests = pause
			}
			if len(b.all) > leastBases || !b.freed {
				b.shrink()
			}
			b.freed = false
			break
		}
		of := &b.all[b.next]
		b.next++
		e := &p.States[of.of]
		if of.ticks == [2]uint32{} || e.State != HandleIn {
			continue
		}
		pr, r := p.row(e, int(of.row)), &st.Rows[st.Nodes[e.slot].Rows()[of.row]]
		if pr.known() && pr.acked == r.Head && pr.flight == pr.acked {
			b.drop(uint32(b.next))
			b.freed = true
		}
	}
	p.kept.bases = int32(len(b.all))
}

// remember notes what an update of this tick sends of rows, or an arrival of those that have not
// rested.
func (u *updates) remember(p *Peer, recs []link.Entry, arrival bool) {
	for i := range recs {
		re := &recs[i]
		if re.Kind != recRow {
			continue
		}
		e := &p.States[re.Handle]
		r := &u.store.Rows[u.store.Nodes[e.slot].Rows()[re.Row]]
		if arrival {
			if _, at := u.store.Version(r, re.Ver); uint32(u.store.Tick)-at > rested {
				continue
			}
		}
		of, k := p.bases.place(re.Handle, int(re.Row), r.Type, p.row(e, int(re.Row)).ackedTick)
		of.ticks[k] = uint32(u.store.Tick)
		p.kept.bases = 1
		u.store.VersionAt(r, re.Ver, uint32(u.store.Tick)).CopyTo(of.at(k), r.Type.Width)
		if of.vars != nil {
			of.vars[k] = r.VarsOf(re.Ver)
		}
	}
}

// isBase is whether the version that the peer is known to have of row i of a handle's
// node is still kept, so that an update can use it as its base.
func (u *updates) isBase(p *Peer, h uint32, i int, r *store.Row, pr *peerRow) bool {
	if pr.acked == 0 || r.Kept(pr.acked) {
		return pr.acked != 0
	}
	_, _, ok := p.bases.find(h, i, pr.ackedTick)
	return ok
}

// base is the version that isBase has found; valid until the next call.
func (u *updates) base(p *Peer, h uint32, i int, r *store.Row, pr *peerRow) (words rowtype.Words, vars []any) {
	if r.Kept(pr.acked) {
		return u.store.VersionAt(r, pr.acked, pr.ackedTick), r.VarsOf(pr.acked)
	}
	of, k, _ := p.bases.find(h, i, pr.ackedTick)
	if of.vars != nil {
		vars = of.vars[k]
	}
	return of.at(k), vars
}

// hasLongDelta is whether a value of a row takes more, as a difference from what
// the peer has, than a whole value may. The row is then sent whole: peers refuse what
// is longer than any value.
func (u *updates) hasLongDelta(p *Peer, h uint32, i int, r *store.Row, pr *peerRow) bool {
	_, base := u.base(p, h, i, r, pr)
	for _, k := range r.Type.Unsized {
		v := &r.Type.Vars[k]
		if v.Type.Equal(base[k], r.Vars.Now[k]) || r.Type.OnceV != nil && r.Type.OnceV[k] {
			continue
		}
		if u.buf = v.Type.AppendDelta(u.buf[:0], base[k], r.Vars.Now[k]); len(u.buf) > v.MaxBytes() {
			return true
		}
	}
	return false
}
