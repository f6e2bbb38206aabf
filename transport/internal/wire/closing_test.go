package wire

// The packets that end a connection, and where their reasons are cut.

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/tendonengine/tendon/transport"
)

func TestReason(t *testing.T) {
	for n := transport.MaxReason - 5; n < transport.MaxReason+5; n++ {
		if b := AppendReason(nil, Ended, strings.Repeat("b", n)); len(b) != 1+min(n, transport.MaxReason) {
			t.Errorf("%d bytes are left of a reason of %d", len(b)-1, n)
		}
	}
	c, s := ParseReason(AppendReason(nil, Kicked, "too fast"))
	if c != Kicked || s != "too fast" {
		t.Errorf("%v %q", c, s)
	}
	b := AppendReason(nil, Ended, strings.Repeat("é", transport.MaxReason))
	if _, s := ParseReason(b); len(b) != 1+transport.MaxReason || s != strings.Repeat("é", transport.MaxReason/2) {
		t.Errorf("a long reason becomes %d bytes: %q", len(b), s)
	}
	if _, s := ParseReason([]byte{0, 'a', 0x1b, '[', 0xff}); strings.ContainsRune(s, 0x1b) || !utf8.ValidString(s) {
		t.Errorf("control characters reach the terminal: %q", s)
	}
}

// AppendReason cuts a reason between two runes and keeps invalid text inside it, which
// the reader replaces, together with characters that change the text's direction.
func TestOddReasons(t *testing.T) {
	long := "a\xff" + strings.Repeat("b", transport.MaxReason)
	if b := AppendReason(nil, Ended, long); len(b) != 1+transport.MaxReason {
		t.Errorf("%d bytes are left of %q", len(b), long)
	}
	for before := range utf8.UTFMax { // bytes, so that a rune is cut after each of its
		if _, s := ParseReason(AppendReason(nil, Ended, long[2:2+before]+strings.Repeat("\U0001F3D3", transport.MaxReason))); len(s) <= transport.MaxReason-utf8.UTFMax || strings.ContainsRune(s, utf8.RuneError) {
			t.Errorf("%d bytes before long runes: %q", before, s)
		}
	}
	if b := AppendReason(nil, Ended, strings.Repeat("\x80", 2*transport.MaxReason)); len(b) > 1+transport.MaxReason || len(b) < 1+transport.MaxReason-utf8.UTFMax {
		t.Errorf("%d bytes are left of what is no text", len(b))
	}
	for b, want := range map[string]Cause{"": Ended, "\x01": Kicked, "\x03": Unheard, "\xff": 255} {
		if c, s := ParseReason([]byte(b)); c != want || s != "" {
			t.Errorf("%q is cause %d, %q", b, c, s)
		}
	}
	if _, s := ParseReason([]byte("\x00a\u202eb\u009bc\u2028d")); s != "a\uFFFDb\uFFFDc\uFFFDd" {
		t.Errorf("%q is shown", s)
	}
}
