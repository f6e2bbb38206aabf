package rpl_test

// A refused packet has no effect.

import (
	"bytes"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// A refused packet changes nothing, not even by its fields before the damage: the round
// trip time, and the base below which acks are no longer needed.
func TestRefusedPacketsChangeNothing(t *testing.T) {
	m := newPostman(t)
	id := m.spawn(t, m.sch.extra[1])
	learned := 0
	for range 60 {
		for _, l := range m.tick(func() {
			body := bodyItem{HP: uint8(m.net.TickNumber())}
			m.net.A.Set(m.item(id, 0), unsafe.Pointer(&body))
		}) {
			refused, was, base := m.c.P.Counters().Refused, rtt(m.c.P), rpl.FaultsOf(m.c.P).KnownBase()
			m.c.P.Receive(l.seq, m.net.Now, append(slices.Clip(l.b), bytes.Repeat([]byte{255}, 64)...))
			m.c.P.Apply(m.net.Now, &m.c.Log)
			if m.c.P.Counters().Refused == refused {
				continue // the packet was accepted, because bytes after a skipped guess are not read
			}
			if rtt(m.c.P) != was || rpl.FaultsOf(m.c.P).KnownBase() != base {
				t.Fatalf("packet %d: a round trip of %v and base %d, before it %v and %d", l.seq, rtt(m.c.P), rpl.FaultsOf(m.c.P).KnownBase(), was, base)
			}
			m.deliver(t, []letter{l})
			if rtt(m.c.P) != was && rpl.FaultsOf(m.c.P).KnownBase() != base {
				learned++
			}
		}
	}
	if learned == 0 {
		t.Error("no packet has told anything")
	}
}

func rtt(p *rpl.Proxy) [2]time.Duration {
	mean, jitter := p.RTT()
	return [2]time.Duration{mean, jitter}
}
