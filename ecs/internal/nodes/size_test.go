package nodes

import (
	"testing"
	"unsafe"
)

// TestNodeSize keeps a node within its size class: a world has a hundred thousand, each of which
// may take 1 KiB beside its props. What few nodes have stands behind a pointer.
func TestNodeSize(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("the size is of 64-bit machines")
	}
	if n := unsafe.Sizeof(Node{}); n > 208 {
		t.Errorf("a Node is %d bytes, not 208 at most", n)
	}
}
