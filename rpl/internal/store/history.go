package store

import (
	"unsafe"

	"github.com/tendonengine/tendon/rpl/internal/pages"
	"github.com/tendonengine/tendon/rpl/internal/rowtype"
	"github.com/tendonengine/tendon/rpl/internal/wire"
)

// histories hold the older versions of the rows of one type: room for HistoryLen of
// them for each row that has ever departed from its prediction. A row that never does, as most of a
// world, takes none.
//
// They lie in blocks of some pages that are never moved, so a growing world copies none
// of them.
type histories struct {
	stride int // words of a version, padded so that it crosses as few cache lines as possible
	blocks []unsafe.Pointer
	used   uint32 // histories in use in the newest block
}

const (
	historyBits  = 10 // low bits of a history's number, its place in its block
	historyBlock = 1 << historyBits

	// NoHistory is the history of rows that have none yet. Nothing is written to it,
	// and reading ahead may read it.
	NoHistory = 0
)

func newHistories(stride int) histories {
	s := histories{stride: stride}
	s.take()
	return s
}

// take returns a new history. Each block is twice as large as the one before, up to a
// huge page and more, so a type of few rows needs little.
func (s *histories) take() (history uint32) {
	if n := len(s.blocks); n == 0 || s.used == s.in(n-1) {
		block := pages.Extend([]int32(nil), int(s.in(n))*wire.HistoryLen*s.stride)
		s.blocks, s.used = append(s.blocks, unsafe.Pointer(unsafe.SliceData(block))), 0
	}
	history = uint32(len(s.blocks)-1)<<historyBits | s.used
	s.used++
	return history
}

// in is the number of histories in the n-th block.
func (s *histories) in(n int) uint32 { return 1 << min(n, historyBits) }

// at is the address of a version in a history.
func (s *histories) at(history, ver uint32) unsafe.Pointer {
	version := int(history%historyBlock)*wire.HistoryLen + int(ver%wire.HistoryLen)
	return unsafe.Add(s.blocks[history>>historyBits], version*s.stride*rowtype.WordSize)
}
