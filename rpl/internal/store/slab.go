package store

import (
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A slab holds the rows of one row type, a block of words for each. A block is laid out
// so that a tick reads few cache lines: of a moving row one block of whole lines (the
// current words, version head, the trackers of its fractions), of a row at rest only the
// sum that the last walk took of its component. The blocks of walked rows stand at the
// front, side by side (blockorder.go). A version is the row's words with the version's tick
// behind them.
type slab struct {
	Blocks    []int32
	Block     int      // words per block; the next fields say what is in one:
	Width     int      // words of the row, its fractions included; they are the first of the block
	fractions int      // how many of these words are fractions; they are the last of the row
	seen      int      // offset of the tick that the trackers know
	Head      int      // offset of version head
	tracks    int      // offset of the trackers of fractions
	sums      []uint64 // by block: sum of the component when last walked, without its position if the walk tracks that
	Owners    []owner  // by block
	Walked    uint32   // how many blocks, from the front, are of walked rows
	Unordered uint32   // how many of those may be out of order
	read      uint32   // how many walked rows were read since they were in order

	exact *exacts // what the game has, of types with a tolerance
	walks bool    // SetColumn walks it (walk.go)
	Walk  walkPlan

	histories histories // older versions
	runs      []run     // of inferred velocities, by block
	Stride    uint32    // ticks from one send to the next, at most
	rows      int
	Free      []uint32 // rows to use again, each with its block
	comparison
	worth  []int32     // by inferred word: the bits that velocities have saved
	lined  []int       // by inferred word: what it costs along a line, 0: it goes along none
	record int         // what a word that moves as predicted saves beside its residual
	rated  wire.Bitset // blocks of nodes that are not in every send: what counts there is told as it is
	Whole  []bool      // by word with a fraction: it goes along a line, and has none
	Lines  bool        // some words go along lines
	shift  []uint8     // by word with a fraction: FractionShift of its motion
}

func newSlab(t *rowtype.Type) slab {
	s := slab{Width: t.Width, fractions: len(t.Fractional), seen: t.Width, histories: newHistories(wire.InLines(t.Width + 1))}
	s.Walk, s.walks = newWalkPlan(t)
	if s.exact = newExacts(t); s.exact != nil {
		s.walks = false
	}
	s.worth, s.lined, s.record = make([]int32, len(t.Inferred)), make([]int, len(t.Inferred)), recordBits
	s.Whole = make([]bool, len(t.Fractional))
	for _, i := range t.Inferred {
		s.moves = append(s.moves, t.Moves(i))
		s.compared = s.compared || t.Moves(i)
	}
	s.begin(len(t.Words))
	for _, i := range t.Fractional {
		s.shift = append(s.shift, t.Motions[i].FractionShift)
	}
	s.Head = s.seen + 1
	s.tracks = s.Head + t.Width + 1
	s.Block = wire.InLines(s.tracks + len(t.Fractional)*trackerWords)
	return s
}

// at returns the address of a block. A caller that steps through the block by the
// offsets of newSlab needs no bounds checks.
func (s *slab) at(block uint32) unsafe.Pointer {
	return unsafe.Pointer(&s.Blocks[int(block)*s.Block])
}

// blocksAt is where the blocks of a slab begin, and the size of a block in bytes. A
// loop over blocks that exist keeps both in registers.
type blocksAt struct {
	first unsafe.Pointer
	size  uintptr
}

func (s *slab) all() blocksAt {
	return blocksAt{unsafe.Pointer(unsafe.SliceData(s.Blocks)), uintptr(s.Block) * rowtype.WordSize}
}

func (b blocksAt) at(block uint32) unsafe.Pointer {
	return unsafe.Add(b.first, uintptr(block)*b.size)
}

func nthWord(block unsafe.Pointer, n int) unsafe.Pointer {
	return unsafe.Add(block, n*rowtype.WordSize)
}

// current returns the words of a block's row as they are now; w is the row's width.
func (s *slab) current(block uint32, w int) []int32 {
	at := int(block) * s.Block
	return s.Blocks[at : at+w : at+w]
}

// tracked is the tick up to which the trackers of a row know its words, 0 for none.
func (s *slab) tracked(block uint32) *int32 { return &s.Blocks[int(block)*s.Block+s.seen] }

// trackers returns the n trackers of a row; n is at least 1.
func (s *slab) trackers(block uint32, n int) []tracker {
	at := int(block)*s.Block + s.tracks
	return unsafe.Slice((*tracker)(unsafe.Pointer(&s.Blocks[at])), n)
}

// Now is current without the length. Reference returns version head and its tick.
func (s *slab) Now(block uint32) rowtype.Words { return rowtype.Words{P: s.at(block)} }

func (s *slab) Reference(block uint32) (rowtype.Words, uint32) {
	v := rowtype.Words{P: nthWord(s.at(block), s.Head)}
	return v, uint32(*v.Word(s.Width))
}

// Version returns an older version of a row, and its tick.
func (s *slab) Version(r *Row, ver uint32) (rowtype.Words, uint32) {
	v := rowtype.Words{P: s.histories.at(r.History, ver)}
	return v, uint32(*v.Word(s.Width))
}

// VersionOf returns any version of a row, head or older, and its tick.
func (s *slab) VersionOf(r *Row, ver uint32) (rowtype.Words, uint32) {
	if ver == r.Head {
		return s.Reference(r.Block)
	}
	return s.Version(r, ver)
}

// retire moves version head of a row to the older ones, makes the current words the
// newest version, and returns the tick of the former head.
func (s *slab) retire(r *Row, tick uint32) (before uint32) {
	if r.History == NoHistory {
		r.History = s.histories.take()
	}
	block := s.at(r.Block)
	head := rowtype.Words{P: nthWord(block, s.Head)}
	before = uint32(*head.Word(s.Width))
	head.CopyTo(rowtype.Words{P: s.histories.at(r.History, r.Head)}, s.Width+1)
	s.renew(block, tick)
	return before
}

// renew makes the current words of a block's row its version head, with the fractions that
// its trackers have found.
func (s *slab) renew(block unsafe.Pointer, tick uint32) {
	now, head, words := rowtype.Words{P: block}, rowtype.Words{P: nthWord(block, s.Head)}, s.Width-s.fractions
	now.CopyTo(head, words)
	for k := range s.fractions {
		fraction := (*tracker)(nthWord(block, s.tracks+k*trackerWords)).fraction(s.shift[k])
		if s.Whole[k] {
			fraction = 0
		}
		*head.Word(words + k) = fraction
	}
	*head.Word(s.Width) = int32(tick)
}
