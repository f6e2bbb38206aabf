package rpl_test

// Packets that are refused: nothing of them counts.

import (
	"bytes"
	"slices"
	"testing"
	"time"
	"unsafe"

	"github.com/tendonengine/tendon/rpl"
)

// A packet that is refused says nothing, not even in what stands before the damage:
// when the authority has heard of what, and what acks need not speak of any more.
func TestRefusedPacketsSayNothing(t *testing.T) {
	m := newPostman(t)
	id := m.spawn(t, m.sch.extra[1])
	learned := 0
	for range 60 {
		for _, l := range m.tick(func() {
			body := bodyItem{HP: uint8(m.net.TickNumber())}
			m.net.A.Set(m.item(id, 0), unsafe.Pointer(&body))
		}) {
			refused, was, base := m.c.P.Counters().Refused, rtt(m.c.P), m.c.P.HeardBase()
			m.c.P.Receive(l.seq, m.net.Now, append(slices.Clip(l.b), bytes.Repeat([]byte{255}, 64)...))
			m.c.P.Apply(m.net.Now, &m.c.Log)
			if m.c.P.Counters().Refused == refused {
				continue // what follows a guess that is skipped is not read
			}
			if rtt(m.c.P) != was || m.c.P.HeardBase() != base {
				t.Fatalf("packet %d: a round trip of %v and base %d, before it %v and %d", l.seq, rtt(m.c.P), m.c.P.HeardBase(), was, base)
			}
			m.deliver(t, []letter{l})
			if rtt(m.c.P) != was && m.c.P.HeardBase() != base {
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
