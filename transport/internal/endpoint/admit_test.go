package endpoint

import (
	"errors"
	"testing"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// admitting is a listener with one place, whose clients join when the test says so and are
// admitted by what admit says.
func admitting(t testing.TB, admit func(hello string) error) *bench {
	b := &bench{}
	o := offer()
	o.MaxPeers, o.Joins = 1, true
	o.Admit = func(hello []byte, _ transport.Identity) error { return admit(string(hello)) }
	e, err := Listen(b.config(), o)
	if err != nil {
		t.Fatal(err)
	}
	b.Endpoint = e
	return b
}

// Who is refused by the game takes nobody's place: neither one that waits for its first packet,
// nor one that is open and gets ready.
func TestWhoIsRefusedTakesNoPlace(t *testing.T) {
	for _, opens := range []bool{false, true} {
		banned := errors.New("you are banned")
		b := admitting(t, func(hello string) error {
			if hello == "Bob" {
				return banned
			}
			return nil
		})
		first := b.accepted(t, clientAddr, 1)
		if opens {
			b.arrive(clientAddr, first.Say(wire.Keepalive))
		}
		b.pass(2 * transport.MomentToJoin)
		bob := client(2)
		bob.Request.Hello = []byte("Bob")
		if m, err := bob.Denied(b.shake(strangers, bob)); err != nil || m.Reason != wire.NotAdmitted {
			t.Errorf("Bob is answered with %+v, %v", m, err)
		}
		if len(b.Endpoint.conns) != 1 || b.err != nil {
			t.Errorf("%d connections; the first ended with %v", len(b.Endpoint.conns), b.err)
		}
		third := b.accepted(t, strangers, 3)
		if b.find(third.ID) == nil || len(b.Endpoint.conns) != 1 || opens && !errors.Is(b.err, transport.ErrFull) {
			t.Errorf("then %d connections; the first ended with %v", len(b.Endpoint.conns), b.err)
		}
	}
}

// A game that is asked may end what it was asked about: its session, or the one that would have
// given way. Then nobody else gives way, and nobody is let in to a session that is over.
func TestGameActsWhileItIsAsked(t *testing.T) {
	var b *bench
	asked := 0
	act := func() {}
	b = admitting(t, func(string) error {
		asked++
		act()
		return nil
	})
	first := b.accepted(t, clientAddr, 1)
	b.arrive(clientAddr, first.Say(wire.Keepalive))
	b.pass(2 * transport.MomentToJoin)
	act = func() { b.conns[0].Close("you may go") }
	second := b.accepted(t, strangers, 2)
	b.Poll(b)
	if len(b.Endpoint.conns) != 1 || b.find(second.ID) == nil || !errors.Is(b.err, transport.ErrClosed) {
		t.Errorf("%d connections; the first ended with %v", len(b.Endpoint.conns), b.err)
	}
	b.pass(2 * transport.MomentToJoin)
	act = func() { b.Close("that was it") }
	third := client(3)
	if b.shake(clientAddr, third); third.In() || asked != 3 || len(b.Endpoint.conns)+len(b.asked) != 0 {
		t.Errorf("asked %d times; in a session that is over: %v, %d connections", asked, third.In(), len(b.Endpoint.conns))
	}
}
