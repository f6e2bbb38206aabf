package coder

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/ids"
	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// Learning code tables from live traffic. The authority counts what it codes; after 1,
// 2, 4 … seconds it fits tables to the counts. If they would have paid for their own
// bytes it sends them to every peer on the reliable lane. Until a peer has confirmed
// new tables its packets are coded with those it has.

// firstFit is the seconds of traffic before the first fit. The time between fits then
// doubles, up to LastFit seconds.
const (
	firstFit = 1
	LastFit  = 64
	turnFit  = 4 // where Hasten asks for one
)

// Learner counts what is coded. When new tables are shipped the counts are halved, so
// old traffic fades.
type Learner struct {
	Gaps  []uint32
	Rows  []rowLearner
	Next  ids.Tick    // when to fit again; 0: no peer has come yet
	Wait  ids.Tick    // ticks between the last fit and the next
	turn  ids.Tick    // when most rows of a type last began to be coded otherwise (Hasten)
	chunk chunkCoding // the one being written

	present [PresentRows][]uint32
}

type rowLearner struct {
	coder     *rowModel       // whose codes patternSlot.run holds, nil none
	ClassWord int             // index of the word by whose classes updates are counted, -1 none
	Updates   []updateLearner // first of updates without a class, then of each class
	keys      recordLearner
	votes     []vote // per word: its value in most keyframes and arrivals
	Hints     classHints
	Heading   headingHints
	Lines     LineHints
	sources   sourceHints
	next      uint8 // counts updates, to find those of which hints are noted
}

// sampleNext reports whether the next update is one of which hints are noted: one in HintEvery,
// and at first each, so that a small world need not wait long for its lines.
func (r *rowLearner) sampleNext() bool {
	r.next++
	return r.next%HintEvery == 0 || r.Lines.young()
}

// Samples reports whether the next update of a row type is one of which hints are noted.
func (l *Learner) Samples(t *rowtype.Type) bool {
	r := &l.Rows[t.Index]
	return (r.next+1)%HintEvery == 0 || r.Lines.young()
}

type updateLearner [contexts]recordLearner

type recordLearner struct {
	n         uint32 // records: no count below is higher
	Chunks    []patternCount
	large     [][signedSyms]uint32 // per word
	fractions []uint32             // by fractionAt
}

// fractionCounts are the counts of one hidden word's fraction, in one state.
func (u *recordLearner) fractionCounts(hidden, state int) []uint32 {
	at := fractionAt(hidden, state)
	return u.fractions[at : at+rowtype.FractionValues]
}

// vote finds a majority in one pass (Boyer and Moore, 1981).
type vote struct {
	value int32
	lead  int32
	seen  uint32
	won   uint32
}

// cast counts a value.
func (v *vote) cast(x int32) {
	v.seen++
	switch {
	case x == v.value:
		v.lead++
		v.won++
	case v.lead == 0:
		v.value, v.lead, v.won = x, 1, 1
	default:
		v.lead--
	}
}

func (v *vote) fade() { v.seen, v.won, v.lead = 0, 0, min(v.lead, 8) }

// patternCount counts the patterns of one chunk in one context. Patterns that find no
// slot are counted in rest, as escapes.
type patternCount struct {
	Slots [patternSlots]patternSlot
	rest  uint32
}

type patternSlot struct {
	pattern uint32
	N       uint32     // 0: the slot is free
	run     prefix.Sym // its code in the tables of rowLearner.coder; 0: not looked up yet
}

const (
	patternSlots = chunkSlots // where chunkSlot leads
	patternProbe = 8          // how many slots are looked at for a pattern
)

// slot is the slot of a pattern that is counted now, nil if there is none left.
func (p *patternCount) slot(pattern uint32) *patternSlot {
	i := chunkSlot(pattern)
	for k := range uint32(patternProbe) {
		s := &p.Slots[(i+k)%patternSlots]
		if s.N == 0 {
			s.pattern = pattern
		}
		if s.pattern == pattern {
			return s
		}
	}
	return nil
}

func (p *patternCount) add(pattern, n uint32) {
	if s := p.slot(pattern); s != nil {
		s.N += n
	} else {
		p.rest += n
	}
}

func (p *patternCount) fade() {
	p.rest /= 2
	for i := range p.Slots {
		if s := &p.Slots[i]; s.N == 0 {
			continue // as most: what is not written costs half
		} else if s.N < 2 {
			*s = patternSlot{} // a later key of this probe may get a second slot: the old one fades
		} else {
			s.N /= 2
		}
	}
}

func (p *patternCount) total() (n uint64) {
	for i := range p.Slots {
		n += uint64(p.Slots[i].N)
	}
	return n + uint64(p.rest)
}

// NewLearner makes a learner that has counted nothing.
func NewLearner(types []*rowtype.Type, hz int) *Learner {
	l := &Learner{Wait: ids.Tick(firstFit * hz), Gaps: make([]uint32, gapSyms)}
	for i := range l.present {
		l.present[i] = make([]uint32, presentSyms(i))
	}
	for _, t := range types {
		l.Rows = append(l.Rows, rowLearner{
			ClassWord: -1, Updates: make([]updateLearner, 1), votes: make([]vote, len(t.Words)),
		})
	}
	return l
}

// open makes room for the counts of a row of so many words, some of them with fractions, if there is
// none yet: it takes a kilobyte a word, and most contexts of most kinds are never met.
func (u *recordLearner) open(words, fractional int) {
	if u.Chunks == nil {
		u.Chunks = make([]patternCount, (words+chunkLen-1)/chunkLen)
		u.large = make([][signedSyms]uint32, words)
		u.fractions = make([]uint32, fractionAt(fractional, 0))
	}
}

// count counts a record of a type, whose words are counted next.
func (u *recordLearner) count(t *rowtype.Type) {
	u.open(len(t.Words), len(t.Fractional))
	u.n++
}

// Hasten has the next fit come soon, and those after it as after a start: in a tick most rows of a type have
// begun to be coded otherwise, and tables are fitted to how they were.
func (l *Learner) Hasten(turn ids.Tick, hz int) {
	if turn != l.turn {
		l.turn, l.Wait = turn, min(l.Wait, ids.Tick(turnFit*hz))
		l.Next = turn + l.Wait
	}
}

// Serve sets the model whose codes are kept with the patterns: the one that most peers
// have. Its classes must be those by which updates are counted, or it has none.
func (l *Learner) Serve(m *Model) {
	for i := range l.Rows {
		r := &l.Rows[i]
		r.coder = &m.Rows[i]
		r.keys.unlearn()
		for k := range r.Updates {
			for c := range r.Updates[k] {
				r.Updates[k][c].unlearn()
			}
		}
	}
}

// unlearn forgets how patterns are coded.
func (u *recordLearner) unlearn() {
	if u.n == 0 {
		return
	}
	for c := range u.Chunks {
		for i := range u.Chunks[c].Slots {
			if s := &u.Chunks[c].Slots[i]; s.run != 0 {
				s.run = 0
			}
		}
	}
}

// Rebase drops the counts that were made against other predictions than those of the
// next model.
func (l *Learner) Rebase(types []*rowtype.Type, old, next *Model) {
	for i := range types {
		if o, n := &old.Rows[i], &next.Rows[i]; !slices.Equal(o.lines, n.lines) {
			l.Rows[i].unline(o, n)
		}
		l.Rows[i].unsource(&old.Rows[i], &next.Rows[i])
		if old.Rows[i].heading != next.Rows[i].heading {
			for k := range l.Rows[i].Updates {
				l.Rows[i].Updates[k] = updateLearner{}
			}
			l.Rows[i].keys = recordLearner{}
		}
		if !slices.Equal(old.Rows[i].keyBase, next.Rows[i].keyBase) {
			l.Rows[i].keys = recordLearner{}
		}
	}
}

// Fade halves all counts.
func (l *Learner) Fade() {
	l.fadeEntries()
	for i := range l.Rows {
		l.Rows[i].fade()
	}
}

// FadeEntries halves the counts of how entries are named, and returns what is left in bits of a model.
func (l *Learner) FadeEntries(m *Model) Counted {
	l.fadeEntries()
	return Counted{Bits: l.entryCost(&m.Entry)}
}

// FadeRow halves the counts of a row type, and returns what is left in bits of a model.
func (l *Learner) FadeRow(t *rowtype.Type, m *Model) Counted {
	r := &l.Rows[t.Index]
	r.fade()
	return Counted{r.cost(t, &m.Rows[t.Index]), r.updates()}
}

func (l *Learner) fadeEntries() {
	fade(l.Gaps)
	for i := range l.present {
		fade(l.present[i])
	}
}

func (r *rowLearner) fade() {
	for k := range r.Updates {
		for c := range r.Updates[k] {
			r.Updates[k][c].fade()
		}
	}
	r.keys.fade()
	r.Hints.fade()
	r.Heading.fade()
	r.Lines.fade()
	r.sources.fade()
	for k := range r.votes {
		r.votes[k].fade()
	}
}

// Most is an upper bound of every counter, and of every sum of counters over classes and
// contexts.
func (l *Learner) Most() (n uint64) {
	for _, k := range l.Gaps {
		n += uint64(k)
	}
	for i := range l.present {
		for _, k := range l.present[i] {
			n += uint64(k)
		}
	}
	for i := range l.Rows {
		r := &l.Rows[i]
		n = max(n, r.updates(), r.keys.total())
	}
	return n
}

// Updates is how many updates of rows were counted.
func (l *Learner) Updates() (n uint64) {
	for i := range l.Rows {
		n += l.Rows[i].updates()
	}
	return n
}

func (r *rowLearner) updates() (n uint64) {
	for k := range r.Updates {
		for c := range r.Updates[k] {
			n += r.Updates[k][c].total()
		}
	}
	return n
}

// total is the number of records counted: each has one pattern in its first chunk.
func (u *recordLearner) total() uint64 {
	if len(u.Chunks) == 0 || u.n == 0 {
		return 0
	}
	return u.Chunks[0].total()
}

func (u *recordLearner) fade() {
	if u.n == 0 {
		return
	}
	u.n /= 2
	for k := range u.Chunks {
		u.Chunks[k].fade()
	}
	for i := range u.large {
		fade(u.large[i][:])
	}
	fade(u.fractions)
}

func fade(n []uint32) {
	for i := range n {
		n[i] /= 2
	}
}

// add adds the counts of another context.
func (u *recordLearner) add(v *recordLearner) {
	if v.n == 0 {
		return // as most contexts of most kinds
	}
	u.n += v.n
	u.open(len(v.large), len(v.fractions)/fractionAt(1, 0))
	for k := range u.Chunks {
		for i := range v.Chunks[k].Slots {
			if s := &v.Chunks[k].Slots[i]; s.N > 0 {
				u.Chunks[k].add(s.pattern, s.N)
			}
		}
		u.Chunks[k].rest += v.Chunks[k].rest
	}
	for w := range u.large {
		addCounts(u.large[w][:], v.large[w][:])
	}
	addCounts(u.fractions, v.fractions)
}

func addCounts(n, more []uint32) {
	for i, k := range more {
		n[i] += k
	}
}
