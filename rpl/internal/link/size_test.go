package link

import (
	"testing"
	"unsafe"
)

// Records of packets are as few cache lines long as planned.
func TestRecordsTakeTwoLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	if n := unsafe.Sizeof(Record{}); n != 128 {
		t.Errorf("a record takes %d bytes, not 128", n)
	}
}
