package store

import (
	"testing"
	"unsafe"
)

// Rows and nodes, which are accessed one by one at random, are as few cache lines long as
// planned.
func TestRowsAndNodesTakeWholeLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	if n := unsafe.Sizeof(Row{}); n != 64 {
		t.Errorf("a row takes %d bytes, not 64", n)
	}
	if n := unsafe.Sizeof(Node{}); n != 128 {
		t.Errorf("a node takes %d bytes, not 128", n)
	}
	if n := unsafe.Offsetof(Node{}.Parent); n != 64 {
		t.Errorf("what most ticks read of a node takes %d bytes, not 64", n)
	}
}
