package link

import (
	"testing"
	"unsafe"
)

// What a send needs of an end is one line of a cache, as long as ends are whole
// lines and it stands first.
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
