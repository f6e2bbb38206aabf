package rpl

import "unsafe"

// A slab is the rows of one type. What a tick reads of a row that moves is one
// block of whole lines of a cache: its words as they are, version head, its
// trackers; of one that stands only what a walk has seen of it. Those of rows that
// are walked stand side by side (near.go). A version's tick stands behind its words.
type slab struct {
	blocks []int32
	block  int      // words of each, and where in it stand …
	width  int      // (so many words are the row's …
	phased int      // … and of these so many phases, the last)
	seen   int      // the tick that the trackers know
	head   int      // version head
	tracks int      // the trackers of phases
	sums   []uint64 // by block: what a walk has seen of a row but for its place
	owners []owner  // by block
	near   uint32   // so many blocks are of rows that are walked …
	moved  uint32   // … and so many of them may stand out of order

	histories histories // older versions
	runs      []run     // of inferred velocities, by block
	rows      int
	free      []uint32 // rows to use again, their places with them
}

// lineWords is how many words a line of a cache holds.
const lineWords = 16

func newSlab(t *rowType) slab {
	s := slab{width: t.width, phased: len(t.phased), seen: t.width, histories: newHistories(inLines(t.width + 1))}
	s.head = s.seen + 1
	s.tracks = s.head + t.width + 1
	s.block = inLines(s.tracks + len(t.phased)*trackerWords)
	return s
}

// inLines is the room for some words that crosses as few lines of a cache as can
// be, side by side with others.
func inLines(words int) int {
	if words > lineWords {
		return (words + lineWords - 1) &^ (lineWords - 1)
	}
	n := 0
	for n < words {
		n = max(1, 2*n)
	}
	return n
}

// at is where a block is: who steps through it by what newSlab says stands there,
// and no farther, needs no checks.
func (s *slab) at(block uint32) unsafe.Pointer {
	return unsafe.Pointer(&s.blocks[int(block)*s.block])
}

// blocksAt is where the blocks of a slab begin, and how many bytes each takes: who
// goes over blocks that there are keeps both in registers.
type blocksAt struct {
	first unsafe.Pointer
	size  uintptr
}

func (s *slab) all() blocksAt {
	return blocksAt{unsafe.Pointer(unsafe.SliceData(s.blocks)), uintptr(s.block) * wordSize}
}

func (b blocksAt) at(block uint32) unsafe.Pointer {
	return unsafe.Add(b.first, uintptr(block)*b.size)
}

const wordSize = 4

func nthWord(block unsafe.Pointer, n int) unsafe.Pointer {
	return unsafe.Add(block, n*wordSize)
}

// current is the words of a block's row as they are, w words wide.
func (s *slab) current(block uint32, w int) []int32 {
	at := int(block) * s.block
	return s.blocks[at : at+w : at+w]
}

// tracked is the tick that the trackers of a row know; 0: none yet.
func (s *slab) tracked(block uint32) *int32 { return &s.blocks[int(block)*s.block+s.seen] }

// trackers are n of a row, at least one.
func (s *slab) trackers(block uint32, n int) []tracker {
	at := int(block)*s.block + s.tracks
	return unsafe.Slice((*tracker)(unsafe.Pointer(&s.blocks[at])), n)
}

// now is what current is, and anchor version head and its tick.
func (s *slab) now(block uint32) rowWords { return rowWords{s.at(block)} }

func (s *slab) anchor(block uint32) (rowWords, uint32) {
	v := rowWords{nthWord(s.at(block), s.head)}
	return v, uint32(*v.word(s.width))
}

// version is an older version of a row, and its tick.
func (s *slab) version(r *row, ver uint32) (rowWords, uint32) {
	v := rowWords{s.histories.at(r.history, ver)}
	return v, uint32(*v.word(s.width))
}

// versionOf is a version of a row and its tick, wherever it stands.
func (s *slab) versionOf(r *row, ver uint32) (rowWords, uint32) {
	if ver == r.head {
		return s.anchor(r.block)
	}
	return s.version(r, ver)
}

// retire puts version head of a row among the older ones, makes what the row is now
// the newest, and returns the tick of the former.
func (s *slab) retire(r *row, tick uint32) (before uint32) {
	if r.history == noHistory {
		r.history = s.histories.take()
	}
	block := s.at(r.block)
	head := rowWords{nthWord(block, s.head)}
	before = uint32(*head.word(s.width))
	head.copyTo(rowWords{s.histories.at(r.history, r.head)}, s.width+1)
	s.renew(block, tick)
	return before
}

// renew makes what a block's row is now its newest version, with the phases that its
// trackers have found.
func (s *slab) renew(block unsafe.Pointer, tick uint32) {
	now, head, words := rowWords{block}, rowWords{nthWord(block, s.head)}, s.width-s.phased
	now.copyTo(head, words)
	for k := range s.phased {
		*head.word(words + k) = (*tracker)(nthWord(block, s.tracks+k*trackerWords)).phase()
	}
	*head.word(s.width) = int32(tick)
}
