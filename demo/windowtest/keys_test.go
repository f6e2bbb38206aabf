package windowtest

// The demo's keys, pressed while it runs.

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"github.com/tendonengine/tendon/demo/shot"
)

// A player is a running demo and the keyboard that drives it.
type player struct {
	*keyboard
	cmd     *exec.Cmd
	stderr  bytes.Buffer
	picture string
	ended   chan error
}

// play starts ./demo with two panes, both driven by bots.
func play(t *testing.T) *player {
	t.Helper()
	screen := display(t)
	p := &player{keyboard: newKeyboard(t, screen), picture: filepath.Join(t.TempDir(), "now.png"), ended: make(chan error, 1)}
	p.cmd = exec.Command(build(t, "./demo"), "-shot", p.picture, "-seconds", "3600", "-size", "640x360", "-seed", "1")
	p.cmd.Env = environ(screen)
	p.cmd.Stderr = &p.stderr
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { p.ended <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	p.focus()
	return p
}

// look presses F12 and returns the account that the program then writes. The account
// may be a moment old, if an earlier look had to press F12 twice.
func (p *player) look() shot.Account {
	p.Helper()
	path := shot.AccountPath(p.picture)
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		p.Fatal(err)
	}
	for begin := time.Now(); time.Since(begin) < patience; {
		p.tap(keyF12)
		for range 50 { // then F12 is pressed again: the window may not have taken keys yet
			select {
			case err := <-p.ended:
				p.Fatalf("the program has ended: %v\n%s", err, p.stderr.String())
			case <-time.After(20 * time.Millisecond):
			}
			if _, err := os.Stat(path); err == nil {
				a, err := shot.Read(path)
				if err != nil {
					p.Fatal(err)
				}
				return a
			}
		}
	}
	p.Fatalf("F12 writes nothing\n%s", p.stderr.String())
	return shot.Account{}
}

// until calls look until so accepts the account, which it returns.
func (p *player) until(what string, so func(shot.Account) bool) shot.Account {
	p.Helper()
	var a shot.Account
	for begin := time.Now(); time.Since(begin) < patience; {
		if a = p.look(); so(a) {
			return a
		}
	}
	p.Fatalf("never happened: %s; between the panes %+v, circles %v, figures %v, the panes %+v and %+v", what, a.Between, a.Circles, a.Figures, a.Panes[0].Net, a.Panes[1].Net)
	return a
}

// Keys change the simulated network between the panes while both play, and the round
// trip and loss that the sessions measure follow.
func TestKeysTurnTheNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	p := play(t)
	first := p.until("both sessions play", playing)
	if b := first.Between; b == nil || b.RTT != 80 || !about(b.Loss, 0.02) {
		t.Fatalf("between the panes is %+v, want 80 ms and 2 %% at first", b)
	}
	for _, c := range []struct {
		key       key
		rtt, loss float64
	}{
		{keyClose, 100, 0.02},
		{keyOpen, 80, 0.02},
		{keyOpen, 60, 0.02},
		{keyEqual, 60, 0.03},
		{keyMinus, 60, 0.02},
		{keyMinus, 60, 0.01},
		{keyMinus, 60, 0},
		{keyMinus, 60, 0}, // loss stays at 0
		{keyEqual, 60, 0.01},
	} {
		p.tap(c.key)
		p.until(fmt.Sprintf("%q makes it %.0f ms and loss %.2f", rune(c.key), c.rtt, c.loss), func(a shot.Account) bool {
			return a.Between.RTT == c.rtt && about(a.Between.Loss, c.loss)
		})
	}
	p.until("it is a second's way", func(a shot.Account) bool {
		p.often(keyClose)
		return a.Between.RTT == 1000
	})
	p.until("the client measures it", func(a shot.Account) bool { return a.Panes[1].Net[0].RTT >= 950 })
	p.until("three in ten are lost", func(a shot.Account) bool {
		p.often(keyEqual)
		return a.Between.Loss >= 0.3
	})
	p.until("the server measures the loss", func(a shot.Account) bool { return a.Panes[0].Net[0].Loss > 0.1 })
	p.tap(keyEscape)
	p.endsWell()
}

// A key hands a pane from its bot to the player, and no other pane; the walker goes
// where the arrows say. F1 shows and hides the circles, F2 the figures, F3 the ghosts; F4 turns
// prediction off and on.
func TestKeysTakeOverAndShow(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and opens a window")
	}
	p := play(t)
	p.until("both sessions play", playing)
	a := p.takes(1, arrowRight)
	if d := a.Panes[0].Driver; d != shot.Bot {
		t.Errorf("the server's pane is driven by the %s, want its bot still", d)
	}
	p.walks(1, map[key][2]float64{arrowRight: {1, 0}, arrowLeft: {-1, 0}, arrowDown: {0, 1}, arrowUp: {0, -1}})
	p.takes(0, keyD)

	for _, c := range []struct {
		key              key
		circles, figures bool
	}{{keyF1, true, false}, {keyF2, true, true}, {keyF1, false, true}, {keyF2, false, false}} {
		p.tap(c.key)
		p.until(fmt.Sprintf("circles are shown: %v, figures: %v", c.circles, c.figures), func(a shot.Account) bool {
			return a.Circles == c.circles && a.Figures == c.figures
		})
	}
	for _, c := range []struct {
		key               key
		ghosts, predicted bool
	}{{keyF3, true, true}, {keyF4, true, false}, {keyF3, false, false}, {keyF4, false, true}} {
		p.tap(c.key)
		p.until(fmt.Sprintf("ghosts are shown: %v, predicted: %v", c.ghosts, c.predicted), func(a shot.Account) bool {
			return a.Ghosts == c.ghosts && a.Predicted == c.predicted
		})
	}
	p.tap(keyEscape)
	p.endsWell()
}

// takes holds a key until the player drives the pane, and returns the account.
func (p *player) takes(pane int, which key) shot.Account {
	p.Helper()
	return p.until("the player drives "+strconv.Itoa(pane), func(shot.Account) bool {
		p.press(which)
		a := p.look()
		p.release(which)
		return a.Panes[pane].Driver == shot.Player
	})
}

// walks holds one arrow after another until one moves the pane's walker in its
// direction. It tries all of them because a tree may block some, and looks 20 times for
// each because a slow program may draw one frame a second. The bot may have left the
// walker in a car, which the arrows steer differently: after each round walks holds the
// use key until a frame was drawn, to get out. A short tap might fall between two steps
// of a slow program.
func (p *player) walks(pane int, ways map[key][2]float64) {
	p.Helper()
	const rounds = 4
	for range rounds {
		for which, way := range ways {
			if p.walksBy(pane, which, way) {
				return
			}
		}
		p.press(keyE)
		p.look()
		p.release(keyE)
	}
	p.Errorf("no arrow moves the walker: %+v", p.look().Panes[pane])
}

// walksBy reports whether the walker moves more than 20 units in a direction while a
// key is held.
func (p *player) walksBy(pane int, which key, way [2]float64) bool {
	p.Helper()
	from := p.look().Panes[pane].Camera
	p.press(which)
	defer p.release(which)
	for range 20 {
		at := p.look().Panes[pane].Camera
		if dx, dy := at.X-from.X, at.Y-from.Y; dx*way[0]+dy*way[1] > 20 {
			return true
		}
	}
	return false
}

// endsWell waits for the program to end by itself and checks that it ended without an
// error.
func (p *player) endsWell() {
	p.Helper()
	select {
	case err := <-p.ended:
		if err != nil {
			p.Errorf("the program ends with %v\n%s", err, p.stderr.String())
		}
	case <-time.After(patience):
		p.Error("Escape does not end the program")
	}
}

// playing reports whether both panes have joined and the client has measured a round
// trip.
func playing(a shot.Account) bool {
	return len(a.Panes) == 2 && joined(a) && a.Panes[1].Net[0].RTT > 0
}

func about(a, b float64) bool { return math.Abs(a-b) < 1e-9 }
