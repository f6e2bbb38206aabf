package windowtest

// A keyboard for programs on a display.

import (
	"testing"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"
)

// A key is an X keysym: it names a key by what is printed on it.
type key xproto.Keysym

const (
	keyMinus   key = '-'
	keyEqual   key = '='
	keyOpen    key = '['
	keyClose   key = ']'
	keyEscape  key = 0xff1b
	keyF1      key = 0xffbe
	keyF2      key = 0xffbf
	keyF3      key = 0xffc0
	keyF4      key = 0xffc1
	keyF12     key = 0xffc9
	arrowLeft  key = 0xff51
	arrowUp    key = 0xff52
	arrowRight key = 0xff53
	arrowDown  key = 0xff54
	keyEnter   key = 0xff0d
	keyD       key = 'd'
	keyE       key = 'e'
	keyH       key = 'h'
	keyT       key = 't'
)

// A keyboard presses keys on a display through the X test extension. The program cannot
// tell them from a player's.
type keyboard struct {
	*testing.T
	conn  *xgb.Conn
	root  xproto.Window
	codes map[key]xproto.Keycode
}

// newKeyboard makes a keyboard for a display.
func newKeyboard(t *testing.T, display string) *keyboard {
	t.Helper()
	conn, err := xgb.NewConnDisplay(display)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(conn.Close)
	if err := xtest.Init(conn); err != nil {
		t.Fatalf("the display has no test extension: %v", err)
	}
	setup := xproto.Setup(conn)
	k := &keyboard{T: t, conn: conn, root: setup.DefaultScreen(conn).Root, codes: map[key]xproto.Keycode{}}
	first, n := setup.MinKeycode, int(setup.MaxKeycode)-int(setup.MinKeycode)+1
	table, err := xproto.GetKeyboardMapping(conn, first, byte(n)).Reply()
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		printed := key(table.Keysyms[i*int(table.KeysymsPerKeycode)])
		if _, there := k.codes[printed]; !there {
			k.codes[printed] = first + xproto.Keycode(i)
		}
	}
	return k
}

// focus waits for a window and gives it the keyboard focus, because no window manager
// runs here.
func (k *keyboard) focus() {
	k.Helper()
	k.window(func(w xproto.Window) bool {
		return xproto.SetInputFocusChecked(k.conn, xproto.InputFocusPointerRoot, w, xproto.TimeCurrentTime).Check() == nil
	})
}

// resize gives the window another size.
func (k *keyboard) resize(width, height uint32) {
	k.Helper()
	k.window(func(w xproto.Window) bool {
		const both = xproto.ConfigWindowWidth | xproto.ConfigWindowHeight
		return xproto.ConfigureWindowChecked(k.conn, w, both, []uint32{width, height}).Check() == nil
	})
}

// window waits for a window with which do can be done.
func (k *keyboard) window(do func(xproto.Window) bool) {
	k.Helper()
	for begin := time.Now(); time.Since(begin) < patience; time.Sleep(20 * time.Millisecond) {
		for _, w := range k.windows() {
			if do(w) {
				return
			}
		}
	}
	k.Fatal("no window opens")
}

// windows returns the windows that are shown.
func (k *keyboard) windows() (shown []xproto.Window) {
	k.Helper()
	tree, err := xproto.QueryTree(k.conn, k.root).Reply()
	if err != nil {
		k.Fatal(err)
	}
	for _, w := range tree.Children {
		a, err := xproto.GetWindowAttributes(k.conn, w).Reply() // an error: the window has gone
		if err == nil && a.MapState == xproto.MapStateViewable {
			shown = append(shown, w)
		}
	}
	return shown
}

// press holds a key down, release lets it go, tap does both.
func (k *keyboard) press(which key)   { k.fake(xproto.KeyPress, which) }
func (k *keyboard) release(which key) { k.fake(xproto.KeyRelease, which) }

func (k *keyboard) tap(which key) {
	k.press(which)
	k.release(which)
}

// often taps a key eight times. Taps within one step of the program count once.
func (k *keyboard) often(which key) {
	for range 8 {
		k.tap(which)
		time.Sleep(20 * time.Millisecond)
	}
}

func (k *keyboard) fake(event byte, which key) {
	k.Helper()
	code, there := k.codes[which]
	if !there {
		k.Fatalf("the keyboard has no key %#x", uint32(which))
	}
	if err := xtest.FakeInputChecked(k.conn, event, byte(code), xproto.TimeCurrentTime, k.root, 0, 0, 0).Check(); err != nil {
		k.Fatal(err)
	}
}
