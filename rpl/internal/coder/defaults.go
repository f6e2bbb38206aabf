package coder

import (
	"math"

	"github.com/tendonengine/tendon/rpl/internal/prefix"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/schema"
)

// The default tables, with which rows are coded before anything is known of the game.
// Many are equal, and are made once per model.

// defaultPatterns is how many patterns of a chunk have a symbol before any were seen.
const defaultPatterns = 127

type defaults struct {
	signed   map[signedShape]Table
	quads    map[quadWeights][2]Table
	fraction [2]Table // of words that are as expected, and of those that are not
}

// A signedShape is what a table of residuals depends on (signedTable).
type signedShape struct {
	one, fall    float64
	octaves      int
	below, above int64 // how far values are below and above what they are coded relative to, at most
}

func newDefaults() *defaults {
	return &defaults{
		signed:   make(map[signedShape]Table),
		quads:    make(map[quadWeights][2]Table),
		fraction: [2]Table{fractionTable(4), fractionTable(1)},
	}
}

// residuals is a table of a word's residuals beyond ±1.
func (d *defaults) residuals(s signedShape) Table {
	t, ok := d.signed[s]
	if !ok {
		t = signedTable(1e-4, s)
		d.signed[s] = t
	}
	return t
}

// updates and keys are the tables of a word's residuals in updates and in keyframes. A keyframe's
// are from the default, so that many words have them to one side only.
func (d *defaults) updates(w *schema.Word) Table {
	return d.residuals(signedShape{1e-4, 0.97, min(octaves(w), 12), math.MaxInt64, math.MaxInt64})
}

func (d *defaults) keys(t *rowtype.Type, i int) Table {
	w := &t.Words[i]
	s := signedShape{1e-4, 1.15, octaves(w), int64(w.Default) - int64(w.Min), int64(w.Max) - int64(w.Default)}
	if t.Motions[i].Wraps {
		s.below, s.above = math.MaxInt64, math.MaxInt64
	}
	return d.residuals(s)
}

// A quadWeights is the weights of a quad's words; those of no word are zero.
type quadWeights [quadLen][2]stateWeights

// quad makes the tables of a quad whose words have states by the given weights, after one
// without changes and after another.
func (d *defaults) quad(weights [][2]stateWeights) (q [2]Table) {
	var key quadWeights
	copy(key[:], weights)
	if q, ok := d.quads[key]; ok {
		return q
	}
	for prev := range q {
		w := make([]uint64, 1<<(2*len(weights)))
		for k := range w {
			p, was := uint64(1<<40), prev
			for i := range weights {
				s := k >> (2 * i) & 3
				p = p * uint64(weights[i][was][s]) >> 10
				was = min(s, 1)
			}
			w[k] = max(p, 1<<20)
		}
		q[prev] = newTable(prefix.Fit(w))
	}
	d.quads[key] = q
	return q
}

// How often words are in each state, after an unchanged and after a changed word. In
// updates: words that are not predicted, and predicted ones. In keyframes: most words,
// inferred velocities of what may count, the presence of an optional value, and the value,
// which says nothing if it is absent.
var (
	stillWords  = [2]stateWeights{{880, 31, 31, 82}, {461, 82, 82, 399}}
	movingWords = [2]stateWeights{{451, 205, 205, 163}, {256, 205, 205, 358}}
	keyWords    = [2]stateWeights{{424, 100, 50, 450}, {324, 100, 50, 550}}
	countings   = [2]stateWeights{{1006, 6, 6, 6}, {1006, 6, 6, 6}}
	presences   = [2]stateWeights{{960, 56, 4, 4}, {700, 316, 4, 4}}
	optionals   = [2]stateWeights{{1006, 6, 6, 6}, {300, 100, 50, 574}}
)

// row makes the default tables of a row type.
func (d *defaults) row(t *rowtype.Type) rowModel {
	r := rowModel{ClassWord: -1, angle: -1, chunks: chunksOf(t, nil), keyBase: make([]int32, len(t.Words))}
	var weights [shapes][][2]stateWeights
	for i := range t.Words {
		w := &t.Words[i]
		r.keyBase[i] = w.Default
		if w.Velocity >= 0 {
			weights[ShapeUpdate] = append(weights[ShapeUpdate], movingWords)
		} else {
			weights[ShapeUpdate] = append(weights[ShapeUpdate], stillWords)
		}
		switch {
		case t.Within != nil && t.Within[i] >= 0:
			weights[ShapeKey] = append(weights[ShapeKey], optionals)
			weights[ShapeKey][t.Within[i]] = presences
		case t.IsInferred(i) && !t.Moves(i+1):
			weights[ShapeKey] = append(weights[ShapeKey], countings)
		default:
			weights[ShapeKey] = append(weights[ShapeKey], keyWords)
		}
	}
	var joint [shapes][]Table
	for s, of := range weights {
		for from := 0; from < len(of); from += chunkLen {
			patterns, j := likely(of[from:min(from+chunkLen, len(of))], defaultPatterns)
			r.Shapes[s].Chunks = append(r.Shapes[s].Chunks, newChunk(patterns))
			joint[s] = append(joint[s], j)
		}
		for from := 0; from < len(of); from += quadLen { // a chunk is whole quads
			r.Shapes[s].Quads = append(r.Shapes[s].Quads, d.quad(of[from:min(from+quadLen, len(of))]))
		}
	}
	u := recordModel{Joint: joint[ShapeUpdate]}
	r.Keys.Joint = joint[ShapeKey]
	for i := range t.Words {
		u.Large = append(u.Large, d.updates(&t.Words[i]))
		r.Keys.Large = append(r.Keys.Large, d.keys(t, i))
	}
	for range t.Fractional {
		near, any := d.fraction[0], d.fraction[1]
		u.Fractions = append(u.Fractions, [stateValues]Table{near, any, any, any})
	}
	u.coded()
	r.Updates = []updateModel{sameInAll(u)}
	return r
}

// fractionTable is a table of differences from the expected fraction: up to peak times likelier
// near 0, and mostly even (fraction.go).
func fractionTable(peak float64) Table {
	w := make([]float64, rowtype.FractionValues)
	for i := range w {
		d := min(i, rowtype.FractionValues-i)
		w[i] = 1 + (peak-1)/float64(1+d*d)
		if i%2 != 0 {
			w[i] /= 8
		}
	}
	return fit(w...)
}
