package afterwards

import (
	"slices"
	"testing"
)

// What is put off runs in order, behind what is in progress, and what it puts off itself behind it.
func TestOrder(t *testing.T) {
	var q Queue
	var ran []string
	say := func(s string) func() { return func() { ran = append(ran, s) } }
	q.Later(say("at once"))
	q.During(func() {
		q.Later(func() {
			q.Later(say("last"))
			say("first")()
		})
		q.During(func() { q.Later(say("second")) }) // what is in progress runs it
		say("inside")()
	})
	if want := []string{"at once", "inside", "first", "second", "last"}; !slices.Equal(ran, want) {
		t.Errorf("ran %q, not %q", ran, want)
	}
	if q.Inside() {
		t.Error("it is still inside")
	}
}

// A game that recovers from a panic is outside again, and what was put off is not lost.
func TestPanic(t *testing.T) {
	var q Queue
	ran := false
	func() {
		defer func() { recover() }()
		q.During(func() {
			q.Later(func() { ran = true })
			panic("a callback's")
		})
	}()
	if q.Inside() || ran {
		t.Errorf("inside %v, ran %v", q.Inside(), ran)
	}
	if q.During(func() {}); !ran {
		t.Error("what was put off is lost")
	}
}
