package endpoint

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// A client whose ACCEPT is under way when the server closes is told so beside it, and again until it
// says that it knows.
func TestClosedBesideAnAccept(t *testing.T) {
	for name, do := range map[string]func(b *bench){
		"closed": func(b *bench) { b.Close("maintenance") },
		"shut":   func(b *bench) { b.Shut("maintenance") },
	} {
		b := listening(t)
		c := b.accepted(t, clientAddr, 1)
		b.sent, b.to = nil, nil
		do(b)
		if got := goodbyes(b, c); len(got) != 1 || got[0] != clientAddr.String()+" 0maintenance" || !b.Lingers() {
			t.Errorf("%s: it is told %q, and it lingers: %v", name, got, b.Lingers())
		}
		b.pass(transport.CloseInterval)
		if b.Tick(); len(goodbyes(b, c)) != 1 {
			t.Errorf("%s: it is told once", name)
		}
		b.Arrive(b.now, Path{Remote: clientAddr}, c.Say(wire.Control, byte(wire.Farewell)))
		if h := b.Held(); b.Lingers() || h != (Held{}) || len(b.events) != 0 {
			t.Errorf("%s: once it knows it lingers: %v; %+v is kept, and the game hears %q", name, b.Lingers(), h, b.events)
		}
	}
}

// turned reports whether the last packet is the refusal of a client because its server has stopped.
func turned(b *bench, c *raw.Client) bool {
	m, err := c.Denied(b.last())
	return err == nil && m.Reason == wire.NotAdmitted && string(m.Detail) == "the server has stopped: maintenance"
}

// Who asks to be let in when the server closes is turned away, wherever its question is: unread,
// read, not yet answered by the game, about to be let in, or to be asked once more. The server waits for
// that, if somebody has asked of late, and not for long.
func TestClosedWhileAsked(t *testing.T) {
	for _, place := range []string{"unread", "read", "with the game", "let in", "challenged", "busy"} {
		b := admitting(t, func(string) error { return nil })
		b.pass(time.Second)
		work := b.cfg.Listener.Wake == nil
		if place == "unread" || place == "let in" {
			b.cfg.Listener.Wake = func() { work = false }
		}
		if place == "busy" {
			b.accepted(t, strangers, 2)
		}
		c := client(1)
		b.arrive(clientAddr, c.Hello())
		init := c.Answer(b.last())
		b.sent, b.to = nil, nil
		switch place {
		case "unread", "read":
			b.Arrive(b.now, Path{Remote: clientAddr}, init)
		case "with the game":
			b.offer.Admit = func([]byte, transport.Identity) error {
				b.Close("maintenance")
				return nil
			}
			b.arrive(clientAddr, init)
		case "let in":
			b.Arrive(b.now, Path{Remote: clientAddr}, init)
			b.Work()
			b.Poll(b)
		case "busy":
			b.arrive(clientAddr, init)
		}
		b.Close("maintenance")
		if !work && !b.Lingers() && place == "unread" {
			t.Errorf("%s: it does not wait for the worker", place)
		}
		b.Work()
		if place == "challenged" || place == "busy" {
			if !b.Lingers() {
				t.Errorf("%s: it does not wait for who asks again", place)
			}
			b.pass(transport.HelloInterval)
			b.Arrive(b.now, Path{Remote: clientAddr}, init)
			b.Work()
		}
		if !turned(b, c) {
			t.Errorf("%s: it is answered by %x", place, b.last())
		}
		b.pass(transport.AskAgain)
		b.Tick()
		for range transport.CloseCopies {
			b.pass(transport.CloseInterval * transport.CloseCopies)
			b.Tick()
		}
		if b.Lingers() {
			t.Errorf("%s: it lingers", place)
		}
		b.sent = nil
		if b.Arrive(b.now, Path{Remote: strangers}, client(3).Hello()); len(b.sent) != 0 {
			t.Errorf("%s: who comes later is answered", place)
		}
	}
}

// Strangers who go on asking do not keep a server that is closed, and a server that nobody asks is over
// at once.
func TestStrangersKeepNoServer(t *testing.T) {
	b := listening(t)
	b.pass(time.Second)
	c := b.accepted(t, clientAddr, 1)
	b.arrive(clientAddr, c.Say(wire.Keepalive), c.Say(wire.Close, byte(wire.Ended)))
	b.pass(transport.AskAgain)
	b.sent, b.to = nil, nil
	b.Close("maintenance")
	if b.Lingers() {
		t.Error("nobody asks, and it lingers")
	}

	b = listening(t)
	b.pass(time.Second)
	b.arrive(strangers, client(1).Hello())
	b.Close("maintenance")
	began := b.now
	for i := uint64(2); b.Lingers() && b.now < began+time.Minute; i++ {
		b.Arrive(b.now, Path{Remote: strangers}, client(i).Hello())
		b.pass(50 * time.Millisecond)
	}
	if d := b.now - began; d > transport.LongestTurningAway {
		t.Errorf("it lingers for %v", d)
	}
}

// A client that is turned away has the reason of the server's end, in words for players.
func TestTurnedAway(t *testing.T) {
	s := listening(t)
	s.pass(time.Second)
	c := dialled(t)
	s.Arrive(s.now, Path{Remote: clientAddr}, c.last())
	c.arrive(serverAddr, s.last())
	s.Close("maintenance")
	s.Arrive(s.now, Path{Remote: clientAddr}, c.last())
	c.arrive(serverAddr, s.last())
	if !errors.Is(c.err, transport.ErrNotAdmitted) || !strings.Contains(c.err.Error(), "the server has stopped: maintenance") {
		t.Errorf("it is told %v", c.err)
	}
}
