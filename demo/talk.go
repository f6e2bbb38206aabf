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
	sent bool // the Enter that sent the line is still held: it is no shot
}

// update handles the keys of the chat line: T begins a line, Enter sends it, Escape
// drops it. Meanwhile no key belongs to a player, in any pane. It reports whether the chat
// line took this update's keys.
func (t *talk) update(seats []*seat) bool {
	t.sent = t.sent && ebiten.IsKeyPressed(ebiten.KeyEnter)
	took := t.keys(seats[0])
	for _, s := range seats {
		s.keyboard.Off = t.open || t.sent
	}
	return took
}

func (t *talk) keys(s *seat) (took bool) {
	if !t.open {
		if inpututil.IsKeyJustPressed(ebiten.KeyT) {
			t.open, t.line = true, nil
			s.typing(t.shown())
		}
		return t.open
	}
	switch {
	case inpututil.IsKeyJustPressed(ebiten.KeyEscape):
		t.open = false
	case inpututil.IsKeyJustPressed(ebiten.KeyEnter):
		// A line that cannot be sent now stays open, for another Enter.
		t.open = island.Talk(s.rep, string(t.line)) != nil
		t.sent = !t.open
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
	s.typing(t.shown())
	return true
}

// shown returns the line as the player sees it, "" while there is none.
func (t *talk) shown() string {
	if !t.open {
		return ""
	}
	return string(t.line) + "_"
}
