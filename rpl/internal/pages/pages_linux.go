package pages

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a huge page where pages are of 4 KiB; where it is another
// the system refuses what is not aligned, or asks for more than it need.
const hugePage = 2 << 20

// advise asks for huge pages where an array is, and for its neighbours on its first
// and last one. It is advice: an error changes nothing. Nothing has been written
// there yet, so that the pages that come are huge ones at once.
func advise(at unsafe.Pointer, bytes uintptr) {
	from := uintptr(at) &^ (hugePage - 1)
	to := (uintptr(at) + bytes + hugePage - 1) &^ (hugePage - 1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
