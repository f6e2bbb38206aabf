package main

import (
	"github.com/hajimehoshi/ebiten/v2"
	"github.com/hajimehoshi/ebiten/v2/inpututil"

	"github.com/tendonengine/tendon/demo/island"
)

// talk is the chat line that the player of the first pane is typing.
type talk struct {
	open bool
	line []rune
}

// update handles the keys of the chat line: T begins a line, Enter sends it, Escape
// drops it. It reports whether the chat line took this update's keys.
func (t *talk) update(s *seat) bool {
	if !t.open {
		if inpututil.IsKeyJustPressed(ebiten.KeyT) {
			t.open, t.line = true, nil
			s.typing(true, "")
		}
		return t.open
	}
	switch {
	case inpututil.IsKeyJustPressed(ebiten.KeyEscape):
		t.open = false
	case inpututil.IsKeyJustPressed(ebiten.KeyEnter):
		// A line that cannot be sent now stays open, for another Enter.
		t.open = island.Talk(s.rep, string(t.line)) != nil
	case inpututil.IsKeyJustPressed(ebiten.KeyBackspace):
		if len(t.line) > 0 {
			t.line = t.line[:len(t.line)-1]
		}
	default:
		t.line = ebiten.AppendInputChars(t.line)
		for len(string(t.line)) > island.MaxText {
			t.line = t.line[:len(t.line)-1]
		}
	}
	s.typing(t.open, string(t.line))
	return true
}
