package island

import (
	"errors"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
)

// Line is what somebody has said.
type Line struct {
	Name string   `rpl:"max=16"`
	Text string   `rpl:"max=80"`
	Tick rpl.Tick `rpl:"-"` // when it was heard here
}

// Chat belongs to no entity: it is called on the session itself, which any
// client may do, and the authority tells everyone.
var (
	Say  = tendon.NewRPC[Words](Protocol, "say", rpl.ToServer, rpl.Reliable).FromAnyone()
	Said = tendon.NewRPC[Line](Protocol, "said", rpl.Broadcast, rpl.Reliable)
)

// Words are a line before the authority has said whose it is.
type Words struct {
	Text string `rpl:"max=80"`
}

// ErrNotHere is what Talk wraps while this machine has no player.
var ErrNotHere = errors.New("not in the session yet")

// Talk says something to everyone, from any machine with a player. What is too
// long is cut. An error means that nobody will hear it: a client that has just
// joined says it again when the session has arrived here.
func Talk(r *tendon.Replication, text string) error {
	if text = speakable(text); text == "" {
		return nil
	}
	if r.Me() == 0 {
		return fmt.Errorf("island: %q is not said: %w", text, ErrNotHere)
	}
	return Say.Send(r.Session(), Words{text})
}

// speakable is a line without what cannot be shown, cut to what fits.
func speakable(text string) string {
	text = strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return -1
	}, strings.ToValidUTF8(text, ""))
	for len(text) > MaxText {
		_, last := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-last]
	}
	return strings.TrimSpace(text)
}

// say runs on the authority, which knows the caller's name; what a client sent
// is cleaned again.
func (g *Game) say(c tendon.Call, words Words) {
	*g.called++
	text := speakable(words.Text)
	if text == "" {
		return
	}
	name := g.name(c.From)
	if g.Tell != nil {
		g.Tell(name + " says: " + text)
	}
	// A line that does not fit the lane now is lost: it is only talk.
	_ = Said.Send(g.rep.Session(), Line{Name: name, Text: text})
}

// said runs wherever there is a player.
func (g *Game) said(_ tendon.Call, line Line) {
	line.Tick = g.rep.Tick()
	if g.heard = append(g.heard, line); len(g.heard) > maxHeard {
		g.heard = g.heard[1:]
	}
}

// Heard are the newest lines, the oldest first; those of the last seconds.
func (g *Game) Heard() []Line {
	for len(g.heard) > 0 && g.rep.Tick() > g.heard[0].Tick+heardFor {
		g.heard = g.heard[1:]
	}
	return g.heard
}
