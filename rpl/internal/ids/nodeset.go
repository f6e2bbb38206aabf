package ids

import "math/bits"

// A NodeSet is a set of nodes that is made anew for each of many short questions. It keeps its
// memory, which so is in the caches of all of them.
type NodeSet struct {
	table []Node // by hash, 0 where it is free: more than half is
	shift uint8
}

// leastTable is the entries of the smallest table.
const leastTable = 32

// Begin empties the set and makes room for so many nodes.
func (s *NodeSet) Begin(most int) {
	size := leastTable
	if most > leastTable/2 {
		size = 1 << bits.Len(uint(2*most-1))
	}
	if cap(s.table) < size {
		s.table = make([]Node, size)
	} else {
		s.table = s.table[:size]
		clear(s.table)
	}
	s.shift = uint8(32 - bits.Len(uint(size-1)))
}

// Trim empties the set, and gives its memory back if that was for many.
func (s *NodeSet) Trim() {
	if s.table = s.table[:0]; cap(s.table) > leastTable {
		s.table = nil
	}
}

// Add adds a node. The set must have room for it.
func (s *NodeSet) Add(n Node) {
	i := s.at(n)
	for s.table[i] != 0 && s.table[i] != n {
		i = (i + 1) & (len(s.table) - 1)
	}
	s.table[i] = n
}

// Has reports whether a node is in the set, which was begun.
func (s *NodeSet) Has(n Node) bool {
	for i := s.at(n); s.table[i] != 0; i = (i + 1) & (len(s.table) - 1) {
		if s.table[i] == n {
			return true
		}
	}
	return false
}

// at is where a node belongs, if the place is free.
func (s *NodeSet) at(n Node) int {
	const odd = 0x9e3779b1 // 2³² by the golden ratio
	return int(uint32(n^n>>32) * odd >> s.shift)
}
