package proxy

import (
	"testing"
	"unsafe"
)

// Rows and replicas, which are accessed one by one at random, are as few cache lines long as
// planned.
func TestReplicasTakeWholeLines(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) < 8 {
		t.Skip("pointers are smaller here")
	}
	if n := unsafe.Sizeof(ReplicaRow{}); n != 64 {
		t.Errorf("a row of a proxy takes %d bytes, not 64", n)
	}
	if n := unsafe.Sizeof(Replica{}); n != 192 {
		t.Errorf("a replica takes %d bytes, not three lines: what is asked for in every frame lies across two", n)
	}
}
