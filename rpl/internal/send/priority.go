package send

import (
	"cmp"
	"math"
	"math/bits"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/budget"
	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/marks"
	"github.com/tendonengine/tendon/rpl/internal/store"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// Which updates are planned when a peer has more nodes marked than its room could pay
// for. To code what a node has to say takes much longer than to see that it has
// something to say, and that takes much longer than to compare how long nodes have
// waited. So each send looks at some of the marked nodes only, and codes those that
// have been wrong for the longest, until the room is used up.

// A priority says since when a handle has had something to say, and what each tick of
// waiting is worth: the node's weight times its closeness.
type priority struct {
	since ids.Tick // 0: nothing to say, as far as was seen
	worth float32  // 0: not known
}

// urgency grows with every tick of waiting (a priority accumulator, as in G. Fiedler,
// "State Synchronization", 2015).
func (t priority) urgency(now ids.Tick) float32 { return float32(now-t.since+1) * t.worth }

// rank is an urgency rounded down to an eighth of a power of two, as an index. Positive
// floats are in the order of their bits.
func rank(urgency float32) int { return int(math.Float32bits(urgency)>>20) & (ranks - 1) }

const ranks = 1 << 11

// priorities is the scratch memory to choose what comes first, for one peer at a time.
type priorities struct {
	order []ranked  // handles, the most urgent first
	seen  marks.Set // handles that were planned in this send
	ranks [ranks]int32
}

const (
	// maxSlices is how many sends it takes, at most, to look at all marked handles. A
	// node that is wrong for a shorter time, and right again by itself, costs nothing.
	// Up to scanAll handles are all looked at in each send.
	maxSlices = 8
	scanAll   = 256

	// usualBits is roughly the bits of an update with its name.
	usualBits = 60
)

// overload returns how many handles a peer has marked, if the room could not pay for them
// even if they said nothing but their names; else 0.
func (u *updates) overload(p *Peer) (n int) {
	if most := len(p.Marks.Of) << 6; float64(most*wire.NameBits) > p.bucket.Left { // mostly there are fewer handles than that
		for k := p.Marks.Next(0); k < len(p.Marks.Of); k = p.Marks.Next(k + 1) {
			n += bits.OnesCount64(p.Marks.Of[k][marks.Dirty] | p.Marks.Of[k][marks.Loose])
		}
	}
	if n > 0 && n > int(max(p.bucket.Left, 0)/wire.NameBits) {
		return n
	}
	p.overload.priorities = p.overload.priorities[:0] // nobody has to wait
	return 0
}

// planUrgent plans updates of the n marked handles, those that have been wrong the
// longest first, until the room is used up or nothing is left.
func (u *updates) planUrgent(p *Peer, b *marks.Batch, n int) {
	updates, speculative := len(u.bundles.updates), len(u.bundles.speculative)
	left := func() float64 {
		return p.bucket.Left - budget.BundlesCost(int(p.plan.updateBits), len(u.bundles.updates)-updates)
	}
	for len(p.overload.priorities) < len(p.States) {
		p.overload.priorities = append(p.overload.priorities, priority{})
	}
	u.priorities.seen.ResetTo(&p.Marks)
	u.planNewParents(p, b)
	every := uint32(1) // each send looks at one slice of so many
	for every < maxSlices && n > scanAll*int(every) {
		every *= 2
	}
	for k := uint32(0); k < every && (k == 0 || left() > 0); k++ {
		p.overload.slice++ // of the peer's own: one that is sent something in every second send only gets to all slices, too
		u.scanSlice(p, b, every, p.overload.slice%every)
		for n := int(max(left(), 0)/usualBits) + store.Ahead; left() > 0 && u.choose(p, n); n *= 2 {
			for rest := u.priorities.order; len(rest) > 0 && left() > 0; {
				some := min(len(rest), store.Ahead, max(int(left()/usualBits), store.Ahead/8))
				b.N = 0
				for _, o := range rest[:some] {
					b.Add(uint32(o.i))
				}
				rest = rest[some:]
				u.planMostUrgent(p, b)
			}
		}
	}
	byHandle(u.bundles.updates[updates:])
	byHandle(u.bundles.speculative[speculative:])
}

// planNewParents plans the updates of nodes with a new parent, none of which is sent
// without the others (protocol rule 20).
func (u *updates) planNewParents(p *Peer, b *marks.Batch) {
	b.N = 0
	for _, h := range p.ownerships.handles {
		if !p.lifeAt(h).newParent {
			continue // an owner alone does not wait for others
		}
		if p.Marks.Has(marks.Dirty, h) || p.Marks.Has(marks.Loose, h) {
			if b.Add(h); b.N == store.Ahead {
				u.planMostUrgent(p, b)
				b.N = 0
			}
		}
	}
	u.planMostUrgent(p, b)
}

// scanSlice looks at the marked handles of one slice: since when each is wrong, or that
// it is not. every is how many slices there are.
func (u *updates) scanSlice(p *Peer, b *marks.Batch, every, slice uint32) {
	ones := ^uint64(0) / (1<<every - 1) << slice
	b.N = 0
	for k := p.Marks.Next(0); k < len(p.Marks.Of); k = p.Marks.Next(k + 1) {
		for w := u.priorities.waiting(p, k) & ones; w != 0; w &= w - 1 {
			if b.Add(uint32(k<<6 + bits.TrailingZeros64(w))); b.N == store.Ahead {
				u.scanBatch(p, b)
				b.N = 0
			}
		}
	}
	u.scanBatch(p, b)
}

// scanBatch looks at a batch. Only for a plain node can it know that there is nothing to
// say; any other node is taken to have something, and planning it finds out.
func (u *updates) scanBatch(p *Peer, b *marks.Batch) {
	u.touchNext(p, b)
	for _, h := range b.All() {
		e, t := &p.States[h], &p.overload.priorities[h]
		if e.isPlain() && !u.pending(&u.store.Rows[e.row], &e.one) {
			u.planNothing(p, h, &u.store.Rows[e.row], &e.one)
			t.since = 0
			continue
		}
		if t.since == 0 {
			if t.since = u.store.Tick; e.has(statePlain) {
				t.since -= ids.Tick(e.one.waited(u.store.Tick)) // an update was sent since then, but lost
			}
		}
		n := &u.store.Nodes[e.slot]
		if e.owesOwnership() || !e.has(statePlain) && e.State == HandleIn && u.takesAway(p, e, n) {
			t.worth = foremost
			continue
		}
		t.worth = max(u.worthOf(p, n), math.SmallestNonzeroFloat32)
	}
}

// planMostUrgent plans the most urgent updates, a batch. An update that gets no room
// after all waits on (fitUrgent).
func (u *updates) planMostUrgent(p *Peer, batch *marks.Batch) {
	from := len(u.bundles.updates)
	u.touchNext(p, batch)
	u.planBatch(p, batch)
	some := u.bundles.updates[from:]
	for i := range some {
		b := &some[i]
		if since := p.overload.priorities[b.handle].since; since > 0 {
			b.urgency = max(b.urgency, float32(u.store.Tick-since+1))
		}
	}
	for _, h := range batch.All() {
		u.priorities.seen.Set(marks.Dirty, h)
		p.overload.priorities[h].since = 0
	}
}

func byHandle(bundles []bundle) {
	slices.SortFunc(bundles, func(x, y bundle) int { return cmp.Compare(x.handle, y.handle) })
}

// worthOf is what it is worth to send a peer a node one tick earlier.
func (u *updates) worthOf(p *Peer, n *store.Node) float32 {
	return n.Spawn.Weight * u.closeness(p, n) * u.sender.interest.Favour(p.ID, n.ID)
}

// choose puts the n most urgent handles that are wrong and not planned yet into
// t.order, and reports whether there are any.
func (u *updates) choose(p *Peer, n int) bool {
	t := &u.priorities
	clear(t.ranks[:])
	t.order = t.order[:0]
	for k := p.Marks.Next(0); k < len(p.Marks.Of); k = p.Marks.Next(k + 1) {
		for w := t.waiting(p, k); w != 0; w &= w - 1 {
			if one := p.overload.priorities[k<<6+bits.TrailingZeros64(w)]; one.since > 0 {
				t.ranks[rank(one.urgency(u.store.Tick))]++
			}
		}
	}
	least := ranks // all from this rank up are taken
	for rest := int32(n); least > 0 && rest > 0; {
		least--
		rest -= t.ranks[least]
	}
	for k := p.Marks.Next(0); k < len(p.Marks.Of); k = p.Marks.Next(k + 1) {
		for w := t.waiting(p, k); w != 0; w &= w - 1 {
			h := k<<6 + bits.TrailingZeros64(w)
			if one := p.overload.priorities[h]; one.since > 0 {
				if urgent := one.urgency(u.store.Tick); rank(urgent) >= least {
					t.order = append(t.order, ranked{urgent, int32(h)})
				}
			}
		}
	}
	slices.SortFunc(t.order, mostUrgent)
	t.order = t.order[:min(n, len(t.order))]
	return len(t.order) > 0
}

// waiting returns which of the k-th 64 handles are marked and not planned yet.
func (t *priorities) waiting(p *Peer, k int) uint64 {
	return (p.Marks.Of[k][marks.Dirty] | p.Marks.Of[k][marks.Loose]) &^ t.seen.Of[k][marks.Dirty]
}
