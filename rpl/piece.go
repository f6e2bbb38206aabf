package rpl

import "github.com/tendonengine/tendon/rpl/internal/prefix"

// Pieces: what Schedule plans and Encode packs, with the records by which its ack or
// its loss is understood.

// A piece is something that goes into one packet whole: half a line of a cache.
type piece struct {
	codes   codes
	handle  uint32
	bits    uint32 // at most, the name not counted
	recAt   uint32 // records, in Authority.recs
	recN    uint32
	urgency float32 // age in ticks; weighed where the room does not pay for all
	name    uint8   // so many bits of codes are an update's name; 0: it is named where it is packed
	skip    bool    // over budget
	moved   bool    // it tells of another parent or owner
	special bool    // an update that says more than what goes without saying
}

// call names an update, where that and what it says are one run.
func (pc *piece) call(name prefix.Sym) {
	if n := name.Bits(); pc.codes.isRun() && n+prefix.Sym(pc.codes).Bits() <= prefix.MaxRun {
		pc.codes, pc.name = codes(name.With(prefix.Sym(pc.codes))), uint8(n)
	}
}

// bare is what the piece says without its name.
func (pc *piece) bare() codes {
	if pc.name == 0 {
		return pc.codes
	}
	return codes(prefix.Sym(pc.codes).From(int(pc.name)))
}

// pieces are those of one send, peer by peer.
type pieces struct {
	removals, arrivals []piece
	updates            []piece // by ascending handle
	guesses            []piece // updates against arrivals that are not acked, the same
}

func (ps *pieces) reset() {
	ps.removals = ps.removals[:0] // one by one: their pointers are not written then, which takes long while the collector marks
	ps.arrivals = ps.arrivals[:0]
	ps.updates = ps.updates[:0]
	ps.guesses = ps.guesses[:0]
}

// update is a place for one more update, to be filled there.
func (ps *pieces) update() *piece {
	if n := len(ps.updates); n < cap(ps.updates) {
		ps.updates = ps.updates[:n+1]
	} else {
		ps.updates = append(ps.updates, piece{})
	}
	return &ps.updates[len(ps.updates)-1]
}

// A span is where the pieces of one peer are in a list.
type span struct{ from, to uint32 }

func (s span) empty() bool { return s.from == s.to }
func (s span) len() int    { return int(s.to - s.from) }

func (s span) in(list []piece) []piece { return list[s.from:s.to:s.to] }

// spanAt begins at the end of a list.
func spanAt(list []piece) span { return span{uint32(len(list)), uint32(len(list))} }

// codes are what a piece says: one run of bits, as most updates are, or else,
// without a length, how many runs, and where in Authority.syms. (A run of no bits is
// none of them.)
type codes prefix.Sym

func codesOf(syms []prefix.Sym, at int) codes {
	if n := len(syms) - at; n != 1 {
		return codes(n)<<32 | codes(at)
	}
	return codes(syms[at])
}

func (c codes) isRun() bool { return prefix.Sym(c).Bits() > 0 }

// among are those that are no run.
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

// piece is what was coded and noted since.
func (a *Authority) piece(h uint32, at, rec int) piece {
	return piece{
		handle: h, codes: codesOf(a.syms, at), bits: uint32(symBits(a.syms[at:])),
		recAt: uint32(rec), recN: uint32(len(a.recs) - rec),
	}
}

// note plans a record. It is filled where it stands: put together elsewhere and
// copied whole it would have to wait for its parts.
func (a *Authority) note(handle, ver uint32, kind, gen uint8, row int) {
	if n := len(a.recs); n < cap(a.recs) {
		a.recs = a.recs[:n+1]
	} else {
		a.recs = append(a.recs, recEntry{})
	}
	re := &a.recs[len(a.recs)-1]
	re.handle, re.ver, re.kind, re.gen, re.row = handle, ver, kind, gen, uint8(row)
}

// recsOf are a piece's records.
func (a *Authority) recsOf(pc *piece) []recEntry { return a.recs[pc.recAt : pc.recAt+pc.recN] }

func symBits(syms []prefix.Sym) int {
	n := 0
	for _, s := range syms {
		n += s.Bits()
	}
	return n
}
