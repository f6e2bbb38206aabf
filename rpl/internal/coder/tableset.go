package coder

import (
	"slices"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
)

// A TableSet is a learned model as it is sent: the patterns that have symbols, and code
// lengths. A table that would not pay for its own bytes is nil: the more general one
// stays. A Fitter makes sets from what a learner has counted.
type TableSet struct {
	Number uint8
	gap    []uint8
	Rows   []rowSet

	present [PresentRows][]uint8
}

type rowSet struct {
	shapes    [shapes]shapeSet
	any       recordSet // for updates of any class, in any context
	Heading   rowtype.Heading
	Lines     []bool  // by word: whether it is coded along a line; nil: none is
	sources   []uint8 // by word: where its frequent value comes from; nil: no word has one
	classWord int     // the word that gives the class, -1 none
	updates   []updateSet
	keys      recordSet
	keyBase   []int32
	hasBase   []bool
}

func NewTableSet(types []*rowtype.Type) *TableSet {
	s := &TableSet{}
	for _, t := range types {
		s.Rows = append(s.Rows, newRowSet(t))
	}
	return s
}

func newRowSet(t *rowtype.Type) rowSet {
	n := len(t.Words)
	s := rowSet{classWord: -1, updates: make([]updateSet, 1), keyBase: make([]int32, n), hasBase: make([]bool, n)}
	for k := range s.shapes {
		s.shapes[k].chunks = make([]chunkSet, chunkCount(t))
	}
	return s
}

// With is a copy of the set under another number.
func (s *TableSet) With(number uint8) *TableSet {
	return &TableSet{Number: number, gap: s.gap, present: s.present, Rows: slices.Clone(s.Rows)}
}

// An updateSet is the tables of one class, or of all updates if there are no classes.
type updateSet struct {
	all      recordSet // for any context; only where there are classes
	contexts [contexts]recordSet
}

type shapeSet struct {
	chunks []chunkSet

	made  *shapeModel // what build has made, once: a fit asks for it several times
	joint []Table
}

// A chunkSet is empty, or has the patterns of a chunk, their code lengths in any
// context (the escape's first), per word the code lengths of the states by which the
// patterns are listed, and the code lengths of its quads.
type chunkSet struct {
	patterns []uint32
	joint    []uint8
	states   [][2][stateValues]uint8
	quads    [][2][]uint8
}

// A recordSet is the tables of a context as lists of code lengths.
type recordSet struct {
	joint     [][]uint8              // per chunk, of its patterns
	large     [][]uint8              // per word, of residuals beyond ±1
	fractions [][stateValues][]uint8 // per hidden word, by the state of the word it belongs to

	made *recordModel // what build has made, once
}

// price is roughly the bits that the tables of a set take after those of was, where the patterns
// are those of shape, and were those of shaped.
func (s *recordSet) price(was *recordSet, shape, shaped *shapeSet) (bits float64) {
	if !s.used() {
		return 1
	}
	for c, lens := range s.joint {
		bits += listBits(lens, align(shape.chunks[c].patterns, shaped.chunks[c].patterns, at(was.joint, c)))
	}
	for w, lens := range s.large {
		bits += listBits(lens, at(was.large, w))
	}
	for w := range s.fractions {
		for k, lens := range s.fractions[w] {
			bits += listBits(lens, at(was.fractions, w)[k])
		}
	}
	return bits
}

// lists iterates over all code lengths of a set, in the order in which they are sent.
func (s *recordSet) lists(yield func(lens []uint8) bool) {
	for _, lens := range s.joint {
		if !yield(lens) {
			return
		}
	}
	for _, lens := range s.large {
		if !yield(lens) {
			return
		}
	}
	for i := range s.fractions {
		for _, lens := range s.fractions[i] {
			if !yield(lens) {
				return
			}
		}
	}
}
