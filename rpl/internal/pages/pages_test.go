package pages

import (
	"slices"
	"testing"
)

// What is appended one by one, and in runs, past what is long, is all there, and
// what nobody has written is zero.
func TestGrownArraysKeepWhatTheyHold(t *testing.T) {
	var s, want []uint64
	grown := 0
	for len(s)*8 < 3*Long {
		had := cap(s)
		s = Append(s, uint64(len(s))+1)
		want = append(want, uint64(len(want))+1)
		s = Extend(s, 99)
		want = append(want, make([]uint64, 99)...)
		if cap(s) != had {
			grown++
		}
	}
	if !slices.Equal(s, want) {
		t.Error("what was appended is not what is there")
	}
	if grown > 40 {
		t.Errorf("it was copied %d times", grown)
	}
	if again := Grow(s, cap(s)-len(s)); &again[0] != &s[0] {
		t.Error("it was copied though there was room")
	}
}

// Arrays may hold pointers.
func TestLongArraysOfPointers(t *testing.T) {
	var s []*int
	for i := range Long / 4 {
		s = Append(s, &i)
	}
	for i, p := range s {
		if *p != i {
			t.Fatalf("element %d points to %d", i, *p)
		}
	}
}
