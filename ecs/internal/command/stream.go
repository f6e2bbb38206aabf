package command

import (
	"bytes"
	"reflect"
	"slices"
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

// any reports whether a command has a press.
func (es Edges) any(command unsafe.Pointer) bool {
	for _, at := range es {
		if *edge(command, at) {
			return true
		}
	}
	return false
}

func edge(command unsafe.Pointer, at uintptr) *bool { return (*bool)(unsafe.Add(command, at)) }

// MaxPresses is how many presses wait for a tick of their own: more than fingers press
// while a line is down.
const MaxPresses = 16

// A Stream is one node's commands.
type Stream[A any] struct {
	Queue[A]
	Owner rpl.Peer // whose they are: those of a former owner count no more …
	Since uint32   // … nor do, on the authority, those of ticks before it was the owner's

	pressed []Entry[A] // whose edges wait for a tick
	raw     [][]byte   // on the owner: its commands as they travel, as many as the queue keeps
}

// NewStream returns the stream of an owner of a session of so many steps a second: on that owner's own machine
// (own), or on the server.
func NewStream[A any](owner rpl.Peer, since uint32, steps int, own bool) *Stream[A] {
	kept := Kept(steps)
	if own {
		kept = OwnerKeeps(kept)
	}
	return &Stream[A]{Queue: NewQueue[A](kept), Owner: owner, Since: since}
}

// Unmoved is the verdict on a command of a node that the rule does not move. If it has moved it before (s is
// not nil), an honest client's was on its way when the component was removed, for however long the line takes.
func (s *Stream[A]) Unmoved() Verdict {
	if s == nil {
		return Refused
	}
	return Former
}

// Press has the edges of a command wait for the next tick that runs without them. It reports
// false if it has any and they are lost, because too many wait.
func (s *Stream[A]) Press(edges Edges, e Entry[A]) bool {
	if !edges.any(unsafe.Pointer(&e.Value)) {
		return true
	}
	if len(s.pressed) == MaxPresses {
		return false
	}
	at := len(s.pressed)
	for at > 0 && s.pressed[at-1].Tick > e.Tick { // messages tell of the newest first
		at--
	}
	s.pressed = slices.Insert(s.pressed, at, e)
	return true
}

// AddPressed gives a tick the command whose edges wait, unless it has edges itself. It is the
// whole command, so that a shot goes where it was aimed, at what was drawn then.
func (s *Stream[A]) AddPressed(edges Edges, e *Entry[A]) {
	if len(s.pressed) == 0 || edges.any(unsafe.Pointer(&e.Value)) {
		return
	}
	late := s.pressed[0]
	if e.Value = late.Value; late.Tick != 0 {
		e.Pressed, e.Drawn = late.Tick, late.Drawn
	}
	s.pressed = slices.Delete(s.pressed, 0, 1)
}

// Enqueue is AddPressed on the owner, where presses keep their order: those of e wait behind the
// others. But a press that comes again while it waits is made at once, and that which waits later: else
// one that comes in every tick would be late for good. It reports false if too many wait, so that they
// are lost.
func (s *Stream[A]) Enqueue(edges Edges, e *Entry[A]) bool {
	if len(s.pressed) == 0 {
		return true
	}
	here, then := unsafe.Pointer(&e.Value), unsafe.Pointer(&s.pressed[0].Value)
	for _, at := range edges {
		if *edge(here, at) && *edge(then, at) {
			return true
		}
	}
	behind := Entry[A]{Value: e.Value}
	edges.Clear(here)
	s.AddPressed(edges, e) // makes room
	return s.Press(edges, behind)
}

// Keep keeps a command of the owner, and what is sent of it.
func (s *Stream[A]) Keep(c *Codec[A], e Entry[A]) {
	s.Set(e)
	at := s.sent(e.Tick)
	if v, err := c.Append((*at)[:0], e.Value); err == nil { // it has been rounded, so it can
		*at = v
	}
}

// Again keeps the command of a tick that has no step of its own: that of the tick before, without
// its presses. It is sent only if it can still come in time; else the server has taken the same.
func (s *Stream[A]) Again(c *Codec[A], edges Edges, tick uint32, d Drawn, inTime bool) {
	e, ok := s.At(tick - 1)
	if !ok {
		return
	}
	next := *e
	next.Tick, next.Drawn = tick, d
	edges.Clear(unsafe.Pointer(&next.Value))
	if s.Keep(c, next); !inTime {
		*s.sent(tick) = (*s.sent(tick))[:0]
	}
}

// sent returns where the command of a tick is kept as it travels.
func (s *Stream[A]) sent(tick uint32) *[]byte {
	if s.raw == nil {
		s.raw = make([][]byte, len(s.ring))
	}
	return &s.raw[tick&uint32(len(s.raw)-1)]
}

// IsPress reports whether a has a press that is tagged so, or is another command than those of a tick and of the
// one before it, which are the same: that is a key, and no mouse that is moved on and on.
func (s *Stream[A]) IsPress(c *Codec[A], edges Edges, tick uint32, a A) bool {
	switch {
	case edges.any(unsafe.Pointer(&a)):
		return true
	case !s.rests(tick):
		return false
	}
	v, err := c.Append(c.bytes[:0], a)
	c.bytes = v
	return err == nil && !bytes.Equal(*s.sent(tick), v)
}

// rests reports whether the command of a tick is the same as that of the one before it.
func (s *Stream[A]) rests(tick uint32) bool {
	last := *s.sent(tick)
	return len(last) > 0 && bytes.Equal(last, *s.sent(tick - 1))
}

// Write appends the commands of the ticks up to newest to a message, whose Stream has been
// called.
func (s *Stream[A]) Write(w *Writer, edges Edges, newest uint32, ticks int) {
	if e, ok := s.At(newest); ok && (edges.any(unsafe.Pointer(&e.Value)) || !s.rests(newest) && s.rests(newest-1)) {
		w.Pressed = true
	}
	var before []byte
	known := false
	for i := range uint32(ticks) {
		e, ok := s.At(newest - i)
		if !ok || len(*s.sent(e.Tick)) == 0 { // a command that is not sent
			w.Value(nil, false, false)
			known = false
			continue
		}
		v := *s.sent(e.Tick)
		same := known && string(v) == string(before)
		w.Value(v, true, same)
		before, known = v, true
	}
}
