package rpl

// A versionSlab is the memory of the versions of all rows of one type on a proxy.
// Slot for slot those of neighbours lie side by side, and versions of one tick
// are mostly in the same slot: what a packet is about is few pages of memory,
// read in order.
type versionSlab struct {
	width  int // words of a version, its tick included …
	stride int // … and from one to the next, so that it crosses no line of a cache
	blocks []slabBlock
	free   map[uint8][]uint32 // places of rows, by the slots that they have
}

// A slabBlock is the versions of some rows, by slot, then by row.
type slabBlock struct {
	words []int32
	rows  int
}

const (
	slabPage = 1024 // words of one slot of a large block: a page of memory
	slabBits = 8    // of a place, those that tell the row in its block
)

func newVersionSlab(width int) versionSlab {
	return versionSlab{width: width, stride: inLines(width), free: make(map[uint8][]uint32)}
}

// take is a place for a row with some slots.
func (s *versionSlab) take(slots uint8) (at uint32) {
	l := s.free[slots]
	if len(l) == 0 {
		l = s.extend(slots, l)
	}
	s.free[slots] = l[:len(l)-1]
	return l[len(l)-1]
}

// extend makes a block, each larger than the one before: a type of few rows needs
// little.
func (s *versionSlab) extend(slots uint8, free []uint32) []uint32 {
	rows := max(min(1<<min(len(s.blocks), slabBits), slabPage/s.stride), 1)
	for row := rows - 1; row >= 0; row-- { // the first is taken first
		free = append(free, uint32(len(s.blocks)<<slabBits|row))
	}
	s.blocks = append(s.blocks, slabBlock{make([]int32, int(slots)*rows*s.stride), rows})
	return free
}

// give takes a place back.
func (s *versionSlab) give(at uint32, slots uint8) {
	s.free[slots] = append(s.free[slots], at)
}

// version is what is in a slot of a row.
func (s *versionSlab) version(at uint32, slot uint8) []int32 {
	b := &s.blocks[at>>slabBits]
	from := (int(slot)*b.rows + int(at%(1<<slabBits))) * s.stride
	return b.words[from : from+s.width : from+s.width]
}
