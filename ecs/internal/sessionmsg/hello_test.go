package sessionmsg

// A client's hello and the key in it.

import (
	"encoding/hex"
	"errors"
	"testing"
)

// The hello has these bytes, and a hello without a key is refused.
func TestHello(t *testing.T) {
	k := Key{0: 1, 15: 0xff}
	b := AppendHello(nil, k, []byte("ann"))
	if want := "01" + "0000000000000000000000000000" + "ff" + "616e6e"; hex.EncodeToString(b) != want {
		t.Errorf("a hello is %x, not %s", b, want)
	}
	for _, said := range []string{"", "ann"} {
		got, hello, err := ParseHello(AppendHello(nil, k, []byte(said)))
		if got != k || string(hello) != said || err != nil {
			t.Errorf("%q is read as %x, %q, %v", said, got, hello, err)
		}
	}
	for n := range KeySize {
		if _, _, err := ParseHello(b[:n]); !errors.Is(err, errHello) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	if _, _, err := ParseHello(make([]byte, 30)); !errors.Is(err, errHello) {
		t.Errorf("a key of zeros: %v", err)
	}
}
