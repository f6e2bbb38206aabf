package rpl

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
)

// A model is every table that the state stream is coded with. Both ends have
// the default one from the schema alone; learned ones travel (learn.go).
type model struct {
	number uint8
	entry  entryModel
	rows   []rowModel // by rowType.index
}

// entryModel is how entries are named. What is nearly certain has no symbol of
// its own, which would cost a whole bit: it is part of another.
type entryModel struct {
	near    [nearGaps]prefix.Sym // names of the ordinary updates at these distances
	gap     table                // of updates: the end, a special one, else the handle's distance
	far     table                // distances of special updates and of guesses; 0 ends
	told    [toldRows]table      // which of the next 1, 2 … rows an ordinary update tells, a bit each
	row     table                // what a special update does to a row
	baseAge table                // ticks since an explicit base
	length  table                // of bytes, and small counts
	owner   table                // nobody, the peer itself, another

	handle, id, tenant, layout table // of arrivals and removals
	remove, arrive             table // what else they say; 0 ends

	form, back, delta table // of the header

	run table // of acks: packets that all came, or were all lost; 0 for the rest
}

// A gap symbol above these is the neighbourhood of the distance to an ordinary
// update: it tells neither owner nor parent, and its bases go without saying.
const (
	gapEnd = iota
	gapSpecial
	gapPlain

	gapSyms = gapPlain + unsignedSyms - 1
)

// toldRows is how many rows of an ordinary update one symbol tells of.
const toldRows = 4

// A packet's form says what else is in it.
const (
	formFull    = 1 << iota // a whole tick in place of a base
	formEcho                // when the peer's newest packet came
	formChecks              // checksums
	formRemoved             // removals
	formArrived             // arrivals
	formCalls               // calls
	formGuesses             // guesses
)

// A removal's symbol, less one.
const (
	removeDestroyed = 1 << iota
	removeFenced
)

// An arrival's symbol, less one: flags, and above them whose the node is.
const (
	arriveDefined = 1 << iota // its layout's definition goes along
	arriveParent              // it hangs under another
	arriveName
	arriveArgs

	arriveOwner = 1 << iota
	arriveKinds = arriveOwner * ownerKinds
)

// What a special update does to a row.
const (
	rowSame     = iota
	rowImplicit // differs from the newest version up to the packet's base tick
	rowExplicit // from a version named by its age
	rowKeyframe
	rowForget
	rowActions
)

// A table is a code table. Its codes stand beside it: a writer has hundreds of
// tables, and what leads to another line of a cache is a miss.
type table struct {
	t     *prefix.Table
	codes []prefix.Code
}

func newTable(t *prefix.Table) table { return table{t, t.Codes()} }

func (t *table) sym(i int) prefix.Sym { return t.codes[i].Sym() }

// run is symbol i as what more can be put behind.
func (t *table) run(i uint) prefix.Run { return prefix.Run{}.Code(t.codes[i]) }

// fit makes a table of weights above zero.
func fit(w ...float64) table {
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

// fitFlags makes a table of symbols whose bits are flags, each as likely as p.
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

// unsignedTable expects values whose octaves grow rarer by the factor fall.
func unsignedTable(zero, fall float64) table {
	return fit(append([]float64{zero}, magnitudes(1, fall)...)...)
}

// magnitudes are the weights of the neighbourhoods from 1 on: those of the
// octave from, counted from one, are the most, and both sides fall.
func magnitudes(from int, fall float64) []float64 {
	w := make([]float64, unsignedSyms-1)
	for i := range w {
		m, n := atNeighbourhood(i)
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

// signedTable expects magnitudes whose octaves grow rarer by fall, up to max.
func signedTable(zero, one, fall float64, octaves int) table {
	w := make([]float64, signedSyms)
	w[0] = zero
	for i := 1; i < signedSyms; i++ {
		m, n := atNeighbourhood((i - 1) >> 1)
		k := bits.Len32(m) - 1
		width := 0.25
		if n == 0 {
			width = 0.5 / pow(2, k)
		}
		p := pow(fall, k) * width
		if m == 1 {
			p = one
		}
		if k >= octaves {
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

// octaves is how many the distance between two values of the word can span.
func (w *Word) octaves() int {
	return bits.Len64(uint64(int64(w.Max) - int64(w.Min)))
}

// defaultModel is what both ends start with: no knowledge of the game, only
// that most of what is sent moves, and that small residuals are likelier.
func defaultModel(types []*rowType) *model {
	m := &model{entry: defaultEntry()}
	d := newDefaults()
	for _, t := range types {
		m.rows = append(m.rows, d.row(t))
	}
	return m
}

func defaultEntry() entryModel {
	m := entryModel{
		far:     unsignedTable(0.2, 0.9),
		row:     fit(0.4, 0.25, 0.25, 0.08, 0.02),
		baseAge: fit(append([]float64{0.01}, magnitudes(4, 0.5)...)...),
		length:  unsignedTable(0.1, 1),
		owner:   fit(0.9, 0.05, 0.05),

		handle: unsignedTable(0.02, 1.1), id: unsignedTable(0.01, 1.2),
		tenant: unsignedTable(0.01, 0.9), layout: unsignedTable(0.5, 0.7),
		remove: fit(append([]float64{0.4}, fitFlags(0.5, 0.03)...)...),

		form:  fit(fitFlags(0.02, 0.05, 0.03, 0.15, 0.15, 0.05, 0.15)...),
		back:  fit(append([]float64{0.001}, magnitudes(4, 0.6)...)...),
		delta: fit(append([]float64{4}, magnitudes(4, 0.6)...)...),
		run:   fit(append([]float64{4}, magnitudes(1, 0.6)...)...),
	}
	m.nameBy(fit(append([]float64{0.01, 0.02}, magnitudes(1, 0.6)...)...))
	for i := range m.told {
		p := [toldRows]float64{0.4, 0.3, 0.3, 0.3}
		m.told[i] = fit(fitFlags(p[:i+1]...)...)
	}
	arrive := []float64{0.5}
	for _, owner := range []float64{0.9, 0.03, 0.07} {
		for _, w := range fitFlags(0.05, 0.05, 0.03, 0.1) {
			arrive = append(arrive, w*owner)
		}
	}
	m.arrive = fit(arrive...)
	return m
}
