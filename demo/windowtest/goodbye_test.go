package windowtest

// What the others hear of a player whose window closes.

import (
	"bufio"
	"bytes"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/yohamta/donburi"

	tendon "github.com/tendonengine/tendon/ecs"
	"github.com/tendonengine/tendon/rpl"
	"github.com/tendonengine/tendon/transport/kcp"
)

// However a window ends, the others have heard that the player left while it still stands
// on the screen. What Ebitengine and the drivers do when they take it down may end the
// program, as a signal that cannot be caught does here; then nothing could be said any more.
func TestGoodbyeBeforeTheWindowGoes(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens windows")
	}
	for _, c := range []struct {
		name string
		args []string
		says string
		quit func(*keyboard, *bufio.Reader)
	}{
		{"closed", nil, "the window was closed", func(k *keyboard, _ *bufio.Reader) { k.close() }},
		{"Escape", nil, "the window was closed", func(k *keyboard, _ *bufio.Reader) { k.tap(keyEscape) }},
		{"by an error", []string{"-fails"}, "the game has failed", func(k *keyboard, _ *bufio.Reader) { k.tap(keyEscape) }},
		{"closed, in a game that asks first", []string{"-asks"}, "the window was closed", func(k *keyboard, says *bufio.Reader) {
			for range 2 {
				k.close()
				k.hears(says, "asked")
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHost(t)
			screen := display(t)
			k := newKeyboard(t, screen)
			cmd := exec.Command(build(t, "./demo/windowtest/quitter"), append(c.args, h.addr)...)
			cmd.Env = environ(screen)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if _, err := cmd.StdinPipe(); err != nil { // stays open until the program is killed
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			kill := func() {
				_ = cmd.Process.Kill()
				_ = cmd.Wait()
			}
			t.Cleanup(func() {
				if kill(); t.Failed() {
					t.Logf("the program says\n%s", stderr.String())
				}
			})

			h.until("the player joins", func() bool { return h.joined })
			k.focus()
			says := bufio.NewReader(out)
			c.quit(k, says)
			k.hears(says, "ended: tendon: closed by this machine: "+c.says)
			if len(k.windows()) == 0 {
				t.Error("the window has gone before the session ended")
			}
			kill()
			h.until("the player leaves", func() bool { return h.left || h.lost })
			if h.lost {
				t.Error("the player is lost: the server has heard no goodbye")
			}
		})
	}
}

// A host is a session over UDP that a quitter joins.
type host struct {
	*testing.T
	rep                *tendon.Replication
	addr               string
	joined, lost, left bool
}

func newHost(t *testing.T) *host {
	t.Helper()
	rep, err := tendon.New(donburi.NewWorld(), tendon.NewProtocol("quitter"), tendon.Config{Dedicated: true})
	if err != nil {
		t.Fatal(err)
	}
	l, err := kcp.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	h := &host{T: t, rep: rep, addr: l.Addr()}
	rep.OnJoin(func(rpl.Peer) { h.joined = true })
	rep.OnLost(func(rpl.Peer) { h.lost = true })
	rep.OnLeave(func(rpl.Peer) { h.left = true })
	rep.Host(l)
	t.Cleanup(func() { rep.Close("the test is over") })
	return h
}

// until takes steps until so is true.
func (h *host) until(what string, so func() bool) {
	h.Helper()
	for begin := time.Now(); !so(); time.Sleep(time.Second / time.Duration(h.rep.Steps())) {
		if time.Since(begin) > patience {
			h.Fatalf("never happened: %s", what)
		}
		h.rep.Receive()
		h.rep.Send()
	}
}

// close asks the window to close, as a window manager does for its cross and for Alt-F4.
func (k *keyboard) close() {
	k.Helper()
	protocols, deleteWindow := k.atom("WM_PROTOCOLS"), k.atom("WM_DELETE_WINDOW")
	k.window(func(w xproto.Window) bool {
		ask := xproto.ClientMessageEvent{
			Format: 32, Window: w, Type: protocols,
			Data: xproto.ClientMessageDataUnionData32New([]uint32{uint32(deleteWindow), xproto.TimeCurrentTime, 0, 0, 0}),
		}
		return xproto.SendEventChecked(k.conn, false, w, xproto.EventMaskNoEvent, string(ask.Bytes())).Check() == nil
	})
}

func (k *keyboard) atom(name string) xproto.Atom {
	k.Helper()
	a, err := xproto.InternAtom(k.conn, false, uint16(len(name)), name).Reply()
	if err != nil {
		k.Fatal(err)
	}
	return a.Atom
}

// hears reads the next line of a program, which must begin with text.
func (k *keyboard) hears(says *bufio.Reader, text string) {
	k.Helper()
	if line, err := says.ReadString('\n'); err != nil || !strings.HasPrefix(line, text) {
		k.Fatalf("the program says %q (%v), want %q", line, err, text)
	}
}
