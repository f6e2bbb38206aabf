package rpl

import (
	"testing"
	"unsafe"
)

// What is looked up one by one, at random, takes one line of a cache.
func TestHotRecordsTakeOneLine(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	if n := unsafe.Sizeof(row{}); n != 64 {
		t.Errorf("a row takes %d bytes, not 64", n)
	}
	if n := unsafe.Sizeof(replicaRow{}); n != 64 {
		t.Errorf("a row of a proxy takes %d bytes, not 64", n)
	}
	if n := unsafe.Sizeof(node{}); n%64 != 0 {
		t.Errorf("a node takes %d bytes, no whole lines", n)
	}
	if n := unsafe.Offsetof(node{}.parent); n != 64 {
		t.Errorf("what most ticks read of a node takes %d bytes, not 64", n)
	}
	if n := unsafe.Sizeof(entry{}); n != 64 {
		t.Errorf("an entry takes %d bytes, not 64", n)
	}
}
