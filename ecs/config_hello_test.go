package ecs

// A client's key and hello in the handshake.

import (
	"testing"

	"github.com/yohamta/donburi"

	"github.com/tendonengine/tendon/transport"
)

// Each Replication has a key of its own, and Config.Hello has a bound.
func TestKeys(t *testing.T) {
	p := NewProtocol("keys")
	open := func(hello int) (*Replication, error) {
		return New(donburi.NewWorld(), p, Config{Hello: make([]byte, hello)})
	}
	a, errA := open(transport.MaxHello)
	b, errB := open(0)
	if errA != nil || errB != nil {
		t.Fatal(errA, errB)
	}
	if a.key == b.key || a.key == ([32]byte{}) {
		t.Errorf("keys %x and %x", a.key, b.key)
	}
	if _, err := open(transport.MaxHello + 1); err == nil {
		t.Error("a hello too long is accepted")
	}
	if o := a.offer(); len(o.Hello) != transport.MaxHello || o.Key != a.key {
		t.Errorf("offers a hello of %d bytes", len(o.Hello))
	}
}
