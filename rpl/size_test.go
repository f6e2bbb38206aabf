package rpl

import (
	"testing"
	"unsafe"
)

// What is looked up one by one, at random, takes one line of a cache.
func TestHotRecordsTakeOneLine(t *testing.T) {
	if n := unsafe.Sizeof(row{}); unsafe.Sizeof(uintptr(0)) == 8 && n != 64 {
		t.Errorf("a row takes %d bytes, not 64", n)
	}
}
