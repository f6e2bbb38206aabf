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
func (pc *bundle) arriving(list []arriving) []arriving {
	at, n := uint32(pc.codes), uint32(pc.codes>>32)
	return list[at : at+n]
}

// call puts an update's name in front of its codes, if the two fit one run.
func (pc *bundle) call(name prefix.Sym) {
	if n := name.Bits(); pc.codes.isRun() && n+prefix.Sym(pc.codes).Bits() <= prefix.MaxRun {
		pc.codes, pc.name = codes(name.With(prefix.Sym(pc.codes))), uint8(n)
	}
}

// bare returns the codes without the name.
func (pc *bundle) bare() codes {
	if pc.name == 0 {
		return pc.codes
	}
	return codes(prefix.Sym(pc.codes).From(int(pc.name)))
}

// bundles holds the bundles of one send, peer by peer.
type bundles struct {
	removals, arrivals []bundle   // the codes of an arrival's bundle are those of which nodes of arriving it tells, as codesOf has them
	arriving           []arriving // nodes, bundle by bundle
	firstArriving      int        // the peer's first one
	updates            []bundle   // by ascending handle
	speculative        []bundle   // updates that build on arrivals that are not acked, in the same order
}

func (ps *bundles) reset() {
	ps.removals = ps.removals[:0] // field by field: this writes no pointers, which is slow while the collector marks
	ps.arrivals = ps.arrivals[:0]
	ps.arriving = ps.arriving[:0]
	ps.updates = ps.updates[:0]
	ps.speculative = ps.speculative[:0]
}

// update adds an update and returns the place to fill it in.
func (ps *bundles) update() *bundle {
	n := len(ps.updates)
	if n < cap(ps.updates) {
		ps.updates = ps.updates[:n+1]
	} else {
		ps.updates = append(ps.updates, bundle{})
	}
	return &ps.updates[n]
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
	return symBits(c.among(syms))
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
func (a *updates) cursor() cursor { return cursor{len(a.syms), len(a.recs)} }

// rewind forgets what was coded and noted since.
func (a *updates) rewind(to cursor) { a.syms, a.recs = a.syms[:to.syms], a.recs[:to.recs] }

// bundle makes a bundle of what was coded and noted since.
func (a *updates) bundle(h uint32, since cursor) bundle { return a.bundleOf(h, since, a.cursor()) }

// bundleOf makes a bundle of what was coded and noted between two cursors.
func (a *updates) bundleOf(h uint32, from, to cursor) bundle {
	syms := a.syms[:to.syms]
	return bundle{
		handle: h, codes: codesOf(syms, from.syms), bits: uint32(symBits(syms[from.syms:])),
		recAt: uint32(from.recs), recN: uint32(to.recs - from.recs),
	}
}

// arrivalOf makes a bundle of arrivals that were planned and noted between two points.
func (a *updates) arrivalOf(from, to arrivalCursor) bundle {
	return bundle{
		handle: a.bundles.arriving[from.nodes].Handle, codes: codes(to.nodes-from.nodes)<<32 | codes(from.nodes), bits: uint32(to.bits - from.bits),
		recAt: uint32(from.recs), recN: uint32(to.recs - from.recs),
	}
}

// An arrivalCursor is how far arrivals are planned: so many nodes, of so many bits, with so many entries.
type arrivalCursor struct{ nodes, bits, recs int }

// arrivalCursor is where the next arrival begins.
func (a *updates) arrivalCursor(bits int) arrivalCursor {
	return arrivalCursor{len(a.bundles.arriving), bits, len(a.recs)}
}

// rewindArrival forgets an arrival that was planned since.
func (a *updates) rewindArrival(to cursor) {
	a.rewind(to)
	a.bundles.arriving = a.bundles.arriving[:len(a.bundles.arriving)-1]
}

// note notes an entry of the bundle being planned. It is filled in place: an entry that is put
// together elsewhere and copied would wait for its parts.
func (a *updates) note(handle, ver uint32, kind, gen uint8, row int) {
	n := len(a.recs)
	if n < cap(a.recs) {
		a.recs = a.recs[:n+1]
	} else {
		a.recs = append(a.recs, link.Entry{})
	}
	re := &a.recs[n]
	re.Handle, re.Ver, re.Kind, re.Gen, re.Row, re.Key = handle, ver, kind, gen, uint8(row), false
}

// recsOf returns a bundle's entries.
func (a *updates) recsOf(pc *bundle) []link.Entry { return a.recs[pc.recAt : pc.recAt+pc.recN] }

func symBits(syms []prefix.Sym) int {
	n := 0
	for _, s := range syms {
		n += s.Bits()
	}
	return n
}

// flag is 1 if b is true, else 0. It compiles to no branch.
func flag(b bool) int {
	if b {
		return 1
	}
	return 0
}
