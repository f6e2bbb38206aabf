package pages

import (
	"syscall"
	"unsafe"
)

// hugePage is the size of a huge page on systems with pages of 4 KiB. On others the
// system refuses an address that is not aligned, or more is asked for than needed.
const hugePage = 2 << 20

// advise asks for huge pages for the memory of an array, and so for whatever else is on
// its first and last huge page. It is advice: an error changes nothing. Call it before
// anything is written to the array, so that the first pages it gets are huge ones.
func advise(at unsafe.Pointer, bytes uintptr) {
	from := uintptr(at) &^ (hugePage - 1)
	to := (uintptr(at) + bytes + hugePage - 1) &^ (hugePage - 1)
	_, _, _ = syscall.Syscall(syscall.SYS_MADVISE, from, to-from, syscall.MADV_HUGEPAGE)
}
