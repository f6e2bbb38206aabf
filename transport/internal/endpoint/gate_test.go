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
	g.owes(p, now)
	g.owes(p, now)
	g.owes(p, now-time.Second)
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

// What an address owes has a bound, so that others who share it are forgiven; who joins beyond it does
// not pay for those who did not.
func TestDebtIsBounded(t *testing.T) {
	g, p := newGate(transport.Limits{}.OrDefault()), netip.MustParsePrefix("10.0.0.1/32")
	for i := range 3 * transport.MaxDebt {
		counts := g.owes(p, time.Minute)
		if counts != (i < transport.MaxDebt) {
			t.Fatalf("client %d counts: %v", i, counts)
		}
		if i >= transport.MaxDebt {
			g.joined(p, time.Minute, counts)
		}
	}
	if n, _ := g.debt(p, time.Minute); n != transport.MaxDebt {
		t.Errorf("it owes %v", n)
	}
	if n, _ := g.debt(p, time.Minute+transport.MaxDebt*transport.DebtTime); n != 0 {
		t.Errorf("then it owes %v", n)
	}
}

// The moment grows while places are short and nobody joins, over short pauses, and no longer than
// clients have to join.
func TestMomentGrows(t *testing.T) {
	const join = 10 * time.Second
	g, p := newGate(transport.Limits{}.OrDefault()), netip.MustParsePrefix("10.0.0.1/32")
	is := func(now, want time.Duration) {
		t.Helper()
		if got := g.moment(now, join); got != want {
			t.Errorf("after %v it is %v, not %v", now, got, want)
		}
	}
	is(time.Hour, transport.MomentToJoin)
	for s := range time.Duration(60) {
		g.short(time.Hour+s*time.Second, join)
		is(time.Hour+s*time.Second, max(transport.MomentToJoin, min(join, s*time.Second/transport.ShareOfShortage)))
	}
	is(time.Hour+65*time.Second, join)
	is(time.Hour+75*time.Second, transport.MomentToJoin)
	g.short(time.Hour+75*time.Second, join)
	is(time.Hour+75*time.Second, transport.MomentToJoin)
	g.short(time.Hour+83*time.Second, join)
	is(time.Hour+83*time.Second, 2*time.Second)
	g.joined(p, time.Hour+83*time.Second, true)
	is(time.Hour+84*time.Second, transport.MomentToJoin)
}
