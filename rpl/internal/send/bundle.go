package send

import (
	"github.com/tendonengine/tendon/rpl/internal/link"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// Bundles are what Schedule plans and Encode packs: removals, arrivals, updates and
// speculative updates, each with entries that say what its ack or its loss is about.

// A bundle goes into one packet as a whole. It takes half a cache line.
type bundle struct {
	codes     codes
	handle    uint32
	bits      uint32 // at most, without the name; of arrivals, where they are not the first of their packet
	recAt     uint32 // its entries begin here in updates.recs
	recN      uint32
	urgency   float32 // age in ticks; weighted where the room does not pay for all
	name      uint8   // how many bits of codes are the update's name; 0: it is named when it is packed; or cohortName
	skip      bool    // left out: over budget
	ownership bool    // it carries another parent or owner
	special   bool    // an update that carries owner and parent, forgets a row, or has no implicit base
}

// arriving returns the nodes of a bundle of arrivals.
func (b *bundle) arriving(list []arriving) []arriving {
	at, n := uint32(b.codes), uint32(b.codes>>32)
	return list[at : at+n]
}

// call puts an update's name in front of its codes, if the two fit one run.
func (b *bundle) call(name prefix.Sym) {
	if n := name.Bits(); b.codes.isRun() && n+prefix.Sym(b.codes).Bits() <= prefix.MaxRun {
		b.codes, b.name = codes(name.With(prefix.Sym(b.codes))), uint8(n)
	}
}

// bare returns the codes without the name.
func (b *bundle) bare() codes {
	if b.name == 0 {
		return b.codes
	}
	return codes(prefix.Sym(b.codes).From(int(b.name)))
}

// bundles holds the bundles of one send, peer by peer.
type bundles struct {
	removals, arrivals []bundle   // the codes of an arrival's bundle are those of which nodes of arriving it tells, as codesOf has them
	arriving           []arriving // nodes, bundle by bundle
	firstArriving      int        // the peer's first one
	updates            []bundle   // by ascending handle
	speculative        []bundle   // updates that build on arrivals that are not acked, in the same order
}

func (bs *bundles) reset() {
	bs.removals = bs.removals[:0] // field by field: this writes no pointers, which is slow while the collector marks
	bs.arrivals = bs.arrivals[:0]
	bs.arriving = bs.arriving[:0]
	bs.updates = bs.updates[:0]
	bs.speculative = bs.speculative[:0]
}

// update adds an update and returns the place to fill it in.
func (bs *bundles) update() *bundle {
	n := len(bs.updates)
	if n < cap(bs.updates) {
		bs.updates = bs.updates[:n+1]
	} else {
		bs.updates = append(bs.updates, bundle{})
	}
	return &bs.updates[n]
}

// A span is where the bundles of one peer stand in a list.
type span struct{ from, to uint32 }

func (s span) empty() bool { return s.from == s.to }

func (s span) len() int { return int(s.to - s.from) }

func (s span) in(list []bundle) []bundle { return list[s.from:s.to:s.to] }

// spanAt is an empty span at the end of a list.
func spanAt(list []bundle) span { return span{uint32(len(list)), uint32(len(list))} }

// codes is what a bundle says. For most updates that is one run of bits. Otherwise the
// length of the run is 0, and the value says how many runs there are and where they
// begin in updates.syms. (None of them is a run of no bits.)
type codes prefix.Sym

func codesOf(syms []prefix.Sym, at int) codes {
	if n := len(syms) - at; n != 1 {
		return codes(n)<<32 | codes(at)
	}
	return codes(syms[at])
}

func (c codes) isRun() bool { return prefix.Sym(c).Bits() > 0 }

// among returns the runs of codes that are more than one.
func (c codes) among(syms []prefix.Sym) []prefix.Sym {
	at, n := uint32(c), uint32(c>>32)
	return syms[at : at+n]
}

func (c codes) bits(syms []prefix.Sym) int {
	if c.isRun() {
		return prefix.Sym(c).Bits()
	}
	return prefix.Bits(c.among(syms))
}

func (c codes) put(e *prefix.Encoder, syms []prefix.Sym) {
	if c.isRun() {
		e.PutOne(prefix.Sym(c))
		return
	}
	e.Put(c.among(syms)...)
}

// A cursor is how far symbols are coded and entries are noted.
type cursor struct{ syms, recs int }

// cursor is where the next bundle begins.
func (u *updates) cursor() cursor { return cursor{len(u.syms), len(u.recs)} }

// rewind forgets what was coded and noted since.
func (u *updates) rewind(to cursor) { u.syms, u.recs = u.syms[:to.syms], u.recs[:to.recs] }

// bundle makes a bundle of what was coded and noted since.
func (u *updates) bundle(h uint32, since cursor) bundle { return u.bundleOf(h, since, u.cursor()) }

// bundleOf makes a bundle of what was coded and noted between two cursors.
func (u *updates) bundleOf(h uint32, from, to cursor) bundle {
	syms := u.syms[:to.syms]
	return bundle{
		handle: h, codes: codesOf(syms, from.syms), bits: uint32(prefix.Bits(syms[from.syms:])),
		recAt: uint32(from.recs), recN: uint32(to.recs - from.recs),
	}
}

// arrivalOf makes a bundle of arrivals that were planned and noted between two points.
func (u *updates) arrivalOf(from, to arrivalCursor) bundle {
	return bundle{
		handle: u.bundles.arriving[from.nodes].Handle, codes: codes(to.nodes-from.nodes)<<32 | codes(from.nodes), bits: uint32(to.bits - from.bits),
		recAt: uint32(from.recs), recN: uint32(to.recs - from.recs),
	}
}

// An arrivalCursor is how far arrivals are planned: so many nodes, of so many bits, with so many entries.
type arrivalCursor struct{ nodes, bits, recs int }

// arrivalCursor is where the next arrival begins.
func (u *updates) arrivalCursor(bits int) arrivalCursor {
	return arrivalCursor{len(u.bundles.arriving), bits, len(u.recs)}
}

// rewindArrival forgets an arrival that was planned since.
func (u *updates) rewindArrival(to cursor) {
	u.rewind(to)
	u.bundles.arriving = u.bundles.arriving[:len(u.bundles.arriving)-1]
}

// note notes an entry of the bundle being planned. It is filled in place: an entry that is put
// together elsewhere and copied would wait for its parts.
func (u *updates) note(handle, ver uint32, kind, gen uint8, row int) {
	n := len(u.recs)
	if n < cap(u.recs) {
		u.recs = u.recs[:n+1]
	} else {
		u.recs = append(u.recs, link.Entry{})
	}
	re := &u.recs[n]
	re.Handle, re.Ver, re.Kind, re.Gen, re.Row, re.Key = handle, ver, kind, gen, uint8(row), false
}

// recsOf returns a bundle's entries.
func (u *updates) recsOf(b *bundle) []link.Entry { return u.recs[b.recAt : b.recAt+b.recN] }

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
