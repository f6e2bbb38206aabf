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

// Line is a line of chat.
type Line struct {
	Name string   `rpl:"max=16"`
	Text string   `rpl:"max=80"`
	Tick rpl.Tick `rpl:"-"` // when it was heard here
}

// Chat belongs to no entity. Any client may call Say on the session itself, and the
// authority tells everyone by Said.
var (
	Say  = tendon.NewRPC[Words](Protocol, "say", rpl.ToServer, rpl.Reliable).FromAnyone()
	Said = tendon.NewRPC[Line](Protocol, "said", rpl.Broadcast, rpl.Reliable)
)

// Words is a line of chat before the authority has added the speaker's name.
type Words struct {
	Text string `rpl:"max=80"`
}

// ErrNotHere is the error that Talk wraps while this machine has no player.
var ErrNotHere = errors.New("not in the session yet")

// Talk says something to everyone, from any machine with a player. Text that is too long
// is cut. An error means that nobody will hear it; a client that has just joined can say
// it again once the session has arrived here.
func Talk(r *tendon.Replication, text string) error {
	if text = speakable(text); text == "" {
		return nil
	}
	if r.Me() == 0 {
		return fmt.Errorf("island: %q is not said: %w", text, ErrNotHere)
	}
	return Say.Send(r.Session(), Words{text})
}

// speakable removes unprintable characters from a line and cuts it to MaxText.
func speakable(text string) string {
	text = printable(text)
	for len(text) > MaxText {
		_, last := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-last]
	}
	return strings.TrimSpace(text)
}

// printable removes what cannot be printed, and space at both ends.
func printable(text string) string {
	return strings.TrimSpace(strings.Map(func(c rune) rune {
		if unicode.IsPrint(c) {
			return c
		}
		return -1
	}, strings.ToValidUTF8(text, "")))
}

// say runs on the authority, which knows the caller's name. It cleans again what the
// client has sent.
func (g *Game) say(c tendon.Call, words Words) {
	*g.called++
	text := speakable(words.Text)
	if text == "" {
		return
	}
	name := g.Name(c.From)
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

// Heard returns the newest lines of the last seconds, the oldest first.
func (g *Game) Heard() []Line {
	for len(g.heard) > 0 && g.rep.Tick() > g.heard[0].Tick+heardFor {
		g.heard = g.heard[1:]
	}
	return g.heard
}
