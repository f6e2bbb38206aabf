package ecs

// A client's hello and the key in it, by which the server recognises the client.

import (
	"bytes"
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/ecs/internal/sessionmsg"
)

// Each Replication has a key of its own, and Config.Hello, which follows it, has a bound.
func TestKeys(t *testing.T) {
	p := NewProtocol("keys")
	open := func(hello int) (*Replication, error) {
		return New(donburi.NewWorld(), p, Config{Hello: make([]byte, hello)})
	}
	a, errA := open(sessionmsg.MaxHello)
	b, errB := open(0)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if a.key == b.key || a.key == (sessionmsg.Key{}) {
		t.Errorf("keys %x and %x", a.key, b.key)
	}
	if _, err := open(sessionmsg.MaxHello + 1); err == nil {
		t.Error("a hello too long is accepted")
	}
	if o := a.offer(); len(o.Hello) != sessionmsg.KeySize+sessionmsg.MaxHello || !bytes.HasPrefix(o.Hello, a.key[:]) {
		t.Errorf("offers a hello of %d bytes", len(o.Hello))
	}
}
