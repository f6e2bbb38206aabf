package endpoint

import (
	"errors"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
	"github.com/tendonengine/tendon/transport/internal/raw"
	"github.com/tendonengine/tendon/transport/internal/wire"
)

// goodbyes returns the Close packets among those that were sent since it was last called, with
// their causes and reasons.
func goodbyes(b *bench, c *raw.Client) (all []string) {
	for i, s := range b.sent {
		if p, _, err := c.Open(s); err == nil && p.Kind == wire.Close {
			all = append(all, b.to[i].String()+" "+string('0'+p.Reason[0])+string(p.Reason[1:]))
		}
	}
	b.sent, b.to = nil, nil
	return all
}

// unheard lets all copies of the goodbyes be lost.
func unheard(b *bench) {
	for range 40 {
		b.pass(transport.CloseInterval)
		b.Tick()
	}
	b.sent, b.to = nil, nil
}

// A client whose line was cut while all goodbyes were said is told why it was kicked, or that it
// was not heard, when it is heard again: once in a while, not for each packet. Nobody gets a
// RESET for it meanwhile.
func TestGoodbyeIsRemembered(t *testing.T) {
	for want, do := range map[string]func(b *bench){
		"1cheating": func(b *bench) { b.conns[0].Close("cheating") },
		"3":         func(b *bench) { b.pass(transport.SilenceTimeout) },
	} {
		b, c := joinedBy(t)
		do(b)
		b.Poll(b)
		unheard(b)
		if b.Lingers() {
			t.Error("it would say goodbye for ever")
		}
		b.pass(transport.SilenceTimeout - 5*time.Second)
		b.Tick()
		b.arrive(clientAddr, wire.SeekMessage{ID: c.ID, Number: c.Number}.Append(nil))
		if len(b.sent) != 0 {
			t.Errorf("a SEEK is answered: %x", b.sent)
		}
		b.arrive(clientAddr, c.Say(wire.Keepalive), c.Say(wire.Datagram, 1), c.Say(wire.Control, 99))
		if got := goodbyes(b, c); len(got) != 1 || got[0] != clientAddr.String()+" "+want {
			t.Errorf("it is told %q, not %q", got, want)
		}
		b.pass(transport.CloseInterval)
		b.arrive(clientAddr, c.Say(wire.Keepalive))
		if got := goodbyes(b, c); len(got) != 1 {
			t.Errorf("then it is told %q", got)
		}
		b.arrive(clientAddr, c.Say(wire.Control, byte(wire.Farewell)))
		if h := b.Held(); h != (Held{}) {
			t.Errorf("once it knows %+v is kept", h)
		}
		if len(b.events) != 1 {
			t.Errorf("the game is told %q", b.events)
		}
	}
}

// A client that is heard again at another address is told there, within three times the bytes
// that came from there.
func TestGoodbyeElsewhere(t *testing.T) {
	b, c := joinedBy(t)
	b.conns[0].Close(strings.Repeat("x", transport.MaxReason))
	unheard(b)
	from := netip.MustParseAddrPort("10.0.0.3:1")
	in, out, first := 0, 0, 0
	for i := range 20 {
		b.pass(transport.CloseInterval)
		p := c.Say(wire.Keepalive)
		in += len(p)
		b.arrive(from, p)
		for k, s := range b.sent {
			if b.to[k] != from {
				continue
			}
			if out += len(s); first == 0 {
				first = i + 1
			}
		}
		if b.sent, b.to = nil, nil; out > transport.PathFactor*in {
			t.Fatalf("%d bytes for %d", out, in)
		}
	}
	if first == 0 || first > 5 {
		t.Errorf("it is told for packet %d", first)
	}
}

// What is remembered is forgotten after the time for which a client waits in silence, and the
// oldest when it is too much.
func TestGoodbyeIsForgotten(t *testing.T) {
	b, c := joinedBy(t)
	b.conns[0].Close("why")
	unheard(b)
	b.pass(transport.SilenceTimeout)
	b.Tick()
	if h := b.Held(); h != (Held{}) {
		t.Errorf("%+v is kept", h)
	}
	b.arrive(clientAddr, wire.SeekMessage{ID: c.ID, Number: c.Number}.Append(nil))
	if _, err := wire.ParseReset(b.last()); err != nil {
		t.Errorf("then a SEEK is answered by %x", b.last())
	}

	b, c = joinedBy(t)
	b.conns[0].Close("why")
	unheard(b)
	e := b.Endpoint
	for i := range transport.MaxParted {
		if b.find(c.ID) == nil {
			t.Fatalf("%d others, and it is forgotten", i)
		}
		x := &Conn{e: e, id: c.ID + 1 + uint16(i), state: ended}
		e.byID[x.id], e.leaving = x, append(e.leaving, x)
		e.keepParted(x)
	}
	if h := b.Held(); h.Left != transport.MaxParted || h.IDs != transport.MaxParted || b.find(c.ID) != nil {
		t.Errorf("%+v is kept, and the oldest: %v", h, b.find(c.ID) != nil)
	}
}

// An endpoint that is closed remembers nobody, so that its socket need not wait.
func TestClosedRemembersNobody(t *testing.T) {
	b, _ := joinedBy(t)
	b.Close("why")
	for copies := 1; copies < transport.CloseCopies; copies++ {
		if !b.Lingers() {
			t.Fatalf("%d copies, and it is over", copies)
		}
		b.pass(time.Duration(copies) * transport.CloseInterval)
		b.Tick()
	}
	if h := b.Held(); b.Lingers() || h != (Held{}) || len(b.sent) != transport.CloseCopies {
		t.Errorf("after %d copies it waits, and keeps %+v", len(b.sent), h)
	}
}

// A client that has heard nothing says goodbye once and is over: its game is not to wait for who
// does not answer.
func TestWhoHearsNothingIsOverAtOnce(t *testing.T) {
	b, s := connected(t)
	b.sent = nil
	b.pass(transport.SilenceTimeout)
	if b.Poll(b); !errors.Is(b.err, transport.ErrTimeout) || b.Lingers() {
		t.Errorf("told %v, lingers %v", b.err, b.Lingers())
	}
	closes := 0
	for _, sent := range b.sent {
		if p, _, err := s.Open(sent); err == nil && p.Kind == wire.Close {
			closes++
		}
	}
	if closes != 1 {
		t.Errorf("%d goodbyes", closes)
	}
}
