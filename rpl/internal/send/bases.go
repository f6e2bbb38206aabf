package send

import (
	"github.com/tendonengine/tendon/rpl/internal/bases"
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Bases for what a peer is seldom sent (package bases): what is remembered, and what is not
// any more.

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
)

// restSome forgets some of the bases of rows that the peer is known to have as they are: what
// such a row becomes is coded from a version that the authority has, unless nodes have to wait
// for long, and then nothing is forgotten. It looks at a few in each send, of so many peers: a
// look takes three lines of memory, and after a join most rows that moved have a base.
func (p *Peer) restSome(st *store.Store, peers int) {
	const all, most, least = 512, 32, 4
	if p.bases.Pauses() || len(p.overload.priorities) > 0 || len(p.arrivals.queue) > 0 {
		return
	}
	p.bases.ForgetSome(min(max(all/peers, least), most), func(of *bases.Base) bool {
		e := &p.States[of.Of]
		if e.State != HandleIn {
			return false
		}
		pr, r := p.row(e, int(of.Row)), &st.Rows[st.Nodes[e.slot].Rows()[of.Row]]
		return pr.known() && pr.acked == r.Head && pr.flight == pr.acked
	})
	p.kept.bases = int32(len(p.bases.All))
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
		of, k := p.bases.Place(re.Handle, int(re.Row), r.Type, p.row(e, int(re.Row)).ackedTick)
		of.Ticks[k] = uint32(u.store.Tick)
		p.kept.bases = 1
		u.store.VersionAt(r, re.Ver, uint32(u.store.Tick)).CopyTo(of.At(k), r.Type.Width)
		if of.Vars != nil {
			of.Vars[k] = r.VarsOf(re.Ver)
		}
	}
}

// isBase is whether the version that the peer is known to have of row i of a handle's
// node is still kept, here and there, so that an update can use it as its base.
func (u *updates) isBase(p *Peer, h uint32, i int, r *store.Row, pr *peerRow) bool {
	outrun := pr.newest > pr.ackedTick && p.Link.Sends.Outruns() && uint32(u.store.Tick)-pr.ackedTick > wire.SafeBases
	if pr.acked == 0 || outrun || r.Kept(pr.acked) {
		return pr.acked != 0 && !outrun
	}
	_, _, ok := p.bases.Find(h, i, pr.ackedTick)
	return ok
}

// base is the version that isBase has found; valid until the next call.
func (u *updates) base(p *Peer, h uint32, i int, r *store.Row, pr *peerRow) (words rowtype.Words, vars []any) {
	if r.Kept(pr.acked) {
		return u.store.VersionAt(r, pr.acked, pr.ackedTick), r.VarsOf(pr.acked)
	}
	of, k, _ := p.bases.Find(h, i, pr.ackedTick)
	if of.Vars != nil {
		vars = of.Vars[k]
	}
	return of.At(k), vars
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
