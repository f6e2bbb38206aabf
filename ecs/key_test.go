package ecs

// A client's hello and the key in it, by which the server recognises the client.

import (
	"bytes"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/yohamta/donburi"
)

// The hello has these bytes, and a hello without a key is refused.
func TestHello(t *testing.T) {
	k := clientKey{0: 1, 15: 0xff}
	b := appendHello(nil, k, []byte("ann"))
	if want := "01" + "0000000000000000000000000000" + "ff" + "616e6e"; hex.EncodeToString(b) != want {
		t.Errorf("a hello is %x, not %s", b, want)
	}
	for _, said := range []string{"", "ann"} {
		got, hello, err := parseHello(appendHello(nil, k, []byte(said)))
		if got != k || string(hello) != said || err != nil {
			t.Errorf("%q is read as %x, %q, %v", said, got, hello, err)
		}
	}
	for n := range keySize {
		if _, _, err := parseHello(b[:n]); !errors.Is(err, errHello) {
			t.Errorf("cut at %d: %v", n, err)
		}
	}
	if _, _, err := parseHello(make([]byte, 30)); !errors.Is(err, errHello) {
		t.Errorf("a key of zeros: %v", err)
	}
}

// Each Replication has a key of its own, and Config.Hello, which follows it, has a bound.
func TestKeys(t *testing.T) {
	p := NewProtocol("keys")
	open := func(hello int) (*Replication, error) {
		return New(donburi.NewWorld(), p, Config{Hello: make([]byte, hello)})
	}
	a, errA := open(maxHello)
	b, errB := open(0)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if a.key == b.key || a.key == (clientKey{}) {
		t.Errorf("keys %x and %x", a.key, b.key)
	}
	if _, err := open(maxHello + 1); err == nil {
		t.Error("a hello too long is accepted")
	}
	if o := a.offer(); len(o.Hello) != keySize+maxHello || !bytes.HasPrefix(o.Hello, a.key[:]) {
		t.Errorf("offers a hello of %d bytes", len(o.Hello))
	}
}
