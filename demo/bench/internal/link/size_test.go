package link

import (
	"testing"
	"unsafe"
)

// The fields that a send needs lie in one cache line: they come first in End, and an
// End's size is a multiple of a line.
func TestEndsTakeFewLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	var e End
	if n := unsafe.Sizeof(e); n%64 != 0 {
		t.Errorf("an end takes %d bytes, no whole lines", n)
	}
	if n := unsafe.Offsetof(e.early) + unsafe.Sizeof(e.early); n > 64 {
		t.Errorf("what a send needs takes %d bytes", n)
	}
}
