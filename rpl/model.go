package rpl

import (
	"math/bits"

	"github.com/tendonengine/tendon/rpl/internal/rangecode"
)

// A model is every table that the state stream is coded with. Both ends have
// the default one from the schema alone; learned ones travel (learn.go).
type model struct {
	number uint8
	entry  entryModel
	rows   []rowModel // by rowType.index
}

// entryModel is how entries are named.
type entryModel struct {
	gap     table // handle gaps of updates, plus one; 0 ends the section
	base    table // which base: implicit, explicit, none
	baseAge table // ticks since an explicit base
	row     table // what an update says of a row, on a node of several
	varying table // whether a variable-length prop changed
	length  table // of bytes
	more    table // whether a section goes on
	meta    table // whether owner and parent are told
	owner   table // nobody, the peer itself, another
	flag    table // whether something rare is there

	handle, id, tenant, layout table // of arrivals and removals
	destroyed, fence           table

	// of the header
	based, ack, ackLost, baseSeq, baseDelta table
}

const (
	baseImplicit = iota // the newest version up to the packet's base tick
	baseExplicit        // named by its age
	baseNone            // keyframe
	baseKinds
)

// rowModel is how the rows of one type are coded.
type rowModel struct {
	updates [contexts]recordModel
	key     []table // per word, of keyframes, against key defaults
	keyBase []int32 // what a keyframe's word is coded against
}

// Contexts of an update: whether the base moves, and how old it is.
const (
	ages     = 3
	contexts = 2 * ages
)

// recordModel codes one update in one context: words in chunks, a joint symbol
// per chunk of which words differ by how little, then the larger residuals.
type recordModel struct {
	chunks []chunkModel
	states [][2]table          // per word, after an unchanged and after a changed word
	large  []table             // per word, residuals beyond ±1
	phases [][stateKinds]table // per hidden word, by the state of the word it belongs to
}

// chunkLen is the words that one joint symbol covers, two bits each.
const chunkLen = 16

// A chunkModel has the frequent patterns of a chunk. Symbol 0 escapes to one
// symbol per word.
type chunkModel struct {
	patterns []uint32
	slots    [chunkSlots]uint8 // open addressing: symbol, 0 free
	joint    table
}

// chunkSlots is twice the most patterns that a chunk has.
const chunkSlots = 256

func chunkSlot(pattern uint32) uint32 { return pattern * 0x9e3779b1 >> 24 }

func (c *chunkModel) setPatterns(patterns []uint32) {
	c.patterns = patterns
	for k, p := range patterns {
		i := chunkSlot(p)
		for c.slots[i] != 0 {
			i = (i + 1) % chunkSlots
		}
		c.slots[i] = uint8(k + 1)
	}
}

// states of a word in a pattern.
const (
	stateSame = iota
	statePlus
	stateMinus
	stateLarge
	stateKinds
)

// A table is a code table.
type table struct{ t *rangecode.Table }

func (t *table) sym(i int) rangecode.Sym { return t.t.Sym(i) }

func fit(w ...float64) table { return table{rangecode.Fit(w)} }

// unsignedTable expects values whose octaves grow rarer by the factor fall.
func unsignedTable(zero, fall float64) table {
	w := make([]float64, unsignedSyms)
	w[0] = zero
	p := 1.0
	for i := 1; i < unsignedSyms; i++ {
		m, n := atNeighbourhood(i - 1)
		width := 1.0
		if n == 0 {
			width = 1 / float64(m) // 1, 2–3, 4–7: equal mass an octave
			p = pow(fall, bits.Len32(m)-1)
		} else {
			width = 0.5
			p = pow(fall, bits.Len32(m)-1)
		}
		w[i] = p * width
	}
	return fit(w...)
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
	m := &model{
		entry: entryModel{
			gap:     unsignedTable(0.05, 0.6),
			base:    fit(0.97, 0.02, 0.01),
			baseAge: unsignedTable(0.01, 1.1),
			row:     fit(0.6, 0.39, 0.01),
			varying: fit(0.9, 0.1),
			length:  unsignedTable(0.1, 1),
			more:    fit(0.9, 0.1),
			meta:    fit(0.997, 0.003),
			owner:   fit(0.9, 0.05, 0.05),
			flag:    fit(0.95, 0.05),

			handle: unsignedTable(0.02, 1.1), id: unsignedTable(0.01, 1.2),
			tenant: unsignedTable(0.01, 0.9), layout: unsignedTable(0.5, 0.7),
			destroyed: fit(0.5, 0.5), fence: fit(0.98, 0.02),

			based: fit(0.02, 0.98), ack: fit(0.03, 0.97), ackLost: fit(0.3, 0.7),
			baseSeq: unsignedTable(0.001, 1), baseDelta: unsignedTable(0.001, 1),
		},
	}
	for _, t := range types {
		m.rows = append(m.rows, defaultRow(t))
	}
	return m
}

func defaultRow(t *rowType) rowModel {
	var r rowModel
	for c := range r.updates {
		u := &r.updates[c]
		for i := 0; i < len(t.words); i += chunkLen {
			u.chunks = append(u.chunks, chunkModel{joint: fit(1)})
		}
		for i := range t.words {
			w := &t.words[i]
			after0, after1 := fit(0.86, 0.03, 0.03, 0.08), fit(0.45, 0.08, 0.08, 0.39)
			if w.Velocity >= 0 {
				after0, after1 = fit(0.44, 0.2, 0.2, 0.16), fit(0.25, 0.2, 0.2, 0.35)
			}
			u.states = append(u.states, [2]table{after0, after1})
			u.large = append(u.large, signedTable(1e-4, 1e-4, 0.97, min(w.octaves(), 12)))
		}
	}
	for c := range r.updates {
		for range t.phased {
			near, any := phaseTable(4), phaseTable(1)
			r.updates[c].phases = append(r.updates[c].phases, [stateKinds]table{near, any, any, any})
		}
	}
	for i := range t.words {
		w := &t.words[i]
		r.key = append(r.key, signedTable(1, 0.2, 1.15, w.octaves()))
		r.keyBase = append(r.keyBase, w.Default)
	}
	return r
}

// phaseTable expects phases near what they should be, by the factor peak.
func phaseTable(peak float64) table {
	w := make([]float64, 2*phaseHalf)
	for i := range w {
		d := min(i, 2*phaseHalf-i)
		w[i] = 1 + (peak-1)/float64(1+d*d)
	}
	return fit(w...)
}

// context of an update, from what both ends know.
func (t *rowType) context(base []int32, n uint32) int {
	c := 0
	switch {
	case n > 24:
		c = 2
	case n > 9:
		c = 1
	}
	if t.drifts(base) {
		c += ages
	}
	return c
}

// appendUpdate codes now against base, n ticks older, and has it counted.
func (m *model) appendUpdate(out []rangecode.Sym, t *rowType, base, now []int32, n uint32, l *learner) []rangecode.Sym {
	ctx := t.context(base, n)
	u := &m.rows[t.index].updates[ctx]
	learn := &l.rows[t.index].updates[ctx]
	var res [chunkLen]int32
	prev := 0
	for c := range u.chunks {
		from := c * chunkLen
		to := min(from+chunkLen, len(t.words))
		pattern := uint32(0)
		for i := from; i < to; i++ {
			r := t.words[i].residual(t.expect(base, now, i, n), now[i])
			if t.once != nil && t.once[i] {
				r = 0 // the peer keeps what its keyframe told
			}
			res[i-from] = r
			s := uint32(stateLarge)
			switch r {
			case 0:
				s = stateSame
			case 1:
				s = statePlus
			case -1:
				s = stateMinus
			}
			pattern |= s << (2 * (i - from))
		}
		learn.chunks[c].add(pattern)
		chunk := &u.chunks[c]
		k := chunk.find(pattern)
		out = append(out, chunk.joint.sym(k))
		for i := from; i < to; i++ {
			s := int(pattern >> (2 * (i - from)) & 3)
			if k == 0 {
				out = append(out, u.states[i][prev].sym(s))
			}
			prev = min(s, 1)
			if s == stateLarge {
				sym, extra, bits := signedSym(res[i-from])
				learn.large[i][sym]++
				out = appendRaw(append(out, u.large[i].sym(sym)), extra, bits)
			}
			if t.phase[i] >= 0 && now[t.words[i].Velocity] != 0 {
				_, phase := t.reach(base, now, i, n)
				k := t.phase[i] - len(t.words)
				off := int(now[t.phase[i]]-phase) & (2*phaseHalf - 1)
				learn.phases[k][s][off]++
				out = append(out, u.phases[k][s].sym(off))
			}
		}
	}
	return out
}

// find is the symbol of a pattern, 0 for none.
func (c *chunkModel) find(pattern uint32) int {
	for i := chunkSlot(pattern); c.slots[i] != 0; i = (i + 1) % chunkSlots {
		if k := int(c.slots[i]); c.patterns[k-1] == pattern {
			return k
		}
	}
	return 0
}

// readUpdate is the inverse; false when a value is out of its range.
func (m *model) readUpdate(d *rangecode.Decoder, t *rowType, base, now []int32, n uint32) bool {
	u := &m.rows[t.index].updates[t.context(base, n)]
	prev := 0
	ok := true
	for c := range u.chunks {
		from := c * chunkLen
		to := min(from+chunkLen, len(t.words))
		chunk := &u.chunks[c]
		pattern := uint32(0)
		k := d.Symbol(chunk.joint.t)
		if k > 0 {
			pattern = chunk.patterns[k-1]
		}
		for i := from; i < to; i++ {
			s := int(pattern >> (2 * (i - from)) & 3)
			if k == 0 {
				s = d.Symbol(u.states[i][prev].t)
			}
			prev = min(s, 1)
			var r int32
			switch s {
			case statePlus:
				r = 1
			case stateMinus:
				r = -1
			case stateLarge:
				r = readSigned(d, &u.large[i])
			}
			p := t.phase[i]
			if p < 0 {
				x, in := t.words[i].apply(t.expect(base, now, i, n), r)
				now[i] = x
				ok = ok && in
				continue
			}
			want, phase := t.reach(base, now, i, n)
			x, in := t.words[i].apply(want, r)
			now[i], now[p] = x, 0
			ok = ok && in
			if now[t.words[i].Velocity] != 0 {
				off := int32(d.Symbol(u.phases[p-len(t.words)][s].t))
				now[p] = (phase+off+phaseHalf)&(2*phaseHalf-1) - phaseHalf
			}
		}
	}
	return ok
}

// appendKey codes words without a base; readKey is the inverse.
func (m *model) appendKey(out []rangecode.Sym, t *rowType, now []int32, l *learner) []rangecode.Sym {
	r, learn := &m.rows[t.index], &l.rows[t.index]
	for i := range t.words {
		if t.absent(i, now) {
			continue
		}
		sym, extra, bits := signedSym(t.words[i].residual(r.keyBase[i], now[i]))
		learn.key[i][sym]++
		learn.votes[i].cast(now[i])
		out = appendRaw(append(out, r.key[i].sym(sym)), extra, bits)
	}
	for _, i := range t.phased {
		if now[t.words[i].Velocity] != 0 {
			out = append(out, rangecode.Raw(uint32(now[t.phase[i]]+phaseHalf), phaseBits))
		}
	}
	return out
}

func (m *model) readKey(d *rangecode.Decoder, t *rowType, now []int32) bool {
	r := &m.rows[t.index]
	ok := true
	for i := range t.words {
		if t.absent(i, now) {
			now[i] = t.words[i].Default
			continue
		}
		x, in := t.words[i].apply(r.keyBase[i], readSigned(d, &r.key[i]))
		now[i] = x
		ok = ok && in
	}
	for _, i := range t.phased {
		now[t.phase[i]] = 0
		if now[t.words[i].Velocity] != 0 {
			now[t.phase[i]] = int32(d.Bits(phaseBits)) - phaseHalf
		}
	}
	return ok
}
