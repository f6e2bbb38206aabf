package rpl

import (
	"math"
	"sort"
)

// Learning code tables from live traffic. The authority counts what it codes;
// after 2, 4, 8 … seconds it fits tables to the counts, and if they would have
// paid for their own bytes it ships them to every peer on the reliable lane. A
// peer that has not got a table yet is served with the one it has.

// firstFit and lastFit are the seconds of traffic before the first fit, and
// between the last ones: the time between doubles from one to the other.
const (
	firstFit = 2
	lastFit  = 64
)

// learner counts what is coded, since the last fit; older counts fade.
type learner struct {
	rows []rowLearner
	next Tick // when to fit again
	wait Tick // ticks between the last fit and the next
}

type rowLearner struct {
	updates [contexts]updateLearner
	key     [][]uint32 // per word
	votes   []vote     // per word: the value that most arrivals have
}

type updateLearner struct {
	chunks []patternCount
	large  [][]uint32             // per word
	phases [][stateKinds][]uint32 // per hidden word
}

// vote finds a majority in one pass (Boyer and Moore, 1981).
type vote struct {
	value int32
	lead  int32
	seen  uint32
	won   uint32
}

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

// patternCount counts the patterns of one chunk in one context. Those that
// find no place in it are counted word by word.
type patternCount struct {
	keys [patternSlots]uint32 // pattern + 1, 0 free
	n    [patternSlots]uint32
	rest uint32
}

const (
	patternSlots = 512 // a power of two
	patternProbe = 8
	maxPatterns  = 127
)

func (p *patternCount) add(pattern uint32) {
	i := pattern * 0x9e3779b1 >> 23
	for k := range uint32(patternProbe) {
		j := (i + k) % patternSlots
		if p.keys[j] == pattern+1 {
			p.n[j]++
			return
		}
		if p.keys[j] == 0 {
			p.keys[j], p.n[j] = pattern+1, 1
			return
		}
	}
	p.rest++
}

func (p *patternCount) fade() {
	p.rest /= 2
	for i := range p.n {
		if p.n[i] /= 2; p.n[i] == 0 {
			p.keys[i] = 0 // a later key of the same probe may be counted twice: it fades
		}
	}
}

func (p *patternCount) total() (n uint64) {
	for _, k := range p.n {
		n += uint64(k)
	}
	return n + uint64(p.rest)
}

func newLearner(types []*rowType, hz int) *learner {
	l := &learner{wait: Tick(firstFit * hz)}
	for _, t := range types {
		var r rowLearner
		for c := range r.updates {
			u := &r.updates[c]
			u.chunks = make([]patternCount, (len(t.words)+chunkLen-1)/chunkLen)
			u.large = make([][]uint32, len(t.words))
			for i := range u.large {
				u.large[i] = make([]uint32, signedSyms)
			}
			u.phases = make([][stateKinds][]uint32, len(t.phased))
			for i := range u.phases {
				for s := range u.phases[i] {
					u.phases[i][s] = make([]uint32, 2*phaseHalf)
				}
			}
		}
		r.key = make([][]uint32, len(t.words))
		for i := range r.key {
			r.key[i] = make([]uint32, signedSyms)
		}
		r.votes = make([]vote, len(t.words))
		l.rows = append(l.rows, r)
	}
	return l
}

func (l *learner) fade() {
	for i := range l.rows {
		r := &l.rows[i]
		for c := range r.updates {
			u := &r.updates[c]
			for k := range u.chunks {
				u.chunks[k].fade()
			}
			for _, t := range u.large {
				fade(t)
			}
			for _, p := range u.phases {
				for _, t := range p {
					fade(t)
				}
			}
		}
		for _, t := range r.key {
			fade(t)
		}
		for k := range r.votes {
			r.votes[k].seen, r.votes[k].won, r.votes[k].lead = 0, 0, min(r.votes[k].lead, 8)
		}
	}
}

func fade(n []uint32) {
	for i := range n {
		n[i] /= 2
	}
}

// logCount is a count as it travels: 0 for none, else a third of a binary
// logarithm, so a weight is at most 12 % off and the code 0.2 % longer.
func logCount(n uint32) uint8 {
	if n == 0 {
		return 0
	}
	return uint8(min(1+math.Round(3*math.Log2(float64(n))), logMax))
}

const logMax = 63

// logWeight is the weight of a quantised count, in sixteenths.
var logWeight = func() (w [logMax + 1]uint64) {
	base := [3]uint64{16, 20, 25} // 16·2^(i/3)
	for q := 1; q <= logMax; q++ {
		w[q] = base[(q-1)%3] << ((q - 1) / 3)
	}
	return w
}()

// tableSet is a learned model as it travels: quantised counts. Tables without
// enough counts stay as they are by default.
type tableSet struct {
	number uint8
	rows   []rowSet
}

type rowSet struct {
	updates [contexts]updateSet
	key     [][]uint8 // per word; nil: default
	keyBase []int32
	hasBase []bool
}

type updateSet struct {
	chunks []chunkSet
	large  [][]uint8 // per word; nil: default
	phases [][stateKinds][]uint8
}

type chunkSet struct {
	patterns []uint32
	joint    []uint8       // escape first
	states   [][2][4]uint8 // per word of the chunk; nil: default
}

// enough is the counts from which a table is fitted: fewer say less than the
// default does.
const enough = 48

// fitSet quantises what was counted.
func (l *learner) fitSet(types []*rowType, number uint8) *tableSet {
	s := &tableSet{number: number}
	for i, t := range types {
		s.rows = append(s.rows, l.rows[i].fitSet(t))
	}
	return s
}

func (r *rowLearner) fitSet(t *rowType) rowSet {
	s := rowSet{key: make([][]uint8, len(t.words)), keyBase: make([]int32, len(t.words)), hasBase: make([]bool, len(t.words))}
	for c := range r.updates {
		u := &r.updates[c]
		for k := range u.chunks {
			s.updates[c].chunks = append(s.updates[c].chunks, u.chunks[k].fitSet(min(chunkLen, len(t.words)-k*chunkLen)))
		}
		s.updates[c].large = make([][]uint8, len(t.words))
		for w, n := range u.large {
			s.updates[c].large[w] = logCounts(n)
		}
		s.updates[c].phases = make([][stateKinds][]uint8, len(t.phased))
		for i := range u.phases {
			for k, n := range u.phases[i] {
				s.updates[c].phases[i][k] = logCounts(n)
			}
		}
	}
	for w, n := range r.key {
		s.key[w] = logCounts(n)
		if v := &r.votes[w]; v.seen >= enough && v.won*2 > v.seen && v.value != t.words[w].Default {
			s.keyBase[w], s.hasBase[w] = v.value, true
		}
	}
	return s
}

func logCounts(n []uint32) []uint8 {
	sum := uint32(0)
	for _, k := range n {
		sum += k
	}
	if sum < enough {
		return nil
	}
	q := make([]uint8, len(n))
	for i, k := range n {
		q[i] = logCount(k)
	}
	return q
}

// fitSet chooses the patterns that are frequent enough to have a symbol.
func (p *patternCount) fitSet(words int) chunkSet {
	var s chunkSet
	total := p.total()
	if total < enough {
		return s
	}
	var at []int
	least := uint32(max(3, total/1500))
	for i, n := range p.n {
		if n >= least {
			at = append(at, i)
		}
	}
	sort.Slice(at, func(i, j int) bool {
		if p.n[at[i]] != p.n[at[j]] {
			return p.n[at[i]] > p.n[at[j]]
		}
		return p.keys[at[i]] < p.keys[at[j]]
	})
	at = at[:min(len(at), maxPatterns)]
	escaped := p.rest
	var states [chunkLen][2][4]uint32
	chosen := make(map[int]bool, len(at))
	for _, i := range at {
		chosen[i] = true
		s.patterns = append(s.patterns, p.keys[i]-1)
		s.joint = append(s.joint, logCount(p.n[i]))
	}
	for i, n := range p.n {
		if n > 0 && !chosen[i] {
			escaped += n
			countStates(&states, p.keys[i]-1, words, n)
		}
	}
	s.joint = append([]uint8{logCount(escaped + 1)}, s.joint...)
	if escaped >= enough {
		s.states = make([][2][4]uint8, words)
		for w := range words {
			for prev := range 2 {
				for k := range 4 {
					s.states[w][prev][k] = logCount(states[w][prev][k])
				}
			}
		}
	}
	return s
}

func countStates(states *[chunkLen][2][4]uint32, pattern uint32, words int, n uint32) {
	prev := 0
	for w := range words {
		k := pattern >> (2 * w) & 3
		states[w][prev][k] += n
		prev = min(int(k), 1)
	}
}
