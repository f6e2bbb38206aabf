package endpoint

import (
	"net/netip"
	"testing"
	"time"

	"github.com/tendonengine/tendon/transport"
)

// Goroutines read the time before they ask the gate, and may ask in another order. An older time
// than the one before forgives nothing.
func TestGateByAnOlderClock(t *testing.T) {
	l := transport.Limits{Handshakes: 4, Unjoined: 100}
	g, p, now := newGate(l), netip.MustParsePrefix("10.0.0.1/32"), time.Minute
	for i := range 4 {
		if !g.enter(p, now) {
			t.Fatalf("handshake %d of four is refused", i)
		}
	}
	if g.enter(p, now-5*time.Millisecond) {
		t.Error("a fifth handshake is begun, 5 ms earlier")
	}
	g.owes(p, now, 2)
	g.owes(p, now-time.Second, 1)
	if n, _ := g.debt(p, now); n != 3 {
		t.Errorf("it owes %v, not 3", n)
	}
	if !g.enter(p, now+time.Second) {
		t.Error("a second later it is refused")
	}
}

// Counts are forgiven in a session that lasts for months, too, in which the ms of a count begin anew
// every 50 days.
func TestGateAfterMonths(t *testing.T) {
	const day = 24 * time.Hour
	g, p := newGate(transport.Limits{Handshakes: 2, Unjoined: 100}), netip.MustParsePrefix("10.0.0.1/32")
	for _, now := range []time.Duration{30 * day, 49 * day, 51 * day, 100 * day} {
		for i := range 6 {
			if !g.enter(p, now+time.Duration(i)*time.Second) {
				t.Errorf("after %v: handshake %d, a second after the last, is refused", now, i)
			}
			g.leave(p)
		}
	}
}
