package interest

import (
	"testing"
	"unsafe"
)

// For a peer that has nothing to be sent, Stream reads two cache lines. The runtime puts 8
// bytes before an object of this size.
func TestQuietViewersTakeTwoLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	const before, line = 8, 64
	var v Viewer
	lines := map[uintptr]bool{}
	for _, at := range []uintptr{
		unsafe.Offsetof(v.Silent), unsafe.Offsetof(v.rescan), unsafe.Offsetof(v.scanned),
		unsafe.Offsetof(v.Points), unsafe.Offsetof(v.point), unsafe.Offsetof(v.list),
	} {
		lines[(at+before)/line] = true
	}
	if len(lines) > 2 {
		t.Errorf("a quiet viewer takes %d lines, not 2", len(lines))
	}
	if n := unsafe.Sizeof(boundaryNode{}); n != 12 {
		t.Errorf("a node at the edge takes %d bytes, not 12", n)
	}
}
