package proxy

import (
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// A versionSlab is the memory for the versions of all rows of one type on a proxy.
// In each slot the versions of neighbouring rows lie side by side, and versions of one
// tick are mostly in the same slot: so reading a packet touches few pages of memory, in
// order.
type versionSlab struct {
	width  int // words of a version, its tick included
	stride int // words from one version to the next: each crosses as few cache lines as can be
	blocks []slabBlock
	free   map[uint8][]uint32 // free places for rows, by their number of slots
}

// A slabBlock holds the versions of some rows, by slot, then by row.
type slabBlock struct {
	words []int32
	rows  int
}

const (
	slabPage = 1024 // words of one slot in a large block: a page of memory
	slabBits = 8    // the low bits of a place, which are the row in its block; the others are the block
)

func newVersionSlab(width int) versionSlab {
	return versionSlab{width: width, stride: wire.InLines(width), free: make(map[uint8][]uint32)}
}

// take returns a place for a row of so many slots.
func (s *versionSlab) take(slots uint8) (at uint32) {
	l := s.free[slots]
	if len(l) == 0 {
		l = s.extend(slots, l)
	}
	s.free[slots] = l[:len(l)-1]
	return l[len(l)-1]
}

// extend makes a block. Blocks grow from one to the next, so that a type with few rows
// needs little memory.
func (s *versionSlab) extend(slots uint8, free []uint32) []uint32 {
	rows := max(min(1<<min(len(s.blocks), slabBits), slabPage/s.stride), 1)
	for row := rows - 1; row >= 0; row-- { // so that the first is taken first
		free = append(free, uint32(len(s.blocks)<<slabBits|row))
	}
	s.blocks = append(s.blocks, slabBlock{make([]int32, int(slots)*rows*s.stride), rows})
	return free
}

// give takes a place back.
func (s *versionSlab) give(at uint32, slots uint8) {
	s.free[slots] = append(s.free[slots], at)
}

// version returns the words in a slot of the row at a place.
func (s *versionSlab) version(at uint32, slot uint8) []int32 {
	b := &s.blocks[at>>slabBits]
	from := (int(slot)*b.rows + int(at%(1<<slabBits))) * s.stride
	return b.words[from : from+s.width : from+s.width]
}
