package send

import (
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/store"
)

// From which version the lines of an update start (rowtype/line.go): the one before the acked
// version, if the peer got it in the window of this send (link/sends.go).

// secondMost is how much older than a base a version may be from which a line starts, in
// versions and in ticks.
const secondMost = 255

// keyed in place of the number of the second version says that a version came as a keyframe: no
// line leads to it, because what the peer had before is not known any more.
const keyed = 1

// confirm notes that the peer has a version newer than what it was known to have.
func (pr *peerRow) confirm(re *link.Entry, tick uint32) {
	ago, ver := tick-pr.ackedTick, re.Ver-pr.acked
	pr.acked, pr.ackedTick = re.Ver, tick
	switch {
	case re.Key:
		pr.secondAgo, pr.secondVer = 0, keyed
	case !pr.known() || ago > secondMost:
		pr.secondAgo, pr.secondVer = 0, 0
	default:
		pr.secondAgo, pr.secondVer = uint8(ago), fewVersions(ver)
	}
}

// confirmOlder notes that the peer has a version older than the newest that it is known to
// have.
func (pr *peerRow) confirmOlder(re *link.Entry, tick uint32) {
	ago, ver := pr.ackedTick-tick, pr.acked-re.Ver
	if pr.secondAgo == 0 && pr.secondVer == keyed || ago > secondMost || pr.secondAgo != 0 && ago >= uint32(pr.secondAgo) {
		return
	}
	pr.secondAgo, pr.secondVer = uint8(ago), fewVersions(ver)
}

// fewVersions is a number of versions, 0 if there are too many.
func fewVersions(n uint32) uint8 {
	if n > secondMost {
		return 0
	}
	return uint8(n)
}

// A secondKey says from which version an update's lines start, and their step; 0: it has none.
type secondKey uint32

// secondOf returns the key of an update of a row for a peer.
func (p *Peer) secondOf(r *store.Row, pr *peerRow) secondKey {
	w := &p.Link.Sends.Window
	if w.Sends == 0 || pr.secondAgo == 0 || pr.ackedTick-uint32(pr.secondAgo) < w.Since || !p.Model.LinesOf(r.Type) {
		return 0
	}
	return newSecondKey(pr, uint32(w.Step))
}

func newSecondKey(pr *peerRow, step uint32) secondKey {
	return secondKey(pr.secondAgo) | secondKey(pr.secondVer)<<8 | secondKey(step)<<16
}

func (k secondKey) ago() uint32  { return uint32(k & 0xff) }
func (k secondKey) ver() uint32  { return uint32(k >> 8 & 0xff) }
func (k secondKey) step() uint32 { return uint32(k >> 16) }

// coded says, in place of the tick of the base, against what an update was coded: it is equal
// for peers of one cohort. 0 is equal to nothing: a base too old to say.
func (k secondKey) coded(pr *peerRow, now uint32) uint32 {
	if k == 0 {
		return pr.ackedTick
	}
	if age := now - pr.ackedTick; age <= 0xff {
		return 1<<31 | age<<23 | uint32(k) // which takes 23 bits
	}
	return 0
}

// has reports whether the authority has the version that a key means, for a row of which a
// peer has version acked.
func (k secondKey) has(r *store.Row, acked uint32) bool {
	return k == 0 || k.ver() != 0 && r.Kept(acked-k.ver())
}

// secondFrom fills in the version that a key means.
func (u *updates) secondFrom(r *store.Row, pr *peerRow, k secondKey) *rowtype.Second {
	s := &u.second
	if s.P = nil; k == 0 {
		return s
	}
	s.Words = u.store.SecondAt(r, pr.acked-k.ver(), pr.ackedTick-k.ago())
	s.Gap, s.Step = k.ago(), k.step()
	return s
}

// sampled is the key by which hints are noted of a row that has no lines yet.
func (u *updates) sampled(r *store.Row, pr *peerRow) secondKey {
	k := newSecondKey(pr, min(u.store.Slabs[r.Type.Index].Stride, 1<<7-1))
	if pr.secondAgo == 0 || !k.has(r, pr.acked) {
		return 0
	}
	return k
}

// linesUp reports whether an update of a row can go by an implicit base, as far as lines go.
func (u *updates) linesUp(p *Peer, r *store.Row, pr *peerRow) bool {
	return !p.Model.LinesOf(r.Type) || p.secondOf(r, pr).has(r, pr.acked) && !store.HasFractions(u.store, p.Model, r)
}
