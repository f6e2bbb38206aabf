package windowtest

// What a player does beside playing: shrinks the window, writes a line of chat, stops the
// program from the terminal.

import (
	"os/exec"
	"strings"
	"syscall"
	"testing"

	"github.com/tendonengine/tendon/demo/shot"
)

// A window of a few pixels, in which panes are lines or less, draws on, also the circles,
// for which a pane shows the more of the island the smaller it is.
func TestTinyWindow(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	p := play(t)
	p.until("both sessions play", playing)
	for _, key := range []key{keyF1, keyF2} {
		for _, size := range [][2]uint32{{1, 1}, {300, 1}, {1, 300}, {640, 360}} {
			p.resize(size[0], size[1])
			p.until("it is drawn in that size", func(a shot.Account) bool {
				return a.Width == max(2, int(size[0])) && a.Height == int(size[1])
			})
		}
		p.tap(key)
	}
	p.tap(keyEscape)
	p.endsWell()
}

// The keys of a line of chat play nobody, in neither pane: both bots play on, also after
// the Enter that sends the line, which is the right player's trigger too.
func TestChatPlaysNobody(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	p := play(t)
	p.until("both sessions play", playing)
	for _, typed := range []struct {
		key  key
		line string
	}{{keyT, "_"}, {keyH, "h_"}, {keyH, "hh_"}} {
		p.tap(typed.key)
		p.until("the line is "+typed.line, func(a shot.Account) bool { return a.Line == typed.line })
	}
	p.press(keyEnter)
	a := p.until("the line is sent", func(a shot.Account) bool { return a.Line == "" })
	for _, pane := range append(a.Panes, p.look().Panes...) {
		if pane.Driver != shot.Bot {
			t.Errorf("%s is driven by the %s", pane.Name, pane.Driver)
		}
	}
	p.release(keyEnter)
	p.takes(1, arrowRight) // the keys play again
	p.tap(keyEscape)
	p.endsWell()
}

// Ctrl-C, or the system, ends the program as closing its window does: the server is told
// that the player left, and does not keep the place of one who is lost.
func TestStoppedFromOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	screen := display(t)
	for _, signal := range []syscall.Signal{syscall.SIGINT, syscall.SIGTERM} {
		addr, server := serverSays(t)
		cmd := exec.Command(build(t, "./demo"), "-join", addr, "-name", "Ann", "-size", "320x200")
		cmd.Env = environ(screen)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for said := ""; !strings.Contains(said, "Ann left") && !strings.Contains(said, "Ann is lost"); {
			line, err := server.ReadString('\n')
			if said += line; err != nil {
				t.Fatalf("%v: the server says %q, %v", signal, said, err)
			}
			if strings.Contains(line, "Ann joined") {
				if err := cmd.Process.Signal(signal); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(line, "is lost") {
				t.Errorf("%v: the server says %q", signal, said)
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%v: the program ends with %v", signal, err)
		}
	}
}
