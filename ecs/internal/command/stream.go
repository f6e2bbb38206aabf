package command

import (
	"bytes"
	"reflect"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// Edges says where in a command the bools tagged `edge` are, by their offsets.
type Edges []uintptr

// EdgesOf returns the edges of a command's type, in structs and arrays, too.
func EdgesOf(t reflect.Type) Edges { return edgesOf(t, "", 0, nil) }

func edgesOf(t reflect.Type, tag string, at uintptr, to Edges) Edges {
	switch t.Kind() {
	case reflect.Bool:
		if tag == "edge" {
			to = append(to, at)
		}
	case reflect.Array:
		for i := range t.Len() {
			to = edgesOf(t.Elem(), tag, at+uintptr(i)*t.Elem().Size(), to)
		}
	case reflect.Struct:
		for i := range t.NumField() {
			if f := t.Field(i); f.Tag.Get("rpl") != "-" {
				to = edgesOf(f.Type, f.Tag.Get("rpl"), at+f.Offset, to)
			}
		}
	}
	return to
}

// Clear releases all presses of a command.
func (es Edges) Clear(command unsafe.Pointer) {
	for _, at := range es {
		*edge(command, at) = false
	}
}

func edge(command unsafe.Pointer, at uintptr) *bool { return (*bool)(unsafe.Add(command, at)) }

// MaxPresses is how many presses wait for a tick of their own: more than fingers press
// while a line is down.
const MaxPresses = 16

// sentTicks is more than a message tells of.
const sentTicks = 2 * MaxTicks

// A Stream is one node's commands.
type Stream[A any] struct {
	Queue[A]
	Owner rpl.Peer // whose they are: those of a former owner count no more …
	Since uint32   // … nor do, on the authority, those of ticks before it was the owner's

	pressed []Entry[A]        // whose edges wait for a tick
	raw     [sentTicks][]byte // on the owner: the newest commands as they travel
}

// Press has the edges of a command wait for the next tick that runs without them. It reports
// false if it has any and they are lost, because too many wait.
func (s *Stream[A]) Press(edges Edges, e Entry[A]) bool {
	for _, at := range edges {
		if !*edge(unsafe.Pointer(&e.Value), at) {
			continue
		}
		if len(s.pressed) == MaxPresses {
			return false
		}
		s.pressed = append(s.pressed, e)
		return true
	}
	return true
}

// AddPressed gives a tick the command whose edges wait, unless it has one of them itself. It
// is the whole command, so that a shot goes where it was aimed, at what was drawn then.
func (s *Stream[A]) AddPressed(edges Edges, e *Entry[A]) {
	if len(s.pressed) == 0 {
		return
	}
	late := s.pressed[0]
	here, then := unsafe.Pointer(&e.Value), unsafe.Pointer(&late.Value)
	for _, at := range edges {
		if *edge(here, at) && *edge(then, at) {
			return
		}
	}
	for _, at := range edges {
		if *edge(here, at) {
			*edge(then, at) = true
		}
	}
	e.Value = late.Value
	if late.Tick != 0 {
		e.Pressed, e.Drawn = late.Tick, late.Drawn
	}
	s.pressed = append(s.pressed[:0], s.pressed[1:]...)
}

// Raw returns where the command of a tick is kept as it travels, for Write.
func (s *Stream[A]) Raw(tick uint32) *[]byte { return &s.raw[tick%sentTicks] }

// IsPress reports whether v, as it travels, is another command than those of a tick and of the one
// before it, which are the same: that is a key, and no mouse that is moved on and on.
func (s *Stream[A]) IsPress(tick uint32, v []byte) bool {
	last := *s.Raw(tick)
	return len(last) > 0 && bytes.Equal(last, *s.Raw(tick - 1)) && !bytes.Equal(last, v)
}

// Write appends the commands of the ticks up to newest to a message, whose Stream has been
// called.
func (s *Stream[A]) Write(w *Writer, newest uint32, ticks int) {
	var before []byte
	known := false
	for i := range uint32(ticks) {
		e, ok := s.At(newest - i)
		if !ok || len(*s.Raw(e.Tick)) == 0 { // a command that is not sent
			w.Value(nil, false, false)
			known = false
			continue
		}
		v := *s.Raw(e.Tick)
		same := known && string(v) == string(before)
		w.Value(v, true, same)
		before, known = v, true
		w.Changed = w.Changed || i == 1 && !same
	}
}
