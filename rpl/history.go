package rpl

import (
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/pages"
)

// histories are the older versions of the rows of one type: historyLen of each row that
// has left its course once. What stands from its first tick to its last, as most of a
// world does, takes none.
//
// They lie in blocks of some pages that stay where they are: a world that grows copies
// nothing of them.
type histories struct {
	stride int // words of a version, so that it crosses no line of a cache
	blocks []unsafe.Pointer
	used   uint32 // of the newest block's
}

const (
	historyBits  = 10 // of a history's number, those that tell where in its block it is
	historyBlock = 1 << historyBits

	// noHistory is that of rows that have none yet: nothing is written there, and what
	// is read ahead may be read.
	noHistory = 0
)

func newHistories(stride int) histories {
	s := histories{stride: stride}
	s.take()
	return s
}

// take is a new history. Each block is twice as large as the one before, up to a huge
// page and more: a type of few rows needs little.
func (s *histories) take() (history uint32) {
	if n := len(s.blocks); n == 0 || s.used == s.in(n-1) {
		block := pages.Extend([]int32(nil), int(s.in(n))*historyLen*s.stride)
		s.blocks, s.used = append(s.blocks, unsafe.Pointer(unsafe.SliceData(block))), 0
	}
	history = uint32(len(s.blocks)-1)<<historyBits | s.used
	s.used++
	return history
}

// in is how many histories the n-th block holds.
func (s *histories) in(n int) uint32 { return 1 << min(n, historyBits) }

// at is where a version of a history is.
func (s *histories) at(history, ver uint32) unsafe.Pointer {
	version := int(history%historyBlock)*historyLen + int(ver%historyLen)
	return unsafe.Add(s.blocks[history>>historyBits], version*s.stride*wordSize)
}
