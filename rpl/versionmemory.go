package rpl

// versionMemory is what the versions of a proxy's rows are cut from: rows come
// and go all the time, and an allocation each would be one too many. Places are
// numbers, not pointers: a row is half as long, and the garbage collector has
// nothing to follow.
type versionMemory struct {
	blocks [][]int32
	used   int              // words of the newest block
	free   map[int][]uint32 // places to use again, by length
}

const (
	versionBits  = 16
	versionBlock = 1 << versionBits // words of a block; a longer piece has one of its own
)

// take is a piece of n words.
func (m *versionMemory) take(n int) (at uint32) {
	if l := m.free[n]; len(l) > 0 {
		m.free[n] = l[:len(l)-1]
		return l[len(l)-1]
	}
	if last := len(m.blocks) - 1; last < 0 || m.used+n > len(m.blocks[last]) {
		m.blocks, m.used = append(m.blocks, make([]int32, max(n, versionBlock))), 0
	}
	at = uint32(len(m.blocks)-1)<<versionBits | uint32(m.used)
	m.used += n
	return at
}

// give takes a piece back.
func (m *versionMemory) give(at uint32, n int) {
	if m.free == nil {
		m.free = make(map[int][]uint32)
	}
	m.free[n] = append(m.free[n], at)
}

// slice is n words of the piece at a place, from word `from` of it on.
func (m *versionMemory) slice(at uint32, from, n int) []int32 {
	from += int(at % versionBlock)
	return m.blocks[at/versionBlock][from : from+n : from+n]
}
