package lane

import (
	"testing"
	"unsafe"
)

// What an idle lane looks at is one line of a cache, as long as lanes are whole
// lines and it stands first.
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
