package windowtest

// What a player does beside playing: shrinks the window, writes a line of chat, stops the
// program from the terminal.

import (
	"os"
	"os/exec"
	"os/signal"
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

// Ctrl-C, the system, or a terminal that closes ends the program as its keys and its cross
// do: the server is told that the player left, and does not keep the place of one who is
// lost. Where the tests themselves were started to outlive their terminal, so are the
// programs that they start.
func TestStoppedFromOutside(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	screen := display(t)
	k := newKeyboard(t, screen)
	send := func(s syscall.Signal) func(*os.Process) error {
		return func(p *os.Process) error { return p.Signal(s) }
	}
	for _, way := range []struct {
		name string
		end  func(*os.Process) error
	}{
		{"SIGINT", send(syscall.SIGINT)},
		{"SIGTERM", send(syscall.SIGTERM)},
		{"SIGHUP", send(syscall.SIGHUP)},
		{"the cross", func(*os.Process) error { k.close(); return nil }},
	} {
		if way.name == "SIGHUP" && signal.Ignored(syscall.SIGHUP) {
			continue
		}
		addr, server := serverSays(t)
		cmd := exec.Command(build(t, "./demo"), "-join", addr, "-name", "Ann", "-size", "320x200")
		cmd.Env = environ(screen)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		for said := ""; !strings.Contains(said, "Ann left") && !strings.Contains(said, "Ann is lost"); {
			line, err := server.ReadString('\n')
			if said += line; err != nil {
				t.Fatalf("%s: the server says %q, %v", way.name, said, err)
			}
			if strings.Contains(line, "Ann joined") {
				if err := way.end(cmd.Process); err != nil {
					t.Fatal(err)
				}
			}
			if strings.Contains(line, "is lost") {
				t.Errorf("%s: the server says %q", way.name, said)
			}
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: the program ends with %v", way.name, err)
		}
	}
}
