package lane

import (
	"testing"
	"unsafe"
)

// The fields that an idle lane needs fit in one cache line: they come first, and the
// size of a Lane is a multiple of a cache line.
func TestIdleLanesTakeOneLine(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	var l Lane
	if n := unsafe.Sizeof(l); n%64 != 0 {
		t.Errorf("a lane takes %d bytes, no whole lines", n)
	}
	if n := unsafe.Offsetof(l.pending) + unsafe.Sizeof(l.pending); n > 64 {
		t.Errorf("what an idle lane looks at takes %d bytes", n)
	}
}
