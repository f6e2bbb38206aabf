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
	if a.SetHello(make([]byte, transport.MaxHello+1)) == nil {
		t.Error("SetHello takes one too long")
	}
	typed := []byte("Ann")
	if err := b.SetHello(typed); err != nil {
		t.Error(err)
	}
	if got := b.Hello(b.Me()); len(got) > 0 {
		t.Errorf("before the next session its hello is %q", got)
	}
	if typed[0] = 'E'; string(b.offer().Hello) != "Ann" {
		t.Errorf("offers the hello %q", b.offer().Hello)
	}
	if o := a.offer(); len(o.Hello) != transport.MaxHello || o.Key != a.key {
		t.Errorf("offers a hello of %d bytes", len(o.Hello))
	}
}

// A list of games shows as many places as MaxPeers has, the host's own included; the transport
// itself refuses nobody by that, so that who comes back for a kept seat is let in.
func TestPlacesListed(t *testing.T) {
	for _, x := range []struct {
		dedicated              bool
		maxPeers, most, locals int
	}{{true, 4, 4, 0}, {false, 4, 4, 1}, {true, 0, transport.MaxPeers, 0}, {false, 0, transport.MaxPeers, 1}} {
		r, err := New(donburi.NewWorld(), NewProtocol("listed"), Config{Title: "Ada's", Dedicated: x.dedicated, MaxPeers: x.maxPeers})
		if err != nil {
			t.Fatal(err)
		}
		if o := r.offer(); o.Most != x.most || o.Locals != x.locals || o.MaxPeers != 0 {
			t.Errorf("%+v: offers %d places, %d of this machine, %d connections", x, o.Most, o.Locals, o.MaxPeers)
		}
	}
}
