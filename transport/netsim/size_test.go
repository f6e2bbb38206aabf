package netsim

import (
	"testing"
	"unsafe"
)

// The fields of a Path that each packet needs fit in two cache lines: they come first,
// and the size of a Path is a multiple of a cache line.
func TestPathsTakeFewLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	var p Path
	if n := unsafe.Sizeof(p); n%64 != 0 {
		t.Errorf("a path takes %d bytes, no whole lines", n)
	}
	if n := unsafe.Offsetof(p.delivered) + unsafe.Sizeof(p.delivered); n > 64 {
		t.Errorf("what Receive needs takes %d bytes", n)
	}
	if n := unsafe.Offsetof(p.bad) + unsafe.Sizeof(p.bad); n > 128 {
		t.Errorf("what Send needs takes %d bytes", n)
	}
}
