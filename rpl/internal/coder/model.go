package coder

import (
	"math/bits"
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// A Model is all the code tables of the state stream. Both ends have the default one
// from the schema alone; learned ones are sent (learn.go).
type Model struct {
	Number uint8
	Entry  EntryModel
	Rows   []rowModel // by rowType.index
	lined  bool       // any word of any row type is coded along a line
	Set    *TableSet  // what the model was built from; that of the default model is empty
}

// EntryModel is how the entries of a packet are named. What is nearly certain has no
// symbol of its own, which would cost a whole bit: it is part of another symbol.
type EntryModel struct {
	Near    [NearGaps]prefix.Sym // names of ordinary updates at small distances (name.go)
	Gap     Table                // what comes next: the end, a special update, or the distance to an ordinary one
	Far     Table                // distances of special updates
	Present [PresentRows]Table   // which of the next 1 to PresentRows rows an ordinary update carries, a bit each
	Row     Table                // what a special update does to a row
	BaseAge Table                // age of an explicit base, in ticks
	Length  Table                // numbers of bytes, and small counts
	Owner   Table                // nobody, the peer itself, another

	NextHandle, NextSlot, Gen Table // of arrivals, from the one before (arrival.go); Gen of speculative updates, too
	Handle, Tenant, Layout    Table // of removals and parents; of arrivals
	Remove, Arrive            Table // what else they say; 0 ends the list

	Form, Back, Delta Table // of the header

	Speculative    Table // distances of speculative updates; 0 ends the list
	SpeculativeRow Table // what a speculative update does to a row

	Again Table // lengths of runs of handles that the base packet told, told again and not

	Run Table // of acks: lengths of runs of packets that came or were lost, 0 for all the rest; of removals how long ago
}

// The symbols of EntryModel.Gap. From GapPlain on they are the neighbourhoods of the
// distance to an ordinary update, which carries neither owner nor parent and whose bases
// are implicit.
const (
	GapEnd = iota
	GapSpecial
	GapPlain

	gapSyms = GapPlain + unsignedSyms - 1
)

// PresentRows is how many rows of an ordinary update one symbol speaks of.
const PresentRows = 4

// presentSyms is how many symbols table i of EntryModel.Present has.
func presentSyms(i int) int { return 2 << i }

// The form of a packet says what else is in it.
const (
	FormFull        = 1 << iota // a whole tick instead of a base
	FormEcho                    // when the peer's newest packet came
	FormChecks                  // checksums
	FormRemoved                 // removals
	FormArrived                 // arrivals
	FormCalls                   // calls
	FormSpeculative             // guesses
	FormAgain                   // updates of what the base packet told, by runs
)

// A removal's symbol is one more than these flags.
const (
	RemoveDestroyed = 1 << iota
	RemoveFenced
	RemoveLast    // the node's last state goes along
	RemoveReason  // so does the game's reason
	RemoveEarlier // the node's end was before the packet's tick
)

// An arrival's symbol is one more than these flags and, above them, whose the node is.
const (
	ArriveDefined = 1 << iota // the definition of the layout goes along
	ArriveParent              // the node has a parent
	ArriveName
	ArriveArgs
	ArriveLeapt  // the node has leapt since it was first sent
	ArriveLayout // the layout is not that of the arrival before

	ArriveOwner  = 1 << iota
	arriveValues = ArriveOwner * ownerValues
)

// What a special update does to a row.
const (
	RowSame     = iota
	RowImplicit // a difference from the newest version up to the packet's base tick
	RowExplicit // a difference from a version named by its age
	RowKeyframe
	RowForget
	rowActions
)

// A Table is a code table. Its codes stand beside it, because a writer uses hundreds of
// tables and each further indirection is a cache miss.
type Table struct {
	T     *prefix.Table
	codes []prefix.Code
}

func newTable(t *prefix.Table) Table { return Table{t, t.Codes()} }

func (t *Table) Sym(i int) prefix.Sym { return t.codes[i].Sym() }

// Run returns symbol i as a run that can be extended.
func (t *Table) Run(i uint) prefix.Run { return prefix.Run{}.Code(t.codes[i]) }

// fit makes a table for symbols with the given weights, which are above zero.
func fit(w ...float64) Table {
	sum := 0.0
	for _, x := range w {
		sum += x
	}
	whole := make([]uint64, len(w))
	for i, x := range w {
		whole[i] = 1 + uint64(x/sum*(1<<32))
	}
	return newTable(prefix.Fit(whole))
}

// fitFlags returns the weights of symbols whose bits are flags; p are the probabilities
// of the flags.
func fitFlags(p ...float64) []float64 {
	w := make([]float64, 1<<len(p))
	for s := range w {
		w[s] = 1
		for i, x := range p {
			if s>>i&1 != 0 {
				w[s] *= x
			} else {
				w[s] *= 1 - x
			}
		}
	}
	return w
}

// unsignedTable makes a table that expects values whose octaves grow rarer by the
// factor fall.
func unsignedTable(zero, fall float64) Table {
	return fit(append([]float64{zero}, magnitudes(1, fall)...)...)
}

// magnitudes returns the weights of the neighbourhoods from 1 on. The octave from,
// counted from 1, has the highest; both sides fall.
func magnitudes(from int, fall float64) []float64 {
	w := make([]float64, unsignedSyms-1)
	for i := range w {
		m, n := AtNeighbourhood(i)
		k := bits.Len32(m)
		w[i] = pow(fall, max(k-from, from-k))
		if n == 0 {
			w[i] /= float64(uint32(1) << (k - 1)) // 1, 2–3, 4–7: equal mass an octave
		} else {
			w[i] /= 2
		}
	}
	return w
}

// bothWays makes a table of signed symbols from the weights of the neighbourhoods above zero; those
// below weigh so much less.
func bothWays(zero, below float64, above []float64) Table {
	w := []float64{zero}
	for _, x := range above {
		w = append(w, x, x*below)
	}
	return fit(w...)
}

// signedTable makes a table that expects magnitudes whose octaves grow rarer by the
// factor fall, and hardly any beyond octaves, or below or above what there is.
func signedTable(zero float64, s signedShape) Table {
	w := make([]float64, signedSyms)
	w[0] = zero
	for i := 1; i < signedSyms; i++ {
		m, n := AtNeighbourhood((i - 1) >> 1)
		k := bits.Len32(m) - 1
		width := 0.25
		if n == 0 {
			width = 0.5 / pow(2, k)
		}
		p := pow(s.fall, k) * width
		if m == 1 {
			p = s.one
		}
		far := s.above
		if i&1 == 0 {
			far = s.below
		}
		if k >= s.octaves || int64(m) > far {
			p *= 1e-4
		}
		w[i] = p
	}
	return fit(w...)
}

func pow(x float64, n int) float64 {
	p := 1.0
	for range n {
		p *= x
	}
	return p
}

// octaves is how many octaves the difference between two values of the word can span.
func octaves(w *schema.Word) int {
	return bits.Len64(uint64(int64(w.Max) - int64(w.Min)))
}

// defaultModel is what both ends start with. It knows nothing of the game, only that
// most of what is sent moves, and that small residuals are likelier.
func defaultModel(types []*rowtype.Type) *Model {
	m := &Model{Entry: defaultEntry(), Set: NewTableSet(types)}
	d := newDefaults()
	for _, t := range types {
		m.Rows = append(m.Rows, d.row(t))
	}
	return m
}

// defaultEntry is how entries are named before anything is known of the game.
func defaultEntry() EntryModel {
	m := EntryModel{
		Far:     unsignedTable(0.2, 0.9),
		Row:     fit(0.4, 0.25, 0.25, 0.08, 0.02),
		BaseAge: fit(append([]float64{0.01}, magnitudes(4, 0.5)...)...),
		Length:  unsignedTable(0.1, 1),
		Owner:   fit(0.9, 0.05, 0.05),

		Speculative:    unsignedTable(0.05, 0.5),
		SpeculativeRow: fit(0.3, 0.01, 0.6, 0.08, 0.02),

		NextHandle: bothWays(30, 1, magnitudes(8, 0.9)), NextSlot: bothWays(8, 1, magnitudes(10, 0.9)),
		Gen:    bothWays(5, 1, magnitudes(1, 0.6)),
		Handle: unsignedTable(0.02, 1.1), Tenant: unsignedTable(0.01, 0.5), Layout: unsignedTable(0.5, 0.7),
		Remove: fit(append([]float64{0.4}, fitFlags(0.5, 0.03, 0.1, 0.02, 0.5)...)...),

		Form:  fit(fitFlags(0.005, 0.1, 0.05, 0.08, 0.12, 0.05, 0.04, 0.25)...),
		Back:  fit(append([]float64{0.001}, magnitudes(3, 0.6)...)...),
		Delta: bothWays(4, 0.25, magnitudes(3, 0.6)),
		Again: unsignedTable(1, 0.75),
		Run:   fit(append([]float64{4}, magnitudes(1, 0.6)...)...),
	}
	m.nameBy(fit(append([]float64{0.01, 0.02}, magnitudes(1, 0.6)...)...))
	for i := range m.Present {
		p := [PresentRows]float64{0.4, 0.3, 0.3, 0.3}
		m.Present[i] = fit(fitFlags(p[:i+1]...)...)
	}
	arrive := []float64{0.25}
	for _, owner := range []float64{0.9, 0.03, 0.07} {
		for _, w := range fitFlags(0.03, 0.05, 0.03, 0.1, 0.005, 0.1) {
			arrive = append(arrive, w*owner)
		}
	}
	m.Arrive = fit(arrive...)
	return m
}

// ExpectsAs reports whether two models expect the same of a row.
func (m *Model) ExpectsAs(n *Model, t *rowtype.Type) bool {
	a, b := &m.Rows[t.Index], &n.Rows[t.Index]
	return a.heading == b.heading && slices.Equal(a.lines, b.lines) && slices.Equal(a.sources, b.sources)
}
